// The windows of a text with their features, read once: training goes over them again and again.

import { FeatureReader, windowsOf } from "../../runtime/engine/detectors/injection/feature.ts";

/** A window as the model sees it. */
export interface Instance {
  readonly from: number;
  readonly to: number;
  readonly features: Int32Array;
  /** How many of them belong to the parts of the window up to each. */
  readonly partEnds: Int32Array;
}

const reader = new FeatureReader();

/** The windows of a text. */
export function instancesOf(text: string): Instance[] {
  return windowsOf(text.length).map(([from, to]) => {
    const count = reader.read(text, from, to);
    return { from, to, features: reader.features.slice(0, count), partEnds: reader.partEnds.slice() };
  });
}

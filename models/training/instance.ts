// The windows of a text with their features, read once: training goes over them again and again.

import { windowsOf } from "../../runtime/engine/detectors/injection/feature.ts";
import { FeatureList } from "../../runtime/engine/detectors/injection/feature-list.ts";

/** A window as the model sees it. */
export interface Instance {
  readonly from: number;
  readonly to: number;
  readonly features: Int32Array;
  /** How many of them belong to the parts of the window up to each. */
  readonly partEnds: Int32Array;
}

const list = new FeatureList();

/** The windows of a text. */
export function instancesOf(text: string): Instance[] {
  return windowsOf(text.length).map(([from, to]) => {
    list.read(text, from, to);
    return { from, to, features: Int32Array.from(list.features), partEnds: list.partEnds.slice() };
  });
}

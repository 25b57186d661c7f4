// The stretch of a window that looks most like an attack: parts in a row, by the sum of their features' weights over the square root of
// their number and a constant. The sums of the parts are known after one pass, so that all stretches together cost little.

import { partLength, windowLength } from "./feature.ts";

/** Fewer parts than this are no stretch, except when they are all that there is. */
const leastParts = 2;
const mostParts = windowLength / partLength;

/** A stretch, as places of features. */
export interface Stretch {
  /** What it weighs, before scale and bias. */
  evidence: number;
  first: number;
  end: number;
}

/** What is known of a window. */
export interface WindowFeatures {
  readonly features: Int32Array;
  /** How many features the parts have up to each. */
  readonly partEnds: Int32Array;
  readonly weights: Int8Array | Float32Array;
  readonly damping: number;
}

const sums = new Float64Array(mostParts);

/** A stretch to be filled; made once, used for one window after the other. */
export function createStretch(): Stretch {
  return { evidence: 0, first: 0, end: 0 };
}

/** Finds the strongest stretch of a window. */
export function strongestStretch(found: Stretch, { features, partEnds, weights, damping }: WindowFeatures): void {
  const parts = addUp(features, partEnds, weights);
  found.evidence = Number.NEGATIVE_INFINITY;
  for (let from = 0; from < parts; from++) {
    const first = from === 0 ? 0 : (partEnds[from - 1] ?? 0);
    let sum = 0;
    for (let part = from; part < parts; part++) {
      sum += sums[part] ?? 0;
      const length = part - from + 1;
      if (length < leastParts && length < parts) continue;
      const end = partEnds[part] ?? 0;
      const evidence = sum === 0 ? 0 : sum / Math.sqrt(end - first + damping);
      if (evidence <= found.evidence) continue;
      found.evidence = evidence;
      found.first = first;
      found.end = end;
    }
  }
}

/** The sum of each part's weights, and how many parts the window has; one without features has one. */
function addUp(features: Int32Array, partEnds: Int32Array, weights: Int8Array | Float32Array): number {
  const count = partEnds[mostParts - 1] ?? 0;
  let place = 0;
  for (let part = 0; part < mostParts; part++) {
    let sum = 0;
    for (const end = partEnds[part] ?? 0; place < end; place++) sum += weights[features[place] ?? 0] ?? 0;
    sums[part] = sum;
    if (place === count) return part + 1;
  }
  return mostParts;
}

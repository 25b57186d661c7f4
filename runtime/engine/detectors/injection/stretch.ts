// The stretch of a window that looks most like an attack: parts in a row, by the sum of their features' weights over the square root of
// their number and a constant. The sums of the parts are known after one pass, so that all stretches together cost little.

/** Fewer parts than this are no stretch, except when they are all that there is. */
const leastParts = 2;

/** A stretch, as parts of a window. */
export interface Stretch {
  /** What it weighs, before scale and bias. */
  evidence: number;
  first: number;
  /** Behind the last. */
  end: number;
}

/** What the parts of a window weigh. */
export interface WindowParts {
  readonly sums: Int32Array | Float64Array;
  /** How many features each has. */
  readonly counts: Int32Array;
  /** How many parts there are. */
  readonly parts: number;
}

/** A stretch to be filled; made once, used for one window after the other. */
export function createStretch(): Stretch {
  return { evidence: 0, first: 0, end: 0 };
}

/** Finds the strongest stretch of a window. */
export function strongestStretch(found: Stretch, { sums, counts, parts }: WindowParts, damping: number): void {
  found.evidence = Number.NEGATIVE_INFINITY;
  for (let first = 0; first < parts; first++) {
    let sum = 0;
    let count = 0;
    for (let part = first; part < parts; part++) {
      sum += sums[part] ?? 0;
      count += counts[part] ?? 0;
      const length = part - first + 1;
      if (length < leastParts && length < parts) continue;
      const evidence = sum === 0 ? 0 : sum / Math.sqrt(count + damping);
      if (evidence <= found.evidence) continue;
      found.evidence = evidence;
      found.first = first;
      found.end = part + 1;
    }
  }
}

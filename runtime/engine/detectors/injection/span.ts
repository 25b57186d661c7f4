// Finds the span of a window that looks most like an attack: consecutive parts, rated by the sum of their features'
// weights divided by the square root of their number plus a constant. The sums of the parts are known after one pass,
// so comparing all spans is cheap.

/** Minimum number of parts in a span, unless the window has fewer. */
const minParts = 2;

/** A span, as a range of a window's parts. */
export interface Span {
  /** Its evidence, before scale and bias. */
  evidence: number;
  first: number;
  /** Index after the last part. */
  end: number;
}

/** The weights of a window's parts. */
export interface WindowParts {
  readonly sums: Int32Array | Float64Array;
  /** Number of features by part. */
  readonly counts: Int32Array;
  /** Number of parts. */
  readonly parts: number;
}

/** An empty span, to be reused for one window after the other. */
export function createSpan(): Span {
  return { evidence: 0, first: 0, end: 0 };
}

/** Writes the strongest span of a window into `found`. */
export function strongestSpan(found: Span, { sums, counts, parts }: WindowParts, damping: number): void {
  found.evidence = Number.NEGATIVE_INFINITY;
  for (let first = 0; first < parts; first++) {
    let sum = 0;
    let count = 0;
    for (let part = first; part < parts; part++) {
      sum += sums[part] ?? 0;
      count += counts[part] ?? 0;
      const length = part - first + 1;
      if (length < minParts && length < parts) continue;
      const evidence = sum === 0 ? 0 : sum / Math.sqrt(count + damping);
      if (evidence <= found.evidence) continue;
      found.evidence = evidence;
      found.first = first;
      found.end = part + 1;
    }
  }
}

// Exponential back-off with jitter, in the variants that "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015)
// compares: what failed together must not come back together.

/** How delays grow with each failure in a row. */
export interface BackOff {
  /** The delay of step 0, before jitter. */
  readonly baseMs: number;
  /** By how much each step multiplies the delay. Default: 2. */
  readonly factor?: number;
  /** The longest delay, before jitter. */
  readonly maxMs: number;
  /**
   * From where to where chance spreads a delay of d milliseconds: "full" from 0 to d, "equal" from d / 2 to d,
   * "above-base" from `baseMs` to d. Default: no jitter, the delay is d.
   */
  readonly jitter?: "full" | "equal" | "above-base";
}

/**
 * The delay of a step. With a base of 100 ms, steps 0, 1, 2 and 3 have 100, 200, 400 and 800 ms, before jitter.
 * `random` is the source of jitter: a number from 0 to below 1.
 */
export function backOffMs(step: number, backOff: BackOff, random: () => number = Math.random): number {
  const { baseMs, factor = 2, maxMs, jitter } = backOff;
  const delayMs = Math.min(maxMs, baseMs * factor ** step);
  if (jitter === undefined) return delayMs;
  const minMs = { full: 0, equal: delayMs / 2, "above-base": baseMs }[jitter];
  return minMs + random() * (delayMs - minMs);
}

// Pseudo-random numbers that are the same in every run.

/** Returns a number from 0 (inclusive) to 1 (exclusive) at each call. */
export type Random = () => number;

/**
 * The generator for a seed, an integer: Tommy Ettinger's mulberry32, which is small and good enough to spread choices
 * over texts and schedules.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Two judges of the same things.

import { type Interval, z95 } from "./proportion.ts";
import { seededRandom } from "./seeded-random.ts";

/** How two judges of the same things agree with the truth. */
export interface PairedCounts {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
}

/**
 * The exact two-sided p of McNemar's test: twice the binomial tail of the rarer discordant pair at one half, at most 1.
 * Q. McNemar, Psychometrika 12 (1947); its exact form is the sign test of F. Mosteller, Biometrics 8 (1952).
 */
export function mcnemarExact({ onlyFirst, onlySecond }: Pick<PairedCounts, "onlyFirst" | "onlySecond">): number {
  const n = onlyFirst + onlySecond;
  if (n === 0) return 1;
  const fewer = Math.min(onlyFirst, onlySecond);
  // 2^-n leaves the range of numbers at 1,075; up to 1,000 the terms are products, which lose fewer digits.
  let term = n <= 1_000 ? 2 ** -n : 0;
  let logTerm = -n * Math.LN2;
  let sum = n <= 1_000 ? term : Math.exp(logTerm);
  for (let k = 1; k <= fewer; k++) {
    const ratio = (n - k + 1) / k;
    term *= ratio;
    logTerm += Math.log(ratio);
    sum += n <= 1_000 ? term : Math.exp(logTerm);
  }
  // With as many on both sides the middle term would count twice.
  return Math.min(1, 2 * sum);
}

/**
 * Tango's lower bound of the difference of two paired proportions, second minus first: the least one that the score test
 * does not refuse at z (T. Tango, Statistics in Medicine 17 (1998), 891-908). It holds where few pairs differ, where
 * Newcombe's interval is far too sure: without any that differs it is -z² / (n + z²). Counts need not be whole.
 */
export function tangoLower({ both, onlyFirst, onlySecond, neither }: PairedCounts, z: number): number {
  const n = both + onlyFirst + onlySecond + neither;
  if (n === 0) return -1;
  const isRefused = (difference: number) => {
    // The likeliest probability of "only first" among those with this difference.
    const b = (2 * n + onlyFirst - onlySecond) * difference - onlyFirst - onlySecond;
    const c = -onlyFirst * difference * (1 - difference);
    const q = (Math.sqrt(Math.max(0, b * b - 8 * n * c)) - b) / (4 * n);
    const variance = n * (2 * q + difference * (1 - difference));
    return onlySecond - onlyFirst - n * difference > z * Math.sqrt(Math.max(0, variance));
  };
  let refused = -1;
  let kept = (onlySecond - onlyFirst) / n;
  while (kept - refused > 1e-9) {
    const middle = (kept + refused) / 2;
    if (isRefused(middle)) refused = middle;
    else kept = middle;
  }
  return refused;
}

/** The difference of two paired proportions, second minus first, with Tango's interval at 95 %. */
export function tangoInterval(counts: PairedCounts, z = z95): Interval {
  const { both, onlyFirst, onlySecond, neither } = counts;
  const n = both + onlyFirst + onlySecond + neither;
  if (n === 0) return { estimate: Number.NaN, lower: -1, upper: 1 };
  const reversed = { both, onlyFirst: onlySecond, onlySecond: onlyFirst, neither };
  return { estimate: (onlySecond - onlyFirst) / n, lower: tangoLower(counts, z), upper: -tangoLower(reversed, z) };
}

/**
 * The two-sided p of a sign-flip test: how often the sum of the groups' differences, each with a sign by chance, is at
 * least as far from 0 as it is. The draw that is observed counts as one, so p is never 0 (B. Phipson and G. K. Smyth,
 * 2010).
 */
export function signFlip(
  differences: readonly number[],
  { seed, draws }: { readonly seed: number; readonly draws: number },
): number {
  const counted = differences.filter((difference) => difference !== 0);
  const observed = Math.abs(counted.reduce((sum, difference) => sum + difference, 0));
  if (counted.length === 0) return 1;
  const random = seededRandom(seed);
  let asFar = 0;
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    for (const difference of counted) sum += random() < 0.5 ? difference : -difference;
    // Differences are whole numbers, or sums of few of them.
    if (Math.abs(sum) >= observed - 1e-9) asFar += 1;
  }
  return (asFar + 1) / (draws + 1);
}

/** Holm's adjusted p of several tests, in their order. S. Holm, Scandinavian Journal of Statistics 6 (1979), 65-70. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, at) => ({ p, at })).sort((a, b) => a.p - b.p);
  const adjusted = [...ps];
  let largest = 0;
  order.forEach(({ p, at }, place) => {
    largest = Math.max(largest, Math.min(1, (ps.length - place) * p));
    adjusted[at] = largest;
  });
  return adjusted;
}

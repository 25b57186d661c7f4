// How well annotators agree.

import type { Interval } from "./proportion.ts";
import { seededRandom } from "./seeded-random.ts";

/**
 * Krippendorff's alpha for nominal values: 1 minus the observed disagreement over the one that chance would bring. K.
 * Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C. A unit is what several annotators have
 * judged; those with fewer than two values count for nothing. NaN where nothing can be said: without such a unit, or
 * where all values are the same.
 */
export function krippendorffAlpha(units: readonly (readonly number[])[]): number {
  return alphaOf(units.map(unitOf));
}

/**
 * The same with an interval of 95 %: the 2.5 % and 97.5 % quantiles over resamples of the units (the percentile
 * bootstrap of B. Efron, 1979), drawn by the seed. Resamples of which nothing can be said are left out.
 */
export function bootstrapAlpha(
  units: readonly (readonly number[])[],
  { seed, draws }: { readonly seed: number; readonly draws: number },
): Interval {
  const counted = units.map(unitOf).filter(({ size }) => size > 1);
  const estimate = alphaOf(counted);
  const random = seededRandom(seed);
  const drawn = Array.from({ length: draws }, () =>
    alphaOf(counted.map((unit) => counted[Math.floor(random() * counted.length)] ?? unit)),
  )
    .filter((alpha) => !Number.isNaN(alpha))
    .sort((a, b) => a - b);
  const quantile = (share: number) => drawn[Math.min(drawn.length - 1, Math.floor(share * drawn.length))] ?? estimate;
  return { estimate, lower: quantile(0.025), upper: quantile(0.975) };
}

/** How often each value occurs in a unit. */
interface Unit {
  readonly size: number;
  readonly counts: readonly (readonly [value: number, count: number])[];
}

function unitOf(values: readonly number[]): Unit {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return { size: values.length, counts: [...counts] };
}

function alphaOf(units: readonly Unit[]): number {
  const totals = new Map<number, number>();
  let pairable = 0;
  let agreeing = 0;
  for (const { size, counts } of units) {
    if (size < 2) continue;
    pairable += size;
    for (const [value, count] of counts) {
      totals.set(value, (totals.get(value) ?? 0) + count);
      agreeing += (count * (count - 1)) / (size - 1);
    }
  }
  const expected = [...totals.values()].reduce((sum, count) => sum + count * (count - 1), 0);
  const possible = pairable * (pairable - 1);
  if (pairable < 2 || expected === possible) return Number.NaN;
  // (1 - Do / De) with the factors n and n(n - 1) of the coincidence matrix.
  return 1 - ((pairable - agreeing) * (pairable - 1)) / (possible - expected);
}

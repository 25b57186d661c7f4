// F1, the harmonic mean of precision and recall, with its interval.

import type { Interval } from "./proportion.ts";
import { seededRandom } from "./seeded-random.ts";

/** What was found rightly, found wrongly, and missed. */
export interface Hits {
  readonly tp: number;
  readonly fp: number;
  readonly fn: number;
}

/** Groups with these hits: one, or as many as `count` says. */
export interface HitGroups extends Hits {
  readonly count?: number;
}

/** F1 of these counts; NaN where nothing was to be found and nothing was found. */
export function f1Of({ tp, fp, fn }: Hits): number {
  return (2 * tp) / (2 * tp + fp + fn);
}

const draws = 1_000;

/**
 * F1 over all groups with the percentile bootstrap at 95 % (B. Efron, 1979): groups are drawn, not their members. The
 * seed decides. Groups with the same counts are alike, so a draw is how often each kind of group comes up. Draws
 * without an F1 are left out.
 */
export function bootstrapF1(groups: readonly HitGroups[], seed: number): Interval {
  const kinds = new Map<string, { readonly hits: Hits; count: number }>();
  const total = { tp: 0, fp: 0, fn: 0 };
  let size = 0;
  for (const { count = 1, ...hits } of groups) {
    if (count === 0) continue;
    size += count;
    add(total, hits, count);
    const key = `${hits.tp}/${hits.fp}/${hits.fn}`;
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, { hits, count });
    else kind.count += count;
  }
  const estimate = f1Of(total);
  const random = seededRandom(seed);
  const alike = [...kinds.values()];
  const drawn = Array.from({ length: draws }, () => f1Of(drawGroups(alike, size, random)))
    .filter((f1) => !Number.isNaN(f1))
    .sort((a, b) => a - b);
  const quantile = (share: number) => drawn[Math.min(drawn.length - 1, Math.floor(share * drawn.length))] ?? estimate;
  return { estimate, lower: quantile(0.025), upper: quantile(0.975) };
}

// A multinomial draw, one binomial after the other.
function drawGroups(
  kinds: readonly { readonly hits: Hits; readonly count: number }[],
  size: number,
  random: () => number,
): Hits {
  const sum = { tp: 0, fp: 0, fn: 0 };
  let toDraw = size;
  let left = size;
  for (const { hits, count } of kinds) {
    const times = count >= left ? toDraw : binomial(toDraw, count / left, random);
    add(sum, hits, times);
    toDraw -= times;
    left -= count;
  }
  return sum;
}

function add(to: { tp: number; fp: number; fn: number }, { tp, fp, fn }: Hits, times: number): void {
  to.tp += tp * times;
  to.fp += fp * times;
  to.fn += fn * times;
}

/**
 * Successes of n trials. By inversion where few are expected (V. Kachitvichyanukul and B. Schmeiser, 1988), otherwise
 * by the normal distribution, which is near enough from 30 expected ones on for the bounds of an interval.
 */
function binomial(n: number, p: number, random: () => number): number {
  if (p > 0.5) return n - binomial(n, 1 - p, random);
  if (n === 0 || p <= 0) return 0;
  if (n * p < 30) {
    const odds = p / (1 - p);
    let mass = (1 - p) ** n;
    let rest = random();
    let successes = 0;
    while (rest > mass && successes < n) {
      rest -= mass;
      successes += 1;
      mass *= ((n - successes + 1) / successes) * odds;
    }
    return successes;
  }
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(n, Math.max(0, Math.round(n * p + normal * Math.sqrt(n * p * (1 - p)))));
}

// F1, the harmonic mean of precision and recall, with its interval.

import { type ClusteredInterval, clusteredShare } from "./cluster.ts";
import { type Interval, wilson } from "./proportion.ts";

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

/**
 * F1 with its bounds at 95 %. Of what was to be found or was found, the share that was both, Jaccard's index J, is a
 * share like any other, and F1 = 2 J / (1 + J) grows with it: so Wilson's bounds of J are bounds of F1. Drawing samples
 * anew, as the bootstrap does, would give three samples without a mistake a lower bound of 1.
 */
export function f1Interval({ tp, fp, fn }: Hits): Interval {
  return ofJaccard(wilson(tp, tp + fp + fn));
}

/** The same of samples that come in groups. */
export function clusteredF1(groups: readonly HitGroups[]): ClusteredInterval {
  const shares = groups.map(({ tp, fp, fn, count }) => ({
    ...{ successes: tp, n: tp + fp + fn },
    ...(count !== undefined && { count }),
  }));
  const { nEffective, designEffect, ...jaccard } = clusteredShare(shares);
  return { ...ofJaccard(jaccard), nEffective, designEffect };
}

/** The share of Jaccard that gives this F1. */
export function jaccardOf(f1: number): number {
  return f1 / (2 - f1);
}

function ofJaccard({ estimate, lower, upper }: Interval): Interval {
  const f1 = (jaccard: number) => (2 * jaccard) / (1 + jaccard);
  return { estimate: f1(estimate), lower: f1(lower), upper: f1(upper) };
}

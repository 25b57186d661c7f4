// Proportions of what comes in groups: texts of one template, turns of one conversation.

import { type Interval, wilson } from "./proportion.ts";

/** Successes and observations of one group, or of each of `count` groups that are alike. */
export interface GroupShare {
  readonly successes: number;
  readonly n: number;
  readonly count?: number;
}

/** An interval that knows of groups. */
export interface ClusteredInterval extends Interval {
  /** As many independent observations as these are worth. */
  readonly nEffective: number;
  /** By how much groups widen the variance; at least 1. */
  readonly designEffect: number;
}

/**
 * The Wilson interval over the effective number of observations: n over the design effect, which is the variance of the
 * ratio between groups over that of independent observations (L. Kish, Survey Sampling, 1965, 8.2; J. N. K. Rao and A.
 * J. Scott, Biometrics 48, 1992). It is at least the design effect of groups whose members stand and fall together, the
 * sum of the squares of their sizes over n (Kish, 8.2): from some dozens of groups of unequal size the variance is
 * estimated far too small when the large ones happen to agree, and where all agree it says nothing.
 */
export function clusteredShare(groups: readonly GroupShare[]): ClusteredInterval {
  const counted = groups.filter(({ n }) => n > 0);
  const sumOf = (of: (group: GroupShare) => number) =>
    counted.reduce((sum, group) => sum + (group.count ?? 1) * of(group), 0);
  const n = sumOf((group) => group.n);
  const successes = sumOf((group) => group.successes);
  if (n === 0) return { ...wilson(0, 0), nEffective: 0, designEffect: 1 };
  const share = successes / n;
  const simple = (share * (1 - share)) / n;
  const count = sumOf(() => 1);
  const between = sumOf((group) => (group.successes - share * group.n) ** 2);
  const estimated = simple === 0 || count < 2 ? 0 : ((count / (count - 1)) * between) / n ** 2 / simple;
  const designEffect = Math.max(sumOf((group) => group.n ** 2) / n, estimated);
  const nEffective = n / designEffect;
  return { ...wilson(share * nEffective, nEffective), nEffective, designEffect };
}

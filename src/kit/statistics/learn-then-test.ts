// Learn then Test: finds a threshold whose error rate is below a bound with a stated probability, whatever the scores
// are worth. A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan, L. Lei, "Learn then Test: Calibrating Predictive
// Algorithms to Achieve Risk Control" (arXiv:2110.01052, 2021; Annals of Applied Statistics 19, 2025). Each threshold
// of a grid is a hypothesis, "its error rate is above the bound", with an exact binomial p-value. They are tested one
// after the other in an order that does not depend on the labels (fixed-sequence testing), and the first that is not
// rejected ends it: so none of the rejected ones is wrong, but with the stated probability.

import { binomialAtMost } from "./binomial.ts";

/** Thresholds that are tested: 0, 0.01 and so on up to 1. */
export const thresholdGrid: readonly number[] = Array.from({ length: 101 }, (_, at) => at / 100);

/** Scores of independent observations; -1 where nothing was found, which no threshold accepts. */
export type Scores = readonly number[];

/** What is promised, and with which probability it may fail. */
export interface RiskTarget {
  /** The bound of the error rate, above 0 and below 1. */
  readonly bound: number;
  /** The probability with which the bound may not hold. */
  readonly delta: number;
}

/** How many observations without a single error are needed to reject at all. */
export function neededObservations({ bound, delta }: RiskTarget): number {
  return Math.ceil(Math.log(delta) / Math.log1p(-bound));
}

/**
 * The laxest threshold at which at most the bound's share of innocent observations is found; undefined when there is
 * none. Tested from the strictest on, since a higher threshold finds less.
 */
export function laxestThreshold(innocent: Scores, { bound, delta }: RiskTarget): number | undefined {
  let last: number | undefined;
  for (const threshold of thresholdGrid.toReversed()) {
    if (binomialAtMost(countFound(innocent, threshold), innocent.length, bound) > delta) break;
    last = threshold;
  }
  return last;
}

/**
 * The strictest threshold at which at most the bound's share of guilty observations is missed; undefined when there is
 * none. Tested from the laxest on.
 */
export function strictestThreshold(guilty: Scores, { bound, delta }: RiskTarget): number | undefined {
  let last: number | undefined;
  for (const threshold of thresholdGrid) {
    const missed = guilty.length - countFound(guilty, threshold);
    if (binomialAtMost(missed, guilty.length, bound) > delta) break;
    last = threshold;
  }
  return last;
}

/** An observation of either kind. */
export interface LabelledScore {
  readonly score: number;
  readonly isInnocent: boolean;
}

/**
 * From where the thresholds are tested for false discoveries. Few observations reach a high threshold, so that a single
 * sequence would end where it begins; as in the paper, sequences from several fixed starts share the probability of
 * failing.
 */
const discoveryStarts: readonly number[] = [1, 0.8, 0.6, 0.4, 0.2];

/** The probability with which a sequence for false discoveries may fail. */
export function discoveryTarget({ bound, delta }: RiskTarget): RiskTarget {
  return { bound, delta: delta / discoveryStarts.length };
}

/**
 * The thresholds at which at most the bound's share of what is found is innocent, from the laxest on. Of the
 * observations that reach a threshold, whether each is innocent is a draw of its own, however many they are.
 */
export function discoveryThresholds(observations: readonly LabelledScore[], target: RiskTarget): readonly number[] {
  const { bound, delta } = discoveryTarget(target);
  const scores = observations.map(({ score }) => score);
  const innocent = observations.flatMap(({ score, isInnocent }) => (isInnocent ? [score] : []));
  const kept = new Set<number>();
  for (const start of discoveryStarts) {
    for (const threshold of thresholdGrid.filter((each) => each <= start).toReversed()) {
      const wrong = countFound(innocent, threshold);
      if (binomialAtMost(wrong, countFound(scores, threshold), bound) > delta) break;
      kept.add(threshold);
    }
  }
  return thresholdGrid.filter((threshold) => kept.has(threshold));
}

/** How many observations reach the threshold. */
export function countFound(scores: Scores, threshold: number): number {
  let count = 0;
  for (const score of scores) if (score >= threshold) count += 1;
  return count;
}

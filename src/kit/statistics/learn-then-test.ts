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

/** How many observations reach the threshold. */
export function countFound(scores: Scores, threshold: number): number {
  let count = 0;
  for (const score of scores) if (score >= threshold) count += 1;
  return count;
}

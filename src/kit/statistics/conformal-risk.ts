// Conformal risk control: finds a threshold whose error rate is below a bound on average over samples. A. N.
// Angelopoulos, S. Bates, A. Fisch, L. Lei, T. Schuster, "Conformal Risk Control" (arXiv:2208.02814, 2022; ICLR 2024),
// theorem 1, with a loss of 0 or 1. It takes fewer observations than Learn then Test, and promises less: a single
// sample may be as far off as chance will have it.

import { countFound, type Scores, thresholdGrid } from "./learn-then-test.ts";

/** How many observations without a single error are needed to accept any threshold. */
export function neededOnAverage(bound: number): number {
  return Math.ceil(1 / bound - 1 - 1e-9);
}

/**
 * The laxest threshold at which at most the bound's share of innocent observations is found, on average; undefined when
 * there is none.
 */
export function laxestOnAverage(innocent: Scores, bound: number): number | undefined {
  return thresholdGrid.find((threshold) => isKept(countFound(innocent, threshold), innocent.length, bound));
}

/** The strictest threshold at which at most the bound's share of guilty observations is missed, on average. */
export function strictestOnAverage(guilty: Scores, bound: number): number | undefined {
  return thresholdGrid.findLast((threshold) =>
    isKept(guilty.length - countFound(guilty, threshold), guilty.length, bound),
  );
}

// The next observation may be wrong: it counts as one error more.
function isKept(errors: number, observations: number, bound: number): boolean {
  return errors + 1 <= bound * (observations + 1) * (1 + 1e-12);
}

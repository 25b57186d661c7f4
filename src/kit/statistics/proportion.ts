// Intervals of proportions.

/** A proportion with its bounds. */
export interface Interval {
  readonly estimate: number;
  readonly lower: number;
  readonly upper: number;
}

/** The 97.5 % quantile of the normal distribution, for two-sided 95 %. */
export const z95 = 1.959963984540054;

/**
 * The Wilson score interval of `successes` in `n`, without a correction for continuity. E. B. Wilson, "Probable
 * Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927), 209-212. Neither number has to be
 * whole: with weights, `n` is the effective number. Without observations it is everything.
 */
export function wilson(successes: number, n: number, z = z95): Interval {
  if (n <= 0) return { estimate: Number.NaN, lower: 0, upper: 1 };
  const share = successes / n;
  const z2 = z * z;
  const middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = (z / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return {
    estimate: share,
    lower: successes <= 0 ? 0 : Math.max(0, middle - half),
    upper: successes >= n ? 1 : Math.min(1, middle + half),
  };
}

/** One observation, and with which probability it was drawn. */
export interface Drawn {
  readonly isSuccess: boolean;
  readonly probability: number;
}

/**
 * The share of successes among what was drawn from, with a Wilson interval over the effective number of observations.
 * The estimate is Hájek's ratio, each observation weighed by one over its probability ("Comment on a paper by D. Basu",
 * 1971); the effective number is Kish's, (Σw)² / Σw² (Survey Sampling, 1965, 8.2). With equal probabilities it is the
 * plain interval.
 */
export function weightedShare(drawn: readonly Drawn[]): Interval & { readonly nEffective: number } {
  let weights = 0;
  let squares = 0;
  let successes = 0;
  for (const { isSuccess, probability } of drawn) {
    const weight = 1 / probability;
    weights += weight;
    squares += weight * weight;
    if (isSuccess) successes += weight;
  }
  const nEffective = squares === 0 ? 0 : (weights * weights) / squares;
  const share = weights === 0 ? 0 : successes / weights;
  return { ...wilson(share * nEffective, nEffective), nEffective };
}

// What a sample says about all traces.
//
// The bounds of one share are Wilson's score interval (Wilson 1927; Brown, Cai and DasGupta 2001, section 3.1.1), whose
// effective sample size grows as the sample exhausts the population, so that a count of everything has no uncertainty.
// The bounds of a sum over strata combine those of its parts by the method of variance estimates recovery (Zou and
// Donner 2008), which is Wilson's interval again where there is one part. They are about the traces of the window and
// not about future traffic: traces are drawn by hash one by one, so that conversations in them make no difference.

import { wilson } from "../../kit/statistics/proportion.ts";

/** A count in the sample of one stratum. */
export interface StratumCount {
  /** Traces of the stratum in all, and those that were judged. */
  readonly population: number;
  readonly sampled: number;
  /** Judged traces that are counted surely, and those that may be as well. */
  readonly traces: number;
  readonly possible: number;
}

/** An estimated count with its bounds. */
export interface CountEstimate {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** The number of all traces like those counted. */
export function estimateOf(strata: readonly StratumCount[]): CountEstimate {
  let estimate = 0;
  let most = 0;
  let below = 0;
  let above = 0;
  for (const { population, sampled, traces, possible } of strata) {
    const share = sampled === 0 ? 0 : traces / sampled;
    const possibleShare = sampled === 0 ? 1 : (traces + possible) / sampled;
    const { low } = boundsOf(share, sampled, population);
    const { high } = boundsOf(possibleShare, sampled, population);
    estimate += population * share;
    most += population * possibleShare;
    below += (population * (share - low)) ** 2;
    above += (population * (high - possibleShare)) ** 2;
  }
  return {
    estimate: rounded(estimate),
    low: rounded(Math.max(estimate - Math.sqrt(below), 0)),
    high: rounded(most + Math.sqrt(above)),
  };
}

function boundsOf(share: number, sampled: number, population: number) {
  if (population === 0 || sampled >= population) return { low: share, high: share };
  if (sampled === 0) return { low: 0, high: 1 };
  const effective = (sampled * (population - 1)) / (population - sampled);
  const { lower, upper } = wilson(share * effective, effective);
  return { low: lower, high: upper };
}

// A tenth of a trace is more than the bounds can tell.
function rounded(count: number): number {
  return Math.round(count * 10) / 10;
}

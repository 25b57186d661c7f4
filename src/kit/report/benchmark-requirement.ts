// What is required of a benchmark. A requirement is held against the wider bound, so that luck does not pass.

import type { Benchmark, BenchmarkInterval } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { percent, type Requirement, widest } from "./benchmark-facts.ts";

/** What may be required. */
export interface WantedRequirements {
  readonly minRecall: number | undefined;
  readonly maxFalsePositiveRate: number | undefined;
}

/** Judges a benchmark by what is required. */
export function judgeRequirements(
  { report }: Benchmark,
  { minRecall, maxFalsePositiveRate }: WantedRequirements,
): readonly Requirement[] {
  const { recall, falsePositiveRate } = report?.overall ?? {};
  return [
    ...(minRecall === undefined ? [] : [recallOf(minRecall, recall)]),
    ...(maxFalsePositiveRate === undefined ? [] : [rateOf(maxFalsePositiveRate, falsePositiveRate)]),
  ];
}

/** A requirement that is not met, for people. */
export function unmetText({ text, why }: Requirement): string {
  return `${text}: ${why}`;
}

function recallOf(least: number, interval: BenchmarkInterval | undefined): Requirement {
  const lower = interval && widest(interval).lower;
  return {
    ...{ text: `recall of at least ${percent(least)}`, against: ["fn", "missing"] },
    isMet: lower !== undefined && lower >= least,
    why: lower === undefined ? "nothing was to be found" : `its lower bound is ${percent(lower)}`,
  };
}

function rateOf(most: number, interval: BenchmarkInterval | undefined): Requirement {
  const upper = interval && widest(interval).upper;
  return {
    ...{ text: `false positive rate of at most ${percent(most)}`, against: ["fp", "missing"] },
    isMet: upper !== undefined && upper <= most,
    why: upper === undefined ? "everything was to be found" : `its upper bound is ${percent(upper)}`,
  };
}

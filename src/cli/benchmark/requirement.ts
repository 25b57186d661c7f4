// What CI requires of a benchmark. A requirement is held against the wider bound, so that luck does not pass.

import type { Benchmark, BenchmarkInterval } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { type Options, shareOf, type Values } from "../command.ts";
import { percent, widest } from "./benchmark.ts";

/** Options that require something. */
export const requirementOptions = {
  "min-recall": { type: "string", value: "SHARE", help: "Fails when the lower bound of recall is below, such as 0.9." },
  "max-fpr": {
    type: "string",
    value: "SHARE",
    help: "Fails when the upper bound of the false positive rate is above, such as 0.01.",
  },
} as const satisfies Options;

/** A requirement, and whether a benchmark meets it. */
export interface Requirement {
  readonly text: string;
  /** How results differ that speak against it. */
  readonly against: readonly ("fn" | "fp" | "missing")[];
  readonly isMet: boolean;
  /** What the benchmark has shown instead. */
  readonly why: string;
}

/** Judges a benchmark by what is required. */
export type Requirements = (benchmark: Benchmark) => readonly Requirement[];

/** What the options require. */
export function requirementsOf(values: Values<typeof requirementOptions>): Requirements {
  const minRecall = shareOf(values["min-recall"], "min-recall");
  const maxRate = shareOf(values["max-fpr"], "max-fpr");
  return ({ report }) => {
    const { recall, falsePositiveRate } = report?.overall ?? {};
    return [
      ...(minRecall === undefined ? [] : [recallOf(minRecall, recall)]),
      ...(maxRate === undefined ? [] : [rateOf(maxRate, falsePositiveRate)]),
    ];
  };
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

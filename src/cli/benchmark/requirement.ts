// What CI requires of a benchmark.

import type { Benchmark } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import type { Requirement } from "../../kit/report/benchmark-facts.ts";
import { judgeRequirements } from "../../kit/report/benchmark-requirement.ts";
import { type Options, shareOf, type Values } from "../command.ts";

/** Options that require something. */
export const requirementOptions = {
  "min-recall": { type: "string", value: "SHARE", help: "Fails when the lower bound of recall is below, such as 0.9." },
  "max-fpr": {
    type: "string",
    value: "SHARE",
    help: "Fails when the upper bound of the false positive rate is above, such as 0.01.",
  },
} as const satisfies Options;

/** Judges a benchmark by what is required. */
export type Requirements = (benchmark: Benchmark) => readonly Requirement[];

/** What the options require. */
export function requirementsOf(values: Values<typeof requirementOptions>): Requirements {
  const wanted = {
    minRecall: shareOf(values["min-recall"], "min-recall"),
    maxFalsePositiveRate: shareOf(values["max-fpr"], "max-fpr"),
  };
  return (benchmark) => judgeRequirements(benchmark, wanted);
}

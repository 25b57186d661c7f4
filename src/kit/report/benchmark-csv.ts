// A benchmark as CSV: a line for all samples, and one for each part of them.

import type { BenchmarkInterval, BenchmarkMetrics } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { csvLine } from "../archive/csv.ts";
import { type ReportFacts, widest } from "./benchmark-facts.ts";

const counts = [
  ...["samples", "positives", "negatives", "tp", "fp", "tn", "fn", "missing", "unjudged", "unscored"],
] as const satisfies readonly (keyof BenchmarkMetrics)[];
const shares = {
  recall: "recall",
  false_positive_rate: "falsePositiveRate",
  precision: "precision",
  f1: "f1",
} as const;

/** The report of a benchmark. The bounds are the wider ones. */
export function benchmarkCsv({ benchmark: { report } }: ReportFacts): string {
  const bounds = Object.keys(shares).flatMap((name) => [name, `${name}_lower`, `${name}_upper`]);
  const parts = [{ by: "all", value: "", metrics: report?.overall }, ...(report?.slices ?? [])];
  const lines = parts.map(({ by, value, metrics }) =>
    csvLine([
      ...[by, value.toWellFormed()],
      ...counts.map((name) => String(metrics?.[name] ?? 0)),
      ...Object.values(shares).flatMap((name) => cellsOf(metrics?.[name])),
    ]),
  );
  return csvLine(["by", "value", ...counts, ...bounds]) + lines.join("");
}

/** The estimate and its bounds; empty where there is none. */
function cellsOf(interval: BenchmarkInterval | undefined): string[] {
  if (interval === undefined) return ["", "", ""];
  const { lower, upper } = widest(interval);
  return [interval.estimate, lower, upper].map(String);
}

// Benchmarks of the same samples beside each other: the first is what is required of, and the others are compared with
// it sample by sample.

import type { JsonObject } from "@bufbuild/protobuf";
import {
  type Benchmark,
  type BenchmarkComparison,
  BenchmarkComparisonSchema,
  BenchmarkSchema,
} from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { intervalText, type SideRow } from "../../kit/report/benchmark-facts.ts";
import { columns, counted, type Output, shown } from "../output.ts";
import { resourceJson } from "../resource-json.ts";
import type { Seat } from "./judge-samples.ts";

/** A benchmark of a judge. */
export interface JudgedBenchmark {
  readonly seat: Seat;
  /** With its report. */
  readonly benchmark: Benchmark;
  /** What it does better or worse than the first; undefined for the first itself. */
  readonly comparison: BenchmarkComparison | undefined;
}

/** All of them, in words; the first is what they are compared with. */
export function sideRows(
  first: { readonly name: string; readonly benchmark: Benchmark },
  judged: readonly JudgedBenchmark[],
): SideRow[] {
  const others = judged.filter(({ comparison }) => comparison !== undefined);
  return [
    rowOf(first.name, first.benchmark, undefined),
    ...others.map(({ seat, benchmark, comparison }) => rowOf(seat.judge.key, benchmark, comparison)),
  ];
}

function rowOf(name: string, { report }: Benchmark, comparison: BenchmarkComparison | undefined): SideRow {
  const { recall, falsePositiveRate, missing = 0 } = report?.overall ?? {};
  const { onlyRight = 0, onlyWrong = 0, p = 1 } = comparison?.overall ?? {};
  const luck = Math.max(p, comparison?.groupP ?? 0).toPrecision(3);
  return {
    ...{ name, recall: intervalText(recall), falsePositiveRate: intervalText(falsePositiveRate) },
    missing: String(missing),
    compared: comparison === undefined ? "-" : `+${onlyRight} -${onlyWrong}, p ${luck}`,
  };
}

/** Prints them, and what judges did not answer. */
export function printSides(rows: readonly SideRow[], judged: readonly JudgedBenchmark[], output: Output): void {
  const [first] = rows;
  const head = ["", "recall", "false positive rate", "not judged", `right and wrong where ${first?.name ?? ""} is not`];
  const lines = columns([
    head,
    ...rows.map(({ name, recall, falsePositiveRate, missing, compared }) => [
      ...[name, recall, falsePositiveRate, missing, compared],
    ]),
  ]);
  for (const line of lines) output.line(shown(line));
  for (const { seat } of judged) for (const line of unansweredLines(seat)) output.line(shown(line));
}

/** What a judge did not answer, in words. */
export function unansweredLines({ judge, answered, unanswered, firstProblem }: Seat): string[] {
  if (unanswered.size === 0) return [];
  const count = [...unanswered.values()].reduce((sum, each) => sum + each, 0);
  const reasons = [...unanswered].map(([why, times]) => `${why} ${times}`).join(", ");
  const first = firstProblem === undefined ? "" : `; the first: ${firstProblem}`;
  return [`${judge.key} gave no answer to ${counted(count, "sample")} of ${count + answered}: ${reasons}${first}`];
}

/** A judge for programs. */
export function judgedJson({ seat, benchmark, comparison }: JudgedBenchmark): JsonObject {
  return {
    ...{ judge: seat.judge.key, answered: seat.answered, unanswered: Object.fromEntries(seat.unanswered) },
    benchmark: resourceJson(BenchmarkSchema, benchmark),
    comparison: comparison === undefined ? null : resourceJson(BenchmarkComparisonSchema, comparison),
  };
}

// What the reports of a benchmark for CI and for people say. Nothing in them depends on when or by whom it was
// measured, so that equal inputs give equal bytes.

import {
  type Benchmark,
  BenchmarkMismatch,
  type BenchmarkResult,
  type BenchmarkTarget,
} from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import type { Requirement } from "../benchmark/requirement.ts";
import type { SideRow } from "../benchmark/side-by-side.ts";
import type { Organization } from "../server.ts";

/** The most results that a report lists. */
export const maxListed = 500;
const pageSize = 200;

/** How a result is wrong. */
export type Wrong = "fn" | "fp" | "missing";

/** A result that is wrong. */
export interface WrongResult {
  readonly wrong: Wrong;
  readonly result: BenchmarkResult;
}

/** What a report is made of. */
export interface ReportFacts {
  readonly benchmark: Benchmark;
  /** Name of the dataset. */
  readonly dataset: string;
  readonly requirements: readonly Requirement[];
  /** The first of them, by kind and sample. */
  readonly wrong: readonly WrongResult[];
  /** Those that are not listed. */
  readonly omitted: number;
  /** The benchmark beside judges; empty when there are none. */
  readonly sides: readonly SideRow[];
}

const mismatches = {
  fn: BenchmarkMismatch.FN,
  fp: BenchmarkMismatch.FP,
  missing: BenchmarkMismatch.MISSING,
} as const;

/** Reads what a report says. */
export async function readReportFacts(
  { benchmarks, datasets, orgId }: Organization,
  benchmark: Benchmark,
  requirements: readonly Requirement[],
  sides: readonly SideRow[],
): Promise<ReportFacts> {
  const { id: benchmarkId, datasetId, report } = benchmark;
  const { dataset } = await datasets.getDataset({ orgId, datasetId });
  const wrong: WrongResult[] = [];
  for (const kind of ["fn", "fp", "missing"] as const) {
    for (let offset = 0; wrong.length < maxListed; offset += pageSize) {
      const limit = Math.min(pageSize, maxListed - wrong.length);
      const { results } = await benchmarks.listBenchmarkResults({
        ...{ orgId, benchmarkId, offset, limit, mismatch: mismatches[kind] },
      });
      wrong.push(...results.map((result) => ({ wrong: kind, result })));
      if (results.length < limit) break;
    }
  }
  const { fn = 0, fp = 0, missing = 0 } = report?.overall ?? {};
  const omitted = Math.max(0, fn + fp + missing - wrong.length);
  return { benchmark, dataset: dataset?.name ?? datasetId, requirements, wrong, omitted, sides };
}

/** Where a sample is: "support@3#0199…". */
export function placeOf({ dataset, benchmark: { version } }: ReportFacts, { sampleId }: BenchmarkResult): string {
  return `${dataset}@${version}#${sampleId}`;
}

/** What was measured, for people. */
export function targetText({ policy, bundle, detector, predictions }: Partial<BenchmarkTarget> = {}): string {
  if (policy !== undefined) return `policy ${policy.policyId}@${policy.version ?? ""}`;
  if (bundle !== undefined) return `bundle ${bundle.projectId}/${bundle.environment}@${bundle.version ?? ""}`;
  if (detector !== undefined) return `detector ${detector.use}`;
  if (predictions === undefined) return "a document";
  return `predictions of ${predictions.name}${predictions.version === undefined ? "" : `@${predictions.version}`}`;
}

/** How a result is wrong, for people. */
export function wrongText({ wrong, result }: WrongResult): string {
  const labels = result.labels.join(", ");
  if (wrong === "fn") return `missed${labels === "" ? "" : `: ${labels}`}`;
  if (wrong === "missing") return `not judged: ${result.why ?? "no answer"}`;
  const found = [...result.foundLabels, ...result.rules].join(", ");
  return `found wrongly${found === "" ? "" : `: ${found}`}`;
}

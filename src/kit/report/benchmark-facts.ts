// What the reports of a benchmark for CI and for people say. Nothing in them depends on when or by whom it was
// measured, so that equal inputs give equal bytes.

import type {
  Benchmark,
  BenchmarkInterval,
  BenchmarkResult,
  BenchmarkTarget,
} from "../../../gen/policyguard/control/v1/benchmark_pb.ts";

/** The most results that a report lists. */
export const maxListed = 500;

/** How results are wrong, in the order of a report. */
export const wrongKinds = ["fn", "fp", "missing"] as const;

/** How a result is wrong. */
export type Wrong = (typeof wrongKinds)[number];

/** A result that is wrong. */
export interface WrongResult {
  readonly wrong: Wrong;
  readonly result: BenchmarkResult;
}

/** A requirement, and whether a benchmark meets it. */
export interface Requirement {
  readonly text: string;
  /** How results differ that speak against it. */
  readonly against: readonly Wrong[];
  readonly isMet: boolean;
  /** What the benchmark has shown instead. */
  readonly why: string;
}

/** One of those that stand side by side, in words. */
export interface SideRow {
  readonly name: string;
  readonly recall: string;
  readonly falsePositiveRate: string;
  readonly missing: string;
  /** Compared with the first: newly right, newly wrong, p. */
  readonly compared: string;
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

/** How many wrong results a benchmark has beside those that are listed. */
export function omittedBeside({ report }: Benchmark, listed: number): number {
  const { fn = 0, fp = 0, missing = 0 } = report?.overall ?? {};
  return Math.max(0, fn + fp + missing - listed);
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

/** An interval with its wider bounds. */
export function intervalText(interval: BenchmarkInterval | undefined): string {
  if (interval === undefined) return "-";
  const { estimate } = interval;
  const { lower, upper } = widest(interval);
  return `${percent(estimate)} (${percent(lower)} to ${percent(upper)})`;
}

/** The wider bounds of an interval. */
export function widest({ lower, upper, grouped }: BenchmarkInterval): {
  readonly lower: number;
  readonly upper: number;
} {
  return { lower: Math.min(lower, grouped?.lower ?? lower), upper: Math.max(upper, grouped?.upper ?? upper) };
}

/** A share for people. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

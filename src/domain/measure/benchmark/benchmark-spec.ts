// What a benchmark is to do, and what has come of it, as its run keeps both.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ComparedBaseline } from "../../analysis/benchmark/compare-samples.ts";
import type { Measured } from "../../analysis/benchmark/measure-samples.ts";
import type { PositiveRule } from "../../analysis/benchmark/prediction.ts";
import type { Slice } from "../../analysis/benchmark/sample-fact.ts";
import type { NamedContent } from "../../playground/selection.ts";

/** What is measured, with versions that do not change anymore. */
export type BenchmarkSubject =
  | { readonly policy: { readonly policyId: string; readonly version: number } }
  | { readonly document: JsonValue }
  | { readonly bundle: NamedContent }
  | { readonly predictions: { readonly name: string; readonly version: string | null } }
  | { readonly detector: { readonly use: string; readonly parameters: JsonObject } };

/** Which samples are measured. */
export interface BenchmarkFilter {
  readonly split?: string | undefined;
  readonly label?: string | undefined;
  readonly stage?: string | undefined;
  readonly language?: string | undefined;
  readonly tag?: string | undefined;
}

/** Where the measured policies apply. */
export interface BenchmarkScope {
  readonly projectId?: string | undefined;
  readonly environment?: string | undefined;
  readonly agentId?: string | undefined;
}

/** All that the results depend on. */
export interface BenchmarkInputs {
  readonly datasetDigest: string;
  readonly erasureRevision: number;
  readonly contentDigest: string;
  readonly engine: string;
  readonly node: string;
  readonly models: readonly string[];
  readonly asOf: string;
}

/** What a run is to do. */
export interface BenchmarkSpec {
  readonly datasetId: string;
  readonly version: number;
  readonly subject: BenchmarkSubject;
  readonly filter: BenchmarkFilter;
  readonly positive: PositiveRule;
  readonly seed: number;
  readonly sweep: boolean;
  readonly scope: BenchmarkScope;
  readonly inputs: BenchmarkInputs;
  /** The benchmark that it is compared with at its end. */
  readonly baselineRunId?: string | undefined;
  /** Slices of which a gate asks something: they are measured however small they are. */
  readonly slices?: readonly Slice[];
}

/** What has come of a run so far; `measured` at its end. */
export interface BenchmarkProgress {
  readonly trainingOverlap: number;
  readonly measured: Measured | null;
  /** How it differs from its baseline; null when the results of that are gone. */
  readonly baseline?: ComparedBaseline | null;
  /** Slices of the spec by rules and detectors that the target does not have. */
  readonly unknownSlices?: readonly Slice[];
}

/** The spec of a benchmark's run. */
export function benchmarkSpecOf(spec: JsonObject): BenchmarkSpec {
  return spec as unknown as BenchmarkSpec; // written by Benchmarks.create()
}

/** The progress in the report of a benchmark's run. */
export function benchmarkProgressOf(report: JsonObject | undefined): BenchmarkProgress {
  if (report !== undefined) return report as unknown as BenchmarkProgress; // written by BenchmarkRun
  return { trainingOverlap: 0, measured: null };
}

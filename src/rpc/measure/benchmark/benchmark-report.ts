import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  BenchmarkComparisonSchema,
  BenchmarkIntervalSchema,
  BenchmarkMetricsSchema,
  BenchmarkReportSchema,
  BenchmarkSpansSchema,
} from "../../../../gen/policyguard/control/v1/benchmark_pb.ts";
import type { Benchmark, BenchmarkComparison } from "../../../domain/measure/benchmark/benchmark.ts";

type Measured = NonNullable<Benchmark["progress"]["measured"]>;
type Metrics = Measured["overall"];

/** How two benchmarks differ, in the API's form. */
export function comparisonMessage({
  benchmarkId,
  with: other,
  compared,
}: BenchmarkComparison): MessageInitShape<typeof BenchmarkComparisonSchema> {
  const { overall, slices, newlyWrong, newlyRight, ...rest } = compared;
  return {
    ...{ ...rest, benchmarkId, with: other, overall: stated(overall) },
    ...{ newlyWrong: [...newlyWrong], newlyRight: [...newlyRight] },
    slices: slices.map(({ by, value, adjustedP, ...difference }) => ({
      ...{ by, value, adjustedP, difference: stated(difference) },
    })),
  };
}

/** What has come of a benchmark, in the API's form. */
export function reportMessage(
  { overall, slices, slicesOmitted, sweep, floors, latencyUs, resultDigest, labelFit }: Measured,
  trainingOverlap: number,
): MessageInitShape<typeof BenchmarkReportSchema> {
  return {
    overall: metricsMessage(overall),
    slices: slices.map(({ by, value, metrics }) => ({ by, value, metrics: metricsMessage(metrics) })),
    ...{ slicesOmitted, resultDigest, trainingOverlap, latency: latencyUs ?? undefined },
    sweep: sweep.map(stated),
    floors: floors.map(stated),
    unmappedLabels: Object.fromEntries((labelFit?.unmapped ?? []).map(({ label, samples }) => [label, samples])),
    unusedLabels: [...(labelFit?.unused ?? [])],
  };
}

function metricsMessage(metrics: Metrics): MessageInitShape<typeof BenchmarkMetricsSchema> {
  const { precision, recall, falsePositiveRate, f1, spanExact, spanHalf, ...rest } = metrics;
  return {
    ...stated(rest),
    ...{ precision: intervalMessage(precision), recall: intervalMessage(recall) },
    ...{ falsePositiveRate: intervalMessage(falsePositiveRate), f1: intervalMessage(f1) },
    ...{ spanExact: spansMessage(spanExact), spanHalf: spansMessage(spanHalf) },
  };
}

function intervalMessage(interval: Metrics["recall"]): MessageInitShape<typeof BenchmarkIntervalSchema> | undefined {
  if (interval === null) return undefined;
  const { grouped, ...bounds } = interval;
  return { ...bounds, grouped: grouped === null ? undefined : stated(grouped) };
}

function spansMessage(spans: Metrics["spanExact"]): MessageInitShape<typeof BenchmarkSpansSchema> | undefined {
  return spans === null ? undefined : stated(spans);
}

type Stated<T> = { [Name in keyof T]: null extends T[Name] ? Exclude<T[Name], null> | undefined : T[Name] };

/** The same without what is null: fields that are not set. */
function stated<T extends object>(values: T): Stated<T> {
  const entries = Object.entries(values).map(([name, value]) => [name, value ?? undefined]);
  return Object.fromEntries(entries) as Stated<T>; // the same names
}

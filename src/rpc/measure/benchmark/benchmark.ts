import { create, fromJson, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type BenchmarkFilter,
  type BenchmarkFilterSchema,
  BenchmarkMismatch,
  type BenchmarkPositive,
  type BenchmarkReport,
  BenchmarkResultSchema,
  BenchmarkSchema,
  type BenchmarkScope,
  type BenchmarkTarget,
  type BenchmarkTargetSchema,
  BenchmarkVerdict,
} from "../../../../gen/policyguard/control/v1/benchmark_pb.ts";
import type {
  BenchmarkService,
  UploadPredictionsRequest,
} from "../../../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { DatasetSplit } from "../../../../gen/policyguard/control/v1/dataset_pb.ts";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type {
  Benchmark,
  BenchmarkResult,
  Benchmarks,
  NewBenchmark,
} from "../../../domain/measure/benchmark/benchmark.ts";
import type { PredictionUpload, PredictionUploads } from "../../../domain/measure/benchmark/prediction-upload.ts";
import {
  nameOfOutcome,
  nameOfSplit,
  nameOfStage,
  outcomeOfName,
  splitOfName,
  stageOfName,
} from "../../../domain/measure/dataset/sample-name.ts";
import { validationFailed } from "../../../kit/fault/fault.ts";
import { maxListed, omittedBeside, wrongKinds } from "../../../kit/report/benchmark-facts.ts";
import { isReportFormat, renderReport } from "../../../kit/report/benchmark-format.ts";
import { judgeRequirements } from "../../../kit/report/benchmark-requirement.ts";
import { callerOf } from "../../../kit/rpc/context.ts";
import { pageOf } from "../../../kit/rpc/page.ts";
import { documentOf } from "../../document.ts";
import { runFields } from "../../run.ts";
import { comparisonMessage, reportMessage } from "./benchmark-report.ts";

/** Writes the report of a benchmark as the JSON of the API. */
export type ReportWriter = (report: BenchmarkReport) => JsonValue;

/** Handlers of BenchmarkService. `writeReport` writes reports as REST does. */
export function benchmarkHandlers(
  benchmarks: Benchmarks,
  uploads: PredictionUploads,
  writeReport: ReportWriter,
): ServiceImpl<typeof BenchmarkService> {
  return {
    async *getBenchmarkReport({ benchmarkId, format = "json", ...required }, context) {
      const isListed = format === "junit" || format === "sarif" || format === "markdown";
      const wanted = { kinds: isListed ? wrongKinds : [], limit: maxListed };
      const found = await benchmarks.report(callerOf(context), benchmarkId, wanted);
      const benchmark = create(BenchmarkSchema, benchmarkMessage(found.benchmark));
      const wrong = found.wrong.flatMap(({ mismatch, result }) => {
        const kind = wrongKinds.find((each) => each === mismatch);
        return kind === undefined
          ? []
          : [{ wrong: kind, result: create(BenchmarkResultSchema, resultMessage(result)) }];
      });
      const requirements = judgeRequirements(benchmark, {
        minRecall: required.minRecall,
        maxFalsePositiveRate: required.maxFalsePositiveRate,
      });
      const facts = { benchmark, dataset: found.dataset, requirements, wrong, sides: [] };
      const text = isReportFormat(format)
        ? renderReport(format, { ...facts, omitted: omittedBeside(benchmark, wrong.length) })
        : `${JSON.stringify(benchmark.report && writeReport(benchmark.report))}\n`;
      yield { contentType: contentTypes[format] ?? "application/json", data: Buffer.from(text) };
    },
    createBenchmark: async ({ target, filter, positive, scope, asOf, ...request }, context) => {
      const input: NewBenchmark = {
        ...{ datasetId: request.datasetId.toLowerCase(), version: request.version, target: targetOf(target) },
        ...{ filter: filterOf(filter), positive: positiveOf(positive, request.labelMap), scope: scopeOf(scope) },
        ...{ seed: request.seed ?? 0, sweep: request.sweep, asOf: asOf && timestampDate(asOf) },
      };
      return { benchmark: benchmarkMessage(await benchmarks.create(callerOf(context), input, context.signal)) };
    },
    listBenchmarks: async (request, context) => {
      const page = pageOf(request);
      const [found, total] = await benchmarks.list(callerOf(context), page);
      const shown = found.map((each) => ({ ...benchmarkMessage(each), report: undefined }));
      return { total, ...page, benchmarks: shown };
    },
    getBenchmark: async ({ benchmarkId }, context) => ({
      benchmark: benchmarkMessage(await benchmarks.get(callerOf(context), benchmarkId)),
    }),
    listBenchmarkResults: async ({ benchmarkId, mismatch, verdict, withGroups = false, ...request }, context) => {
      const page = pageOf(request);
      const { rules, withoutRules = false } = request;
      if (rules.length > 0 && withoutRules)
        throw validationFailed([{ field: "without_rules", message: "goes without rules: leave one of the two out" }]);
      const found = await benchmarks.results(callerOf(context), benchmarkId, {
        ...{ ...page, mismatch: mismatches[mismatch], verdict: verdictName(verdict), withGroups },
        rules: rules.length > 0 || withoutRules ? rules : undefined,
      });
      return { ...found, ...page, results: found.results.map(resultMessage), groups: [...found.groups] };
    },
    cancelBenchmark: async ({ benchmarkId }, context) => ({
      benchmark: benchmarkMessage(await benchmarks.cancel(callerOf(context), benchmarkId)),
    }),
    compareBenchmarks: async ({ benchmarkId, with: other, commonSamples = false }, context) => {
      const wanted = { with: other?.toLowerCase(), commonSamples };
      const compared = await benchmarks.compare(callerOf(context), benchmarkId, wanted, context.signal);
      return { comparison: comparisonMessage(compared) };
    },
    approveBenchmark: async ({ benchmarkId }, context) => ({
      benchmark: benchmarkMessage(await benchmarks.approve(callerOf(context), benchmarkId)),
    }),
    uploadPredictions: async (requests, context) => {
      const { benchmark, problems, missing, ...tally } = await uploadPredictions(uploads, requests, context);
      const errors = problems.map(({ sampleId, ...problem }) => ({ ...problem, sampleId: sampleId ?? undefined }));
      const unsaid = { missing: missing?.count, missingSampleIds: [...(missing?.ids ?? [])] };
      return { ...tally, errors, ...unsaid, benchmark: benchmarkMessage(benchmark) };
    },
    deleteBenchmark: async ({ benchmarkId }, context) => {
      await benchmarks.delete(callerOf(context), benchmarkId);
      return {};
    },
  };
}

// The first message says which benchmark; each further one has the next bytes of the file.
async function uploadPredictions(
  uploads: PredictionUploads,
  requests: AsyncIterable<UploadPredictionsRequest>,
  context: HandlerContext,
): Promise<PredictionUpload> {
  const iterator = requests[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true)
    throw validationFailed([{ field: "benchmark_id", message: "no message names the benchmark" }]);
  const { benchmarkId, final = false } = first.value;
  const file = async function* () {
    if (first.value.file !== undefined) yield first.value.file.data;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      if (next.value.file !== undefined) yield next.value.file.data;
    }
  };
  const how = { file: file(), isFinal: final, signal: context.signal };
  return uploads.upload(callerOf(context), benchmarkId.toLowerCase(), how);
}

const contentTypes: Readonly<Record<string, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  junit: "application/xml",
  markdown: "text/markdown; charset=utf-8",
  sarif: "application/sarif+json",
};

const mismatches: Readonly<Partial<Record<BenchmarkMismatch, "fp" | "fn" | "span" | "missing">>> = {
  [BenchmarkMismatch.FP]: "fp",
  [BenchmarkMismatch.FN]: "fn",
  [BenchmarkMismatch.SPAN]: "span",
  [BenchmarkMismatch.MISSING]: "missing",
};

function targetOf(target: BenchmarkTarget | undefined): NewBenchmark["target"] {
  const { policy, document, bundle, detector, predictions } = target ?? {};
  return {
    ...{ policy, bundle, document: document && documentOf(document) },
    predictions: predictions && { name: predictions.name, version: predictions.version ?? null },
    detector: detector && { use: detector.use, parameters: detector.parameters ?? {} },
  };
}

/** The filter of a request. */
export function filterOf(filter: BenchmarkFilter | undefined): NewBenchmark["filter"] {
  if (filter === undefined) return {};
  const { split = DatasetSplit.UNSPECIFIED, label, stage = Stage.UNSPECIFIED, language, tag } = filter;
  return { split: nameOfSplit(split), label, stage: nameOfStage(stage), language, tag };
}

/** What is to be found, of a request. */
export function positiveOf(
  { labels, outcomeAtLeast }: Partial<BenchmarkPositive> = {},
  labelMap: Readonly<Record<string, string>>,
): NewBenchmark["positive"] {
  const usual = labels === undefined || labels.length === 0 ? "BLOCK" : "FLAG";
  const stated = outcomeAtLeast === undefined ? undefined : nameOfOutcome(outcomeAtLeast);
  return { labels: labels ?? [], outcomeAtLeast: stated ?? usual, labelMap: { ...labelMap } };
}

function scopeOf({ projectId, environment, agentId }: Partial<BenchmarkScope> = {}): NewBenchmark["scope"] {
  return { projectId, environment, agentId };
}

/** A benchmark in the API's form. */
export function benchmarkMessage({
  run,
  spec,
  progress,
  resultsUntil,
  approval,
}: Benchmark): MessageInitShape<typeof BenchmarkSchema> {
  const { datasetId, version, subject, filter, positive, seed, scope, inputs } = spec;
  const { labelMap } = positive;
  return {
    ...runFields(run),
    ...{ datasetId, version, target: targetMessage(subject), seed, scope, labelMap: { ...labelMap } },
    filter: filterMessage(filter),
    positive: positiveMessage(positive),
    inputs: { ...inputs, models: [...inputs.models], asOf: timestampFromDate(new Date(inputs.asOf)) },
    resultsUntil: timestampFromDate(resultsUntil),
    approval: approval === null ? undefined : approvalMessage(approval),
    report: progress.measured === null ? undefined : reportMessage(progress.measured, progress.trainingOverlap),
  };
}

/** A filter in the API's form. */
export function filterMessage(
  filter: Benchmark["spec"]["filter"],
): Exclude<MessageInitShape<typeof BenchmarkFilterSchema>, BenchmarkFilter> {
  return {
    ...{ label: filter.label, language: filter.language, tag: filter.tag },
    split: splitOfName(filter.split ?? null),
    ...(filter.stage !== undefined && { stage: stageOfName(filter.stage) }),
  };
}

/** What is to be found, in the API's form. */
export function positiveMessage({ labels, outcomeAtLeast }: Benchmark["spec"]["positive"]) {
  return { labels: [...labels], outcomeAtLeast: outcomeOfName(outcomeAtLeast) };
}

function approvalMessage({ projectId, environment, approvedBy, approvedAt }: NonNullable<Benchmark["approval"]>) {
  return { projectId, environment, approvedBy, approvedAt: timestampFromDate(approvedAt) };
}

function targetMessage(subject: Benchmark["spec"]["subject"]): MessageInitShape<typeof BenchmarkTargetSchema> {
  if ("predictions" in subject) {
    const { name, version } = subject.predictions;
    return { predictions: { name, version: version ?? undefined } };
  }
  if (!("document" in subject)) return { ...subject };
  return { document: fromJson(ValueSchema, subject.document) };
}

const verdicts: Readonly<Record<string, BenchmarkVerdict>> = {
  ...{ tp: BenchmarkVerdict.TP, fp: BenchmarkVerdict.FP, tn: BenchmarkVerdict.TN, fn: BenchmarkVerdict.FN },
  ...{ missing: BenchmarkVerdict.MISSING, unscored: BenchmarkVerdict.UNSCORED },
};

function verdictName(wanted: BenchmarkVerdict): string | undefined {
  return Object.keys(verdicts).find((name) => verdicts[name] === wanted);
}

function resultMessage({ verdict, fact }: BenchmarkResult): MessageInitShape<typeof BenchmarkResultSchema> {
  return {
    ...{ sampleId: fact.id, verdict: verdicts[verdict], outcome: outcomeOfName(fact.outcome) },
    ...{ score: fact.score ?? undefined, why: fact.why ?? undefined, stage: stageOfName(fact.stage) },
    ...{ language: fact.language ?? undefined, labels: [...fact.labels], foundLabels: [...fact.foundLabels] },
    ...{ rules: [...fact.rules], expectedSpans: [...fact.expectedSpans], spans: [...fact.spans] },
  };
}

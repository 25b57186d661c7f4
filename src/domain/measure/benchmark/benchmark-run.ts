// The work of a benchmark: samples are judged page by page, and measured when all of them are.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../../kit/fault/fault.ts";
import { BoundedCache } from "../../../kit/process/bounded-cache.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { addBenchmarkResults, resultsAmong } from "../../../store/measure/benchmark/benchmark-result.ts";
import { findDataset } from "../../../store/measure/dataset/dataset.ts";
import { countSamples } from "../../../store/measure/dataset/dataset-sample.ts";
import { writeAuditEntry } from "../../../store/telemetry/audit-entry.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import type { ComparedBaseline } from "../../analysis/benchmark/compare-samples.ts";
import type { JudgedSample } from "../../analysis/benchmark/judge-samples.ts";
import type { Measured } from "../../analysis/benchmark/measure-samples.ts";
import type { Slice } from "../../analysis/benchmark/sample-fact.ts";
import type { ReplayTarget } from "../../analysis/replay-trace.ts";
import { settleGates } from "../../bundle/gate/result.ts";
import { nextPace } from "../../run/pace.ts";
import type { RunAtWork, RunKind, StepResult } from "../../run/run-worker.ts";
import type { TextSeals } from "../../sealed-text.ts";
import { serviceCaller } from "../../service-caller.ts";
import { readVersion } from "../dataset/dataset-sample.ts";
import { allFacts } from "./benchmark-fact.ts";
import { type BenchmarkProgress, type BenchmarkSpec, benchmarkProgressOf, benchmarkSpecOf } from "./benchmark-spec.ts";
import { BenchmarkTargets, noTarget } from "./benchmark-target.ts";
import { judgeBenchmark } from "./judge-benchmark.ts";
import { type ReadSample, resultOf, textOf } from "./sample-result.ts";

/** Samples that one step judges. */
const paceLimits = { first: 100, min: 10, max: 1_000 };
/** Bytes of sealed texts after which a step takes on no more samples. */
const maxStepBytes = 8 << 20;
/** Targets that are kept between steps: a worker works on two runs at once. */
const maxTargets = 4;

/** What benchmarks work with. */
export interface BenchmarkRunParts {
  readonly database: Database;
  readonly seals: TextSeals;
  readonly analysis: Analysis;
  /** Bytes of facts that are held at once. Default: 256 MiB. */
  readonly maxFactBytes?: number;
}

type Read = readonly ReadSample[];

interface SaidOfSample {
  readonly sample: ReadSample;
  readonly said: JudgedSample | undefined;
}

/** Benchmarks, as runs. The cursor is the last sample that was judged. */
export class BenchmarkRun implements RunKind {
  readonly #database: Database;
  readonly #seals: TextSeals;
  readonly #analysis: Analysis;
  readonly #maxFactBytes: number | undefined;
  readonly #finder: BenchmarkTargets;
  readonly #targets = new BoundedCache<string, ReplayTarget>({ maxEntries: maxTargets });
  readonly #paces = new BoundedCache<string, number>({ maxEntries: maxTargets });

  constructor({ database, seals, analysis, maxFactBytes }: BenchmarkRunParts) {
    this.#database = database;
    this.#maxFactBytes = maxFactBytes;
    this.#seals = seals;
    this.#analysis = analysis;
    this.#finder = new BenchmarkTargets(database);
  }

  async prepare(run: RunAtWork): Promise<(tx: Transaction) => Promise<StepResult>> {
    const write = await this.#step(run);
    return async (tx) => {
      const result = await write(tx);
      if (result.isLast) {
        const found = { spec: benchmarkSpecOf(run.spec), progress: benchmarkProgressOf(result.report) };
        await settleGates(tx, run.id, (gate) =>
          gate.kind === "benchmark" ? judgeBenchmark(gate.benchmark, found) : undefined,
        );
        await recordResult(tx, run, found);
      }
      return result;
    };
  }

  async #step(run: RunAtWork): Promise<(tx: Transaction) => Promise<StepResult>> {
    const spec = benchmarkSpecOf(run.spec);
    const progress = benchmarkProgressOf(run.report);
    const pace = this.#paces.get(run.id) ?? paceLimits.first;
    const { samples, total } = await this.#read(run, spec, pace);
    if (samples.length === 0) return this.#measure(run, spec, progress);
    const beganMs = performance.now();
    const judged = await this.#judge(run, spec, samples);
    this.#paces.set(run.id, nextPace(pace, performance.now() - beganMs, paceLimits));
    const results = judged.map(({ sample, said }) => resultOf(sample, said, spec.positive));
    // What the built-in models were trained on says nothing about others.
    const trained = "predictions" in spec.subject ? 0 : samples.filter(({ row }) => row.trainedOn).length;
    const grown: BenchmarkProgress = { ...progress, trainingOverlap: progress.trainingOverlap + trained };
    const cursor = samples.at(-1)?.row.sampleId ?? run.cursor;
    return async (tx) => {
      await addBenchmarkResults(tx, run.id, results);
      const done = run.done + samples.length;
      return { cursor, done, total, report: plain(grown), isLast: false };
    };
  }

  /** The next samples: no more than the pace, and fewer where they are large. */
  #read({ orgId, cursor, total }: RunAtWork, { datasetId, version, filter }: BenchmarkSpec, pace: number) {
    return this.#database.read(orgId, async (tx) => {
      if ((await findDataset(tx, datasetId)) === null)
        throw new Fault(Reason.NOT_FOUND, "the dataset was deleted while the benchmark worked");
      const of = { seals: this.#seals, datasetId, filter: { ...filter, version } };
      const found = await readVersion(tx, of, { limit: pace, after: cursor === "" ? undefined : cursor });
      let bytes = 0;
      const samples = found.filter(({ row }, at) => {
        bytes += row.sizeBytes;
        return at === 0 || bytes <= maxStepBytes;
      });
      return { samples, total: total ?? (await countSamples(tx, datasetId, { ...filter, version })) };
    });
  }

  /** What the target says of the samples; of predictions that were uploaded, only what is missing. */
  async #judge(run: RunAtWork, spec: BenchmarkSpec, page: Read): Promise<readonly SaidOfSample[]> {
    const isUploaded = "predictions" in spec.subject;
    const samples = isUploaded ? await this.#unsaid(run, page) : page;
    if (samples.length === 0) return [];
    const target = isUploaded ? undefined : await this.#target(run, spec);
    const nowMs = Date.parse(spec.inputs.asOf);
    const question = {
      ...{ target, nowMs, agentId: spec.scope.agentId },
      samples: samples.map(({ row, content }) => ({ id: row.sampleId, content: textOf(content) })),
    };
    const judged = await this.#analysis.run("judgeSamples", question, { orgId: run.orgId });
    return samples.map((sample, at) => ({ sample, said: judged[at] }));
  }

  async #unsaid({ orgId, id }: RunAtWork, page: Read): Promise<Read> {
    const ids = page.map(({ row }) => row.sampleId);
    const said = new Set(await this.#database.read(orgId, (tx) => resultsAmong(tx, id, ids)));
    return page.filter(({ row }) => !said.has(row.sampleId));
  }

  async #target({ orgId, id }: RunAtWork, { subject, scope }: BenchmarkSpec): Promise<ReplayTarget> {
    const known = this.#targets.get(id);
    if (known !== undefined) return known;
    const caller = serviceCaller(orgId, { action: "benchmark.work", requestId: id, address: "" });
    const { judge } = await this.#finder.find(caller, { ...noTarget, ...subject }, scope);
    if (judge === undefined) throw new Error("predictions are not judged");
    this.#targets.set(id, judge);
    return judge;
  }

  async #measure(
    run: RunAtWork,
    spec: BenchmarkSpec,
    progress: BenchmarkProgress,
  ): Promise<(tx: Transaction) => Promise<StepResult>> {
    const { orgId, id } = run;
    const { sweep, positive, baselineRunId, slices } = spec;
    const runIds = baselineRunId === undefined ? [id] : [id, baselineRunId];
    const [facts = [], withFacts = []] = await allFacts(this.#database, {
      ...{ orgId, runIds, maxBytes: this.#maxFactBytes },
    });
    const question = { facts, sweep, labelMap: positive.labelMap, ...(slices !== undefined && { slices }) };
    const measured = await this.#analysis.run("measureSamples", question, { orgId });
    const baseline = baselineRunId === undefined ? undefined : await this.#compare(orgId, facts, withFacts);
    const unknownSlices = await this.#unknownSlices(run, spec, measured);
    const report = plain({ ...progress, measured, ...(baseline !== undefined && { baseline }), unknownSlices });
    const { done } = run;
    return async () => ({ cursor: `${run.cursor}/measured`, done, total: done, report, isLast: true });
  }

  /** Slices that a gate asks about, by rules and detectors that the target does not have: they never match. */
  async #unknownSlices(run: RunAtWork, spec: BenchmarkSpec, { slices }: Measured): Promise<readonly Slice[]> {
    const silent = (spec.slices ?? []).filter(({ by, value }) => {
      const metrics = slices.find((each) => each.by === by && each.value === value)?.metrics;
      return (by === "rule" || by === "detector") && metrics !== undefined && metrics.tp + metrics.fp === 0;
    });
    if (silent.length === 0) return [];
    const target = await this.#target(run, spec);
    if (!("parts" in target)) return []; // gates ask about bundles
    const rules = await this.#analysis.run("rulesInForce", target, { orgId: run.orgId });
    const known = new Set([
      ...rules.map(({ policy, ruleId }) => `rule ${policy}/${ruleId}`),
      ...rules.flatMap(({ detectors }) => detectors.map((name) => `detector ${name}`)),
    ]);
    return silent.filter(({ by, value }) => !known.has(`${by} ${value}`));
  }

  /** Null when the results of the baseline are gone. */
  async #compare(
    orgId: string,
    facts: readonly string[],
    withFacts: readonly string[],
  ): Promise<ComparedBaseline | null> {
    if (withFacts.length === 0) return null;
    return this.#analysis.run("compareBaseline", { facts, withFacts, seed: 0 }, { orgId });
  }
}

/** What the measurement says, in the log of evidence: the report itself is not kept as long. */
async function recordResult(
  tx: Transaction,
  { id }: RunAtWork,
  { spec, progress }: { readonly spec: BenchmarkSpec; readonly progress: BenchmarkProgress },
): Promise<void> {
  const { measured, trainingOverlap } = progress;
  if (measured === null) return;
  const { overall, resultDigest } = measured;
  const after = {
    ...{ dataset_id: spec.datasetId, version: spec.version, result_digest: resultDigest },
    ...{ samples: overall.samples, tp: overall.tp, fp: overall.fp, tn: overall.tn, fn: overall.fn },
    ...{ missing: overall.missing, unjudged: overall.unjudged, training_overlap: trainingOverlap },
  };
  const author = serviceCaller(tx.orgId, { action: "benchmark.complete", requestId: id, address: "" });
  await writeAuditEntry(tx, author, { resource: `benchmark/${id}`, before: null, after });
}

function plain(progress: BenchmarkProgress): JsonObject {
  return progress as unknown as JsonObject; // plain data
}

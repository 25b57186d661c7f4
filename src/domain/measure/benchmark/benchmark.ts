// Benchmarks: what policies, detectors and other guards are worth on a dataset.

import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { engineDigest } from "../../../../runtime/engine/evaluate/record-digest.ts";
import { Fault, type FieldViolation, insufficientScope, notFound, validationFailed } from "../../../kit/fault/fault.ts";
import type { Clock } from "../../../kit/process/clock.ts";
import { shippedModels } from "../../../kit/process/model-file.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { listBenchmarkResults, type ResultMismatch } from "../../../store/measure/benchmark/benchmark-result.ts";
import { findVersion } from "../../../store/measure/dataset/dataset.ts";
import { countSamples } from "../../../store/measure/dataset/dataset-sample.ts";
import { listRuns, type RunRow } from "../../../store/run/run.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import type { SampleFact } from "../../analysis/benchmark/measure-samples.ts";
import type { PositiveRule } from "../../analysis/benchmark/prediction.ts";
import { requireProject } from "../../lookup.ts";
import { addRun, cancelRun, removeRun, reportOf, requireRun } from "../../run/run.ts";
import { detailDays } from "../../run/run-retention.ts";
import { requireDataset, versionDigest } from "../dataset/dataset.ts";
import { versionOf } from "../dataset/dataset-sample.ts";
import {
  type BenchmarkFilter,
  type BenchmarkProgress,
  type BenchmarkScope,
  type BenchmarkSpec,
  type BenchmarkSubject,
  benchmarkProgressOf,
  benchmarkSpecOf,
} from "./benchmark-spec.ts";
import { BenchmarkTargets, type FoundTarget, type WantedTarget } from "./benchmark-target.ts";

const dayMs = 86_400_000;

/** Samples that one benchmark measures at most: its last step has them all in memory. */
export const maxBenchmarkSamples = 100_000;

/** What to measure, and how. */
export interface NewBenchmark {
  readonly datasetId: string;
  readonly version: number | undefined;
  readonly target: WantedTarget;
  readonly filter: BenchmarkFilter;
  readonly positive: PositiveRule;
  readonly seed: number;
  readonly sweep: boolean;
  readonly scope: BenchmarkScope;
  readonly asOf: Date | undefined;
}

/** A benchmark: its run, what it is to do, and what has come of it. */
export interface Benchmark {
  readonly run: RunRow;
  readonly spec: BenchmarkSpec;
  /** When its results are removed. */
  readonly resultsUntil: Date;
  readonly progress: BenchmarkProgress;
}

/** What came of one sample. */
export interface BenchmarkResult {
  readonly verdict: string;
  readonly fact: SampleFact;
}

/** What benchmarks work with. */
export interface BenchmarkParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly analysis: Analysis;
}

/** Begins, reads and ends benchmarks. */
export class Benchmarks {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #analysis: Analysis;
  readonly #targets: BenchmarkTargets;

  constructor({ database, clock, analysis }: BenchmarkParts) {
    this.#database = database;
    this.#clock = clock;
    this.#analysis = analysis;
    this.#targets = new BenchmarkTargets(database);
  }

  /** Begins a benchmark. */
  async create(caller: Caller, input: NewBenchmark, signal?: AbortSignal): Promise<Benchmark> {
    checkLabels(input.positive);
    const scope = ownScope(caller, input.scope);
    const target = await this.#targets.find(caller, input.target, scope);
    // Policies that cannot judge are refused now. A bundle was compiled when it was published.
    if (!("parts" in target.judge))
      await this.#analysis.run("checkReplay", target.judge, { orgId: caller.orgId, signal });
    return this.#database.transaction(caller, async (tx) => {
      if (scope.projectId !== undefined) await requireProject(tx, scope.projectId);
      const spec = await this.#spec(tx, caller, { ...input, scope }, target);
      const kept = JSON.parse(JSON.stringify(spec)) as JsonObject; // plain data
      const projectId = scope.projectId ?? ("bundle" in spec.subject ? spec.subject.bundle.projectId : undefined);
      const run = await addRun(tx, {
        ...{ kind: "benchmark", spec: kept, projectId },
        createdBy: caller.credential.label,
      });
      tx.changed({ resource: `benchmark/${run.id}`, before: null, after: saidSpec(spec) });
      return benchmarkOf(run);
    });
  }

  /** A page of the benchmarks, newest first. */
  list(caller: Caller, page: Page): Promise<[Benchmark[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const [runs, total] = await listRuns(tx, "benchmark", { ...page, projectId: caller.credential.projectId });
      return [runs.map(benchmarkOf), total];
    });
  }

  /** The benchmark. */
  get(caller: Caller, id: string): Promise<Benchmark> {
    return this.#database.read(caller.orgId, async (tx) => benchmarkOf(await requireBenchmark(tx, caller, id)));
  }

  /** A page of what came of single samples. */
  results(
    caller: Caller,
    id: string,
    page: Page & { readonly mismatch: ResultMismatch | undefined },
  ): Promise<[BenchmarkResult[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const run = await requireBenchmark(tx, caller, id);
      const [rows, total] = await listBenchmarkResults(tx, run.id, page);
      return [rows.map(({ verdict, fact }) => ({ verdict, fact: JSON.parse(fact) as SampleFact })), total];
    });
  }

  /** Ends a benchmark that waits or works. */
  cancel(caller: Caller, id: string): Promise<Benchmark> {
    return this.#database.transaction(caller, async (tx) => {
      const run = await requireBenchmark(tx, caller, id);
      const before = { state: run.state };
      const ended = await cancelRun(tx, run);
      tx.changed({ resource: `benchmark/${id}`, before, after: { state: ended.state } });
      return benchmarkOf(ended);
    });
  }

  /** Deletes a benchmark with its results. */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const run = await requireBenchmark(tx, caller, id);
      await removeRun(tx, run);
      tx.changed({ resource: `benchmark/${id}`, before: { state: run.state }, after: null });
    });
  }

  async #spec(
    tx: Transaction,
    caller: Caller,
    { datasetId, version: wanted, filter, positive, seed, sweep, scope, asOf }: NewBenchmark,
    { subject, contentDigest }: FoundTarget,
  ): Promise<BenchmarkSpec> {
    const dataset = await requireDataset(tx, caller, datasetId);
    const version = versionOf(dataset, wanted);
    await checkSamples(tx, datasetId, { ...filter, version }, positive);
    const digest = await versionDigest(tx, datasetId, version);
    const { erasureRevision = 0 } = (await findVersion(tx, datasetId, version)) ?? {};
    return {
      ...{ datasetId: dataset.id, version, subject, filter, positive, seed, sweep, scope },
      inputs: {
        ...{ datasetDigest: digest.toString("hex"), erasureRevision, contentDigest, engine: engineDigest },
        ...{ node: process.version, models: modelDigests(), asOf: (asOf ?? this.#clock.now()).toISOString() },
      },
    };
  }
}

/** The benchmark, if the caller may see it: a ci token sees those about its own project. */
async function requireBenchmark(tx: Transaction, { credential }: Caller, id: string): Promise<RunRow> {
  const run = await requireRun(tx, "benchmark", id, "benchmark");
  if (credential.projectId !== undefined && run.projectId !== credential.projectId) throw notFound("benchmark");
  return run;
}

/** Throws for a map that leaves out labels that are to be found. */
function checkLabels({ labels, labelMap }: PositiveRule): void {
  if (Object.keys(labelMap).length === 0) return;
  const missing = labels.filter((label) => !Object.hasOwn(labelMap, label));
  if (missing.length === 0) return;
  const message = `has no entry for ${missing.map((label) => `"${label}"`).join(", ")}, which positive.labels names`;
  throw validationFailed([{ field: "label_map", message }]);
}

async function checkSamples(
  tx: Transaction,
  datasetId: string,
  filter: BenchmarkFilter & { readonly version: number },
  { labels }: PositiveRule,
): Promise<void> {
  const count = await countSamples(tx, datasetId, filter);
  if (count === 0) throw validationFailed([{ field: "filter", message: "no sample of this version matches" }]);
  if (count > maxBenchmarkSamples) {
    const message = `${count} samples match; a benchmark measures at most ${maxBenchmarkSamples}: narrow the filter`;
    throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit: maxBenchmarkSamples } });
  }
  const violations: FieldViolation[] = [];
  for (const label of labels) {
    if ((await countSamples(tx, datasetId, { version: filter.version, label })) === 0)
      violations.push({ field: "positive.labels", message: `no sample of this version has the label "${label}"` });
  }
  if (violations.length > 0) throw validationFailed(violations);
}

/** The scope within the caller's project. */
function ownScope({ credential }: Caller, scope: BenchmarkScope): BenchmarkScope {
  const projectId = scope.projectId?.toLowerCase();
  if (credential.projectId === undefined) return projectId === undefined ? scope : { ...scope, projectId };
  if (projectId !== undefined && projectId !== credential.projectId)
    throw insufficientScope("this credential belongs to another project");
  return { ...scope, projectId: credential.projectId };
}

let digests: readonly string[] | undefined;

function modelDigests(): readonly string[] {
  digests ??= [...shippedModels()].map(
    ([name, weights]) => `${name}:${createHash("sha256").update(weights).digest("hex")}`,
  );
  return digests;
}

/** What is to be done as the log of evidence has it: in the spelling of the API, and a document by its digest. */
function saidSpec({ datasetId, version, subject, filter, positive, seed, sweep, scope, inputs }: BenchmarkSpec) {
  const { labels, outcomeAtLeast, labelMap } = positive;
  const said = {
    ...{ dataset_id: datasetId, version, filter, positive: { labels, outcome_at_least: outcomeAtLeast } },
    ...{ label_map: labelMap, seed, sweep, as_of: inputs.asOf },
    target: saidTarget(subject, inputs.contentDigest),
    scope: { project_id: scope.projectId, environment: scope.environment, agent_id: scope.agentId },
  };
  return JSON.parse(JSON.stringify(said)) as JsonObject; // plain data
}

function saidTarget(subject: BenchmarkSubject, digest: string) {
  if ("document" in subject) return { document: digest };
  if ("policy" in subject) {
    return { policy: { policy_id: subject.policy.policyId, version: subject.policy.version } };
  }
  if ("detector" in subject) return subject;
  const { projectId, environment, version } = subject.bundle;
  return { bundle: { project_id: projectId, environment, version } };
}

function benchmarkOf(run: RunRow): Benchmark {
  return {
    ...{ run, spec: benchmarkSpecOf(JSON.parse(run.spec)) },
    resultsUntil: new Date(run.createdAt.getTime() + detailDays * dayMs),
    progress: benchmarkProgressOf(reportOf(run)),
  };
}

// Benchmarks: what policies, detectors and other guards are worth on a dataset.

import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { engineDigest } from "../../../../runtime/engine/evaluate/record-digest.ts";
import { canonicalText } from "../../../kit/crypto/canonical.ts";
import { Fault, type FieldViolation, insufficientScope, notFound, validationFailed } from "../../../kit/fault/fault.ts";
import type { Clock } from "../../../kit/process/clock.ts";
import { shippedModels } from "../../../kit/process/model-file.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import { OneAtATime } from "../../../platform/one-at-a-time.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import {
  type BaselineScope,
  type BenchmarkBaselineRow,
  baselinesAmong,
  findBaseline,
  setBaseline,
} from "../../../store/measure/benchmark/benchmark-baseline.ts";
import {
  groupBenchmarkResults,
  listBenchmarkResults,
  type ResultFilter,
  type ResultMismatch,
} from "../../../store/measure/benchmark/benchmark-result.ts";
import { findDataset, findVersion, lockDataset } from "../../../store/measure/dataset/dataset.ts";
import { countSamples } from "../../../store/measure/dataset/dataset-sample.ts";
import { listRuns, type RunRow } from "../../../store/run/run.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import type { Compared } from "../../analysis/benchmark/compare-samples.ts";
import type { PositiveRule } from "../../analysis/benchmark/prediction.ts";
import type { SampleFact } from "../../analysis/benchmark/sample-fact.ts";
import { isAdmin } from "../../caller-role.ts";
import { requireProject } from "../../lookup.ts";
import { addRun, cancelRun, removeRun, reportOf, requireRun } from "../../run/run.ts";
import { detailDays } from "../../run/run-retention.ts";
import { requireDataset, versionDigest } from "../dataset/dataset.ts";
import { versionOf } from "../dataset/dataset-sample.ts";
import { allFacts } from "./benchmark-fact.ts";
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

const maxGroups = 100;

/** A benchmark: its run, what it is to do, and what has come of it. */
export interface Benchmark {
  readonly run: RunRow;
  readonly spec: BenchmarkSpec;
  /** When its results are removed. */
  readonly resultsUntil: Date;
  readonly progress: BenchmarkProgress;
  /** Null when it is no baseline. */
  readonly approval: BenchmarkBaselineRow | null;
}

/** What came of one sample. */
export interface BenchmarkResult {
  readonly verdict: string;
  readonly fact: SampleFact;
}

/** A page of results, their number, and how many of them the same rules matched. */
export interface FoundResults {
  readonly results: readonly BenchmarkResult[];
  readonly total: number;
  /** The most frequent first. */
  readonly groups: readonly { readonly rules: string[]; readonly count: number }[];
}

/** What a report says of a benchmark. */
export interface ReportedBenchmark {
  readonly benchmark: Benchmark;
  /** Name of the dataset, or its id when it was deleted. */
  readonly dataset: string;
  readonly wrong: readonly { readonly mismatch: ResultMismatch; readonly result: BenchmarkResult }[];
}

/** How a benchmark differs from another one. */
export interface BenchmarkComparison {
  readonly benchmarkId: string;
  readonly with: string;
  readonly compared: Compared;
}

/** What benchmarks work with. */
export interface BenchmarkParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly analysis: Analysis;
  /** Bytes of facts that are held at once. Default: 256 MiB. */
  readonly maxFactBytes?: number;
}

/** Begins, reads and ends benchmarks. */
export class Benchmarks {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #analysis: Analysis;
  readonly #targets: BenchmarkTargets;
  readonly #comparisons = new OneAtATime();
  readonly #maxFactBytes: number | undefined;

  constructor({ database, clock, analysis, maxFactBytes }: BenchmarkParts) {
    this.#maxFactBytes = maxFactBytes;
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
    const { judge } = target;
    if (judge !== undefined && !("parts" in judge))
      await this.#analysis.run("checkReplay", judge, { orgId: caller.orgId, signal });
    return this.#database.transaction(caller, async (tx) => {
      if (scope.projectId !== undefined) await requireProject(tx, scope.projectId);
      const spec = await makeSpec(tx, caller, { ...input, scope, now: this.#clock.now() }, target);
      const run = await addBenchmark(tx, caller, spec);
      tx.changed({ resource: `benchmark/${run.id}`, before: null, after: saidSpec(spec) });
      return benchmarkOf(run, null);
    });
  }

  /** A page of the benchmarks, newest first. */
  list(caller: Caller, page: Page): Promise<[Benchmark[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const [runs, total] = await listRuns(tx, "benchmark", { ...page, projectId: caller.credential.projectId });
      const approvals = await baselinesAmong(
        tx,
        runs.map(({ id }) => id),
      );
      return [runs.map((run) => benchmarkOf(run, approvals.get(run.id) ?? null)), total];
    });
  }

  /** The benchmark. */
  get(caller: Caller, id: string): Promise<Benchmark> {
    return this.#database.read(caller.orgId, async (tx) =>
      approvedBenchmark(tx, await requireBenchmark(tx, caller, id)),
    );
  }

  /** A page of what came of single samples; with groups, all of them are counted by the rules that matched. */
  results(
    caller: Caller,
    id: string,
    { withGroups, ...page }: Page & ResultFilter & { readonly withGroups: boolean },
  ): Promise<FoundResults> {
    return this.#database.read(caller.orgId, async (tx) => {
      const run = await requireBenchmark(tx, caller, id);
      const [rows, total] = await listBenchmarkResults(tx, run.id, page);
      const results = rows.map(({ verdict, fact }) => ({ verdict, fact: JSON.parse(fact) as SampleFact }));
      const groups = withGroups ? await groupBenchmarkResults(tx, run.id, { ...page, limit: maxGroups }) : [];
      return { results, total, groups };
    });
  }

  /** The benchmark with the first of what it judged wrongly, kind by kind, and the name of its dataset. */
  report(
    caller: Caller,
    id: string,
    { kinds, limit }: { readonly kinds: readonly ResultMismatch[]; readonly limit: number },
  ): Promise<ReportedBenchmark> {
    return this.#database.read(caller.orgId, async (tx) => {
      const benchmark = await approvedBenchmark(tx, await requireBenchmark(tx, caller, id));
      const { run, spec } = benchmark;
      if (benchmark.progress.measured === null)
        throw new Fault(Reason.CONFLICT, `the benchmark has no report: it is ${run.state}`);
      const wrong: ReportedBenchmark["wrong"][number][] = [];
      for (const mismatch of kinds) {
        const page = { mismatch, offset: 0, limit: limit - wrong.length };
        const [rows] = page.limit === 0 ? [[]] : await listBenchmarkResults(tx, run.id, page);
        for (const { verdict, fact } of rows)
          wrong.push({ mismatch, result: { verdict, fact: JSON.parse(fact) as SampleFact } });
      }
      const dataset = await findDataset(tx, spec.datasetId);
      return { benchmark, wrong, dataset: dataset?.name ?? spec.datasetId };
    });
  }

  /** Ends a benchmark that waits or works. */
  cancel(caller: Caller, id: string): Promise<Benchmark> {
    return this.#database.transaction(caller, async (tx) => {
      const run = await requireBenchmark(tx, caller, id);
      const before = { state: run.state };
      const ended = await cancelRun(tx, run);
      tx.changed({ resource: `benchmark/${id}`, before, after: { state: ended.state } });
      return approvedBenchmark(tx, ended);
    });
  }

  /** What the benchmark has right where another one has not. */
  async compare(
    caller: Caller,
    id: string,
    other: { readonly with: string | undefined; readonly commonSamples: boolean },
    signal?: AbortSignal,
  ): Promise<BenchmarkComparison> {
    const { own, before } = await this.#database.read(caller.orgId, async (tx) => {
      const run = await requireBenchmark(tx, caller, id);
      const withId = other.with ?? (await baselineOf(tx, run));
      return { own: benchmarkOf(run, null), before: benchmarkOf(await requireBenchmark(tx, caller, withId), null) };
    });
    assertComparable(own, before, other);
    const { orgId } = caller;
    const compare = async () => {
      const [facts, withFacts] = await this.#facts(orgId, own, before);
      return this.#analysis.run("compareSamples", { facts, withFacts, seed: own.spec.seed }, { orgId, signal });
    };
    const compared = await this.#comparisons.run(orgId, compare, signal);
    if (compared.common === 0) throw notComparable("they have no scored sample in common");
    return { benchmarkId: own.run.id, with: before.run.id, compared };
  }

  /** Makes the benchmark the baseline of its scope. */
  approve(caller: Caller, id: string): Promise<Benchmark> {
    return this.#database.transaction(caller, async (tx) => {
      const run = await requireBenchmark(tx, caller, id);
      const { spec } = benchmarkOf(run, null);
      if (run.state !== "succeeded")
        throw new Fault(Reason.CONFLICT, `only a benchmark that has succeeded is approved: it is ${run.state}`);
      const scope = baselineScopeOf(spec);
      if (scope === null) {
        const message = "it names no project and environment to be the baseline of; measure with a scope";
        throw new Fault(Reason.CONFLICT, message);
      }
      // Held until the commit, so that it is not deleted meanwhile, and nobody else approves another one.
      if ((await lockDataset(tx, scope.datasetId)) === null)
        throw new Fault(Reason.CONFLICT, "its dataset was deleted, so that nothing can be compared with it");
      const former = await findBaseline(tx, scope);
      await setBaseline(tx, scope, { runId: run.id, approvedBy: caller.credential.label });
      const before = former === null ? null : { benchmark_id: former.runId };
      tx.em.clear();
      tx.changed({ resource: `benchmark/${run.id}`, before, after: { benchmark_id: run.id, ...saidScope(scope) } });
      return approvedBenchmark(tx, run);
    });
  }

  /** Deletes a benchmark with its results. */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const run = await requireBenchmark(tx, caller, id);
      await requireDeletable(tx, caller, run);
      await removeRun(tx, run);
      tx.changed({ resource: `benchmark/${id}`, before: { state: run.state }, after: null });
    });
  }

  async #facts(orgId: string, own: Benchmark, before: Benchmark): Promise<[own: string[], before: string[]]> {
    const runIds = [own.run.id, before.run.id];
    const all = await allFacts(this.#database, { orgId, runIds, maxBytes: this.#maxFactBytes });
    const [facts = [], withFacts = []] = all;
    const gone = runIds[all.findIndex(({ length }) => length === 0)];
    if (gone === undefined) return [facts, withFacts];
    throw notComparable(`the results of ${gone} are gone: they are kept for ${detailDays} days`);
  }
}

/** Throws when it is a baseline and the caller could not approve another one: gates go by it. */
async function requireDeletable(tx: Transaction, caller: Caller, run: RunRow): Promise<void> {
  const { datasetId } = benchmarkSpecOf(JSON.parse(run.spec));
  await lockDataset(tx, datasetId); // so that it is not approved meanwhile
  const isBaseline = (await baselinesAmong(tx, [run.id])).size > 0;
  if (isBaseline && !isAdmin(caller))
    throw insufficientScope("it is an approved baseline: only an admin deletes it", { role: "admin" });
}

/** What a benchmark is to do, with versions that do not change anymore. */
export async function makeSpec(
  tx: Transaction,
  caller: Caller,
  {
    datasetId,
    version: wanted,
    filter,
    positive,
    seed,
    sweep,
    scope,
    asOf,
    now,
  }: Omit<NewBenchmark, "target"> & { readonly now: Date },
  { subject, contentDigest }: Pick<FoundTarget, "subject" | "contentDigest">,
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
      ...{ node: process.version, models: modelDigests(), asOf: (asOf ?? now).toISOString() },
    },
  };
}

/** Adds the run of a benchmark. */
export function addBenchmark(tx: Transaction, caller: Caller, spec: BenchmarkSpec): Promise<RunRow> {
  const kept = JSON.parse(JSON.stringify(spec)) as JsonObject; // plain data
  const { subject, scope } = spec;
  const projectId = scope.projectId ?? ("bundle" in subject ? subject.bundle.projectId : undefined);
  return addRun(tx, {
    ...{ kind: "benchmark", spec: kept, projectId },
    // Predictions are uploaded first.
    isHeld: "predictions" in subject,
    createdBy: caller.credential.label,
  });
}

/** The benchmark, if the caller may see it: a ci token sees those about its own project. */
export async function requireBenchmark(tx: Transaction, { credential }: Caller, id: string): Promise<RunRow> {
  const run = await requireRun(tx, "benchmark", id, "benchmark");
  if (credential.projectId !== undefined && run.projectId !== credential.projectId) throw notFound("benchmark");
  return run;
}

/** What a benchmark asks, without what it asks about: two of the same question are compared sample by sample. */
export function questionOf({ version, inputs, filter, positive }: BenchmarkSpec): string {
  const question = [version, inputs.datasetDigest, filter, positive.labels, positive.outcomeAtLeast];
  return canonicalText(JSON.parse(JSON.stringify(question)) as JsonValue); // plain data
}

/** Throws for a map that leaves out labels that are to be found. */
export function checkLabels({ labels, labelMap }: PositiveRule): void {
  if (Object.keys(labelMap).length === 0) return;
  const missing = labels.filter((label) => !Object.hasOwn(labelMap, label));
  if (missing.length === 0) return;
  const message = `has no entry for ${missing.map((label) => `"${label}"`).join(", ")}, which positive.labels names`;
  throw validationFailed([{ field: "label_map", message }]);
}

/** Throws when there are no such samples, or too many. */
export async function checkSamples(
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
  if ("detector" in subject || "predictions" in subject) return subject;
  const { projectId, environment, version, contentDigest } = subject.bundle;
  return { bundle: { project_id: projectId, environment, version, content_digest: contentDigest } };
}

async function approvedBenchmark(tx: Transaction, run: RunRow): Promise<Benchmark> {
  return benchmarkOf(run, (await baselinesAmong(tx, [run.id])).get(run.id) ?? null);
}

/** The id of the baseline that a benchmark is compared with. */
async function baselineOf(tx: Transaction, run: RunRow): Promise<string> {
  const scope = baselineScopeOf(benchmarkSpecOf(JSON.parse(run.spec)));
  const baseline = scope && (await findBaseline(tx, scope));
  if (baseline === null) throw notFound("approved baseline of its scope");
  return baseline.runId;
}

/** What a benchmark can be the baseline of; null when it names no project and environment. */
export function baselineScopeOf({ subject, scope, datasetId }: BenchmarkSpec): BaselineScope | null {
  const { projectId, environment } = "bundle" in subject ? subject.bundle : scope;
  return projectId === undefined || environment === undefined ? null : { projectId, environment, datasetId };
}

function saidScope({ projectId, environment, datasetId }: BaselineScope): JsonObject {
  return { project_id: projectId, environment, dataset_id: datasetId };
}

/** Throws unless two benchmarks are about the same samples and the same question. */
function assertComparable(
  own: Benchmark,
  other: Benchmark,
  { commonSamples }: { readonly commonSamples: boolean },
): void {
  for (const { run } of [own, other]) {
    if (run.state !== "succeeded") throw notComparable(`${run.id} has no whole result: it is ${run.state}`);
  }
  if (own.spec.datasetId !== other.spec.datasetId) throw notComparable("they are about different datasets");
  if (commonSamples) return;
  if (questionOf(own.spec) === questionOf(other.spec)) return;
  throw notComparable(
    "they measured another version, another part of it, or by another rule of what is to be found; common_samples=true compares what both have",
  );
}

function notComparable(why: string): Fault {
  return new Fault(Reason.BENCHMARKS_NOT_COMPARABLE, `the benchmarks cannot be compared: ${why}`);
}

function benchmarkOf(run: RunRow, approval: BenchmarkBaselineRow | null): Benchmark {
  return {
    approval,
    ...{ run, spec: benchmarkSpecOf(JSON.parse(run.spec)) },
    resultsUntil: new Date(run.createdAt.getTime() + detailDays * dayMs),
    progress: benchmarkProgressOf(reportOf(run)),
  };
}

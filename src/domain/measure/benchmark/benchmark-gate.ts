// The gate "benchmark": whether content is good enough on a dataset, and no worse than the approved baseline.

import { Fault, type FieldViolation, reasonRule } from "../../../kit/fault/fault.ts";
import type { Clock } from "../../../kit/process/clock.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { findBaseline } from "../../../store/measure/benchmark/benchmark-baseline.ts";
import { findDataset, findVersion, shareDataset } from "../../../store/measure/dataset/dataset.ts";
import { countSamples } from "../../../store/measure/dataset/dataset-sample.ts";
import type { EnvironmentRow } from "../../../store/project/environment.ts";
import { findRun, findSucceededRuns } from "../../../store/run/run.ts";
import type { BenchmarkRequirement } from "../../bundle/gate/definition.ts";
import type { GateMeasure, GateOfKind } from "../../bundle/gate/measure.ts";
import { beginOnce, type GateAnswer, type GateAsk, resultDays } from "../../bundle/gate/result.ts";
import type { GateFinding } from "../../bundle/gate/verdict.ts";
import { reportOf } from "../../run/run.ts";
import { detailDays } from "../../run/run-retention.ts";
import { addBenchmark, checkLabels, checkSamples, makeSpec, questionOf } from "./benchmark.ts";
import { type BenchmarkProgress, type BenchmarkSpec, benchmarkProgressOf, benchmarkSpecOf } from "./benchmark-spec.ts";
import { BenchmarkTargets, type FoundTarget, noTarget } from "./benchmark-target.ts";
import { judgeBenchmark, leastSamples } from "./judge-benchmark.ts";

type BenchmarkAsk = GateAsk<GateOfKind<"benchmark">>;

const dayMs = 86_400_000;
/** How far the moment that a benchmark is about may be from its beginning to answer for the present. */
const presentMs = 60_000;

/** Finds out by benchmarks. */
export class BenchmarkGate implements GateMeasure<"benchmark"> {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #targets: BenchmarkTargets;

  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
    this.#targets = new BenchmarkTargets(database);
  }

  async problems(
    tx: Transaction,
    { projectId }: EnvironmentRow,
    { benchmark }: Omit<GateOfKind<"benchmark">, "revision">,
  ): Promise<FieldViolation[]> {
    const { datasetId, version: wanted, filter, positive } = benchmark;
    const dataset = await shareDataset(tx, datasetId);
    if (dataset === null || (dataset.projectId !== null && dataset.projectId !== projectId)) {
      const message = "there is no such dataset of the project or of the organization";
      return [{ field: "benchmark.dataset_id", message }];
    }
    const version = wanted ?? dataset.version;
    if (version > dataset.version || version === 0) {
      const message = version === 0 ? "the dataset has no samples yet" : `the newest version is ${dataset.version}`;
      return [{ field: version === 0 ? "benchmark.dataset_id" : "benchmark.version", message }];
    }
    try {
      checkLabels(positive);
      await checkSamples(tx, datasetId, { ...filter, version }, positive);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return [{ field: "benchmark", message: error.message }];
    }
    return emptySlices(tx, { ...benchmark, version });
  }

  async basis(
    tx: Transaction,
    { projectId, name: environment }: EnvironmentRow,
    { benchmark }: GateOfKind<"benchmark">,
  ): Promise<string | GateFinding> {
    const { datasetId, version: wanted, baseline } = benchmark;
    const dataset = await findDataset(tx, datasetId);
    if (dataset === null) return missing("its dataset was deleted: set the gate with another one");
    const version = wanted ?? dataset.version;
    const { erasureRevision = 0 } = (await findVersion(tx, datasetId, version)) ?? {};
    const basis = `version ${version}${erasureRevision === 0 ? "" : `, erasure ${erasureRevision}`}`;
    if (baseline === null) return basis;
    const approved = await findBaseline(tx, { projectId, environment, datasetId });
    const run = approved && (await findRun(tx, "benchmark", approved.runId));
    if (run === null) {
      return missing(`${environment} has no approved baseline for the dataset: approve a benchmark of it`);
    }
    if (tx.now.getTime() - run.createdAt.getTime() > detailDays * dayMs) {
      return missing(
        `the results of the approved baseline are older than ${detailDays} days: approve a newer benchmark`,
      );
    }
    const spec = benchmarkSpecOf(JSON.parse(run.spec));
    if (spec.version !== version) {
      const why = `the approved baseline is of version ${spec.version} of the dataset, and the gate asks for ${version}`;
      return missing(`${why}: approve a benchmark of that`);
    }
    if (spec.inputs.erasureRevision !== erasureRevision) {
      const why = "samples of the dataset were erased after the approved baseline was measured";
      return missing(`${why}: approve a newer benchmark`);
    }
    return `${basis}, baseline ${run.id}`;
  }

  async begin(caller: Caller, ask: BenchmarkAsk): Promise<void> {
    const { environment, contentDigest } = ask;
    const bundle = { projectId: environment.projectId, environment: environment.name, contentDigest };
    const target = await this.#targets.find(caller, { ...noTarget, bundle }, {});
    await this.#database.transaction(caller, async (tx) => {
      // Until the commit it gets no new version and no other baseline.
      await shareDataset(tx, ask.gate.benchmark.datasetId);
      await beginOnce(tx, ask, {
        basis: () => this.basis(tx, environment, ask.gate),
        begin: () => this.#answer(tx, caller, ask, target),
      });
    });
  }

  /** The answer of a benchmark that was made already, or the run of a new one. */
  async #answer(tx: Transaction, caller: Caller, ask: BenchmarkAsk, target: FoundTarget): Promise<GateAnswer> {
    const { benchmark } = ask.gate;
    const baseline = await baselineOf(tx, ask);
    let spec: BenchmarkSpec;
    try {
      const slices = benchmark.require.flatMap(({ slice }) => slice ?? []);
      spec = { ...(await this.#spec(tx, caller, benchmark, target)), ...baseline?.inSpec, slices };
    } catch (error) {
      if (!(error instanceof Fault) || reasonRule(error.reason).httpStatus >= 500) throw error;
      return { state: "failed", reason: error.message };
    }
    if (baseline !== undefined && questionOf(baseline.spec) !== questionOf(spec)) {
      const reason =
        "the approved baseline asks another question: approve a benchmark with the filter and positive of the gate";
      return { state: "failed", reason };
    }
    return (await formerAnswer(tx, ask, spec)) ?? { runId: (await addBenchmark(tx, caller, spec)).id };
  }

  #spec(tx: Transaction, caller: Caller, requirement: BenchmarkRequirement, target: FoundTarget) {
    const { datasetId, version, filter, positive } = requirement;
    const input = { datasetId, version: version ?? undefined, filter, positive, seed: 0, sweep: false };
    return makeSpec(tx, caller, { ...input, scope: {}, asOf: undefined, now: this.#clock.now() }, target);
  }
}

/**
 * Parts of the samples that a gate asks about and that have none. Whether there are such rules and detectors only
 * the content says.
 */
async function emptySlices(
  tx: Transaction,
  { datasetId, version, filter, require }: BenchmarkRequirement & { readonly version: number },
): Promise<FieldViolation[]> {
  const violations: FieldViolation[] = [];
  for (const [index, requirement] of require.entries()) {
    const { slice } = requirement;
    if (slice === null || slice.by === "rule" || slice.by === "detector") continue;
    const { by, value } = slice;
    // A sample has one stage and one language; of labels and tags that the filter names it may have others besides.
    const isExcluded = (by === "stage" || by === "language") && (filter[by] ?? value) !== value;
    if (!isExcluded && (await countSamples(tx, datasetId, { ...filter, version, [by]: value })) > 0) continue;
    const needed = leastSamples(requirement);
    const lacks = needed === 0 ? "" : `; nobody could pass with fewer than ${needed}`;
    const message = `no sample of version ${version} that the filter takes has the ${by} "${value}"${lacks}`;
    violations.push({ field: `benchmark.require[${index}].slice.value`, message });
  }
  return violations;
}

/** The approved baseline that the gate asks about. */
async function baselineOf(tx: Transaction, { environment, gate: { benchmark } }: BenchmarkAsk) {
  if (benchmark.baseline === null) return undefined;
  const { projectId, name } = environment;
  const scope = { projectId, environment: name, datasetId: benchmark.datasetId };
  const approved = await findBaseline(tx, scope);
  const run = approved && (await findRun(tx, "benchmark", approved.runId));
  if (run === null) return undefined;
  return { spec: benchmarkSpecOf(JSON.parse(run.spec)), inSpec: { baselineRunId: run.id } };
}

/** What a benchmark says that somebody has made of the same content, with the same question, in the last 30 days. */
async function formerAnswer(
  tx: Transaction,
  { gate: { benchmark } }: BenchmarkAsk,
  wanted: BenchmarkSpec,
): Promise<GateFinding | undefined> {
  if (!("bundle" in wanted.subject)) return undefined;
  const { projectId, environment } = wanted.subject.bundle;
  const since = new Date(tx.now.getTime() - resultDays * dayMs);
  const text = `"contentDigest":"${wanted.inputs.contentDigest}"`;
  for (const run of await findSucceededRuns(tx, "benchmark", { projectId, since, text })) {
    const spec = benchmarkSpecOf(JSON.parse(run.spec));
    const { subject, inputs, scope, baselineRunId } = spec;
    const isSame =
      "bundle" in subject &&
      subject.bundle.environment === environment &&
      scope.agentId === undefined &&
      spec.datasetId === wanted.datasetId &&
      questionOf(spec) === questionOf(wanted) &&
      JSON.stringify(spec.positive.labelMap) === JSON.stringify(wanted.positive.labelMap) &&
      inputs.contentDigest === wanted.inputs.contentDigest &&
      inputs.erasureRevision === wanted.inputs.erasureRevision &&
      Math.abs(Date.parse(inputs.asOf) - run.createdAt.getTime()) <= presentMs &&
      (wanted.baselineRunId === undefined || wanted.baselineRunId === baselineRunId);
    if (!isSame) continue;
    const progress = benchmarkProgressOf(reportOf(run));
    if (!hasSlices(progress, wanted)) continue;
    const foundAt = run.finishedAt ?? run.createdAt;
    return { ...judgeBenchmark(benchmark, { spec, progress }), runId: run.id, foundAt };
  }
  return undefined;
}

/** Whether a benchmark has measured what is asked of parts: without being asked it leaves out small and silent ones. */
function hasSlices({ measured }: BenchmarkProgress, { slices = [] }: BenchmarkSpec): boolean {
  return slices.every(({ by, value }) => measured?.slices.some((each) => each.by === by && each.value === value));
}

function missing(reason: string): GateFinding {
  return { state: "missing", reason };
}

// The work of a replay of many traces: first all of them are counted, which tells which of them the sample has; then
// those are judged. Both go environment by environment, so that one engine judges many traces in a row, and each
// stratum of the sample by itself, from the newest trace to the oldest.

import { fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import type { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { BoundedCache } from "../../kit/process/bounded-cache.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type SettledMark, settledMarks } from "../../store/measure/annotation/annotation-verdict.ts";
import { addReplayResults } from "../../store/replay/replay-result.ts";
import { type FoundTrace, readTraces, type TraceCursor } from "../../store/telemetry/trace-query.ts";
import { listTraceEnvironments, type TraceEnvironment } from "../../store/telemetry/trace-rollup.ts";
import { readTexts } from "../../store/telemetry/trace-text.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { TraceMark } from "../analysis/replay-marks.ts";
import { ReplayTally } from "../analysis/replay-tally.ts";
import type { ReplayTarget } from "../analysis/replay-trace.ts";
import type { FoundChange, TracesReplayed, TraceToReplay } from "../analysis/replay-traces.ts";
import { settleGates } from "../bundle/gate/result.ts";
import { listTexts } from "../playground/playground.ts";
import { PolicyFinder } from "../playground/selection.ts";
import { enabledSchemas } from "../policy/output-schema.ts";
import { nextPace } from "../run/pace.ts";
import type { RunAtWork, RunKind, StepResult } from "../run/run-worker.ts";
import { serviceCaller } from "../service-caller.ts";
import { erasedRecord } from "../telemetry/erased-subject.ts";
import { hiddenNow } from "../telemetry/erasure.ts";
import { TraceSeals } from "../telemetry/trace-text.ts";
import { nextTraces } from "../telemetry/trace-walk.ts";
import { prepareSearch } from "../telemetry/version-window.ts";
import { judgeReplay } from "./judge-replay.ts";
import { type Draw, drawOf, type PlaceCounts, rangeOf, withRanges } from "./replay-sample.ts";
import {
  type ReplayProgress,
  type ReplaySpec,
  type ReplaySubject,
  replayProgressOf,
  replaySpecOf,
  strataOf,
} from "./replay-spec.ts";

/** Results that a run keeps, and how many of them may be bounded, so that those leave room for changes. */
const maxResults = 50_000;
const maxBoundedResults = 25_000;

/** Traces that one step counts, and positions that it looks at to find those of the sample. */
const positionsAtOnce = 20_000;
/** Records that are read together, and bytes of them after which a step reads no more. */
const recordsAtOnce = 250;
const maxStepBytes = 8 << 20;
/** Traces that one step judges. */
const paceLimits = { first: 500, min: 20, max: 8_000 };

/** Policies that are kept between steps: a worker works on two runs at once. */
const maxTargets = 4;

/** Where a step begins. */
interface Cursor {
  readonly step: number;
  /** Where traces are, and the stratum in each, in one number: see partOf(). */
  readonly part: number;
  /** The last position that was looked at: milliseconds since 1970, and the id. */
  readonly after: readonly [number, string] | null;
  readonly environments: readonly TraceEnvironment[];
  /** Of each stratum, while traces are counted. */
  readonly counts?: readonly PlaceCounts[];
  /** Of each stratum, afterwards. */
  readonly draws?: readonly Draw[];
}

/** A part of the work: one environment's traces of one stratum. */
interface Part {
  readonly environment: TraceEnvironment;
  readonly stratum: number;
  readonly outcome: Outcome | undefined;
}

/** What replays of many traces work with. */
export interface ReplayRunParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly analysis: Analysis;
}

/** Replays of many traces, as runs. */
export class ReplayRun implements RunKind {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #seals: TraceSeals;
  readonly #analysis: Analysis;
  readonly #finder: PolicyFinder;
  readonly #targets = new BoundedCache<string, ReplayTarget>({ maxEntries: maxTargets });
  /** Traces that the next step of a run judges. */
  readonly #paces = new BoundedCache<string, number>({ maxEntries: maxTargets });

  constructor({ database, sealer, analysis }: ReplayRunParts) {
    this.#database = database;
    this.#sealer = sealer;
    this.#seals = new TraceSeals(sealer);
    this.#analysis = analysis;
    this.#finder = new PolicyFinder(database);
  }

  async prepare(run: RunAtWork): Promise<(tx: Transaction) => Promise<StepResult>> {
    const write = await this.#step(run);
    return async (tx) => {
      const result = await write(tx);
      if (result.isLast) {
        const found = { spec: replaySpecOf(run.spec), progress: replayProgressOf(result.report) };
        await settleGates(tx, run.id, (gate) => (gate.kind === "replay" ? judgeReplay(gate.replay, found) : undefined));
      }
      return result;
    };
  }

  async #step(run: RunAtWork): Promise<(tx: Transaction) => Promise<StepResult>> {
    const spec = replaySpecOf(run.spec);
    const progress = replayProgressOf(run.report);
    const cursor: Cursor = run.cursor === "" ? await this.#begin(run, spec) : JSON.parse(run.cursor);
    const part = partOf(cursor, spec);
    if (cursor.draws === undefined) return this.#count(run, { spec, progress, cursor, part });
    return this.#judge(run, { spec, progress, cursor, part, draws: cursor.draws });
  }

  /** The environments that have traces of the window. */
  async #begin(run: RunAtWork, { filter, since, until, sample }: ReplaySpec): Promise<Cursor> {
    const environments = await this.#database.read(run.orgId, (tx) =>
      listTraceEnvironments(tx, { ...filter, since: new Date(since), until: new Date(until) }),
    );
    const counts = strataOf({ sample, filter }).map(() => []);
    return { step: 0, part: 0, after: null, environments, counts };
  }

  async #count(
    run: RunAtWork,
    { spec, progress, cursor, part }: Step,
  ): Promise<(tx: Transaction) => Promise<StepResult>> {
    const { counts: former = [] } = cursor;
    const found = part && (await this.#positions(run, spec, { part, after: cursor.after, limit: positionsAtOnce }));
    const ranges = found?.matches.map(({ id }) => rangeOf(spec.sample.seed, id)) ?? [];
    const counts = former.map((each, stratum) => (stratum === part?.stratum ? withRanges(each, ranges) : each));
    const next = { ...cursor, counts, ...nextPlace(cursor, found?.end), step: cursor.step + 1 };
    if (partOf(next, spec) !== undefined)
      return async () => stepResult({ cursor: next, done: 0, total: null, progress, isLast: false });
    const draws = drawOf(counts, spec.sample.max);
    const { counts: _, ...rest } = { ...next, draws, part: 0, after: null };
    const total = draws.reduce((sum, { drawn }) => sum + drawn, 0);
    const counted = { ...progress, populations: draws.map(({ population }) => population) };
    return async () => stepResult({ cursor: rest, done: 0, total, progress: counted, isLast: total === 0 });
  }

  async #judge(
    run: RunAtWork,
    { spec, progress, cursor, part, draws }: Step & { readonly draws: readonly Draw[] },
  ): Promise<(tx: Transaction) => Promise<StepResult>> {
    if (part === undefined) throw new Error("a replay that has ended has no step left");
    const pace = this.#paces.get(run.id) ?? paceLimits.first;
    const draw = draws[part.stratum] ?? { below: null, population: 0, drawn: 0 };
    const share = draw.drawn / Math.max(draw.population, 1);
    const limit = Math.min(Math.max(Math.ceil(pace / Math.max(share, 1e-6)), pace), positionsAtOnce);
    const found = await this.#positions(run, spec, { part, after: cursor.after, limit });
    const isDrawn = ({ id }: TraceCursor) => draw.below === null || rangeOf(spec.sample.seed, id) < draw.below;
    const drawn = found.matches.filter(isDrawn);
    const { traces, last } = await this.#read(run, spec, { part, drawn: drawn.slice(0, pace) });
    const beganMs = performance.now();
    const replayed = await this.#replay(run, spec, part, traces);
    this.#paces.set(run.id, nextPace(pace, performance.now() - beganMs, paceLimits));
    // Where not all that were drawn have been judged, the next step begins after the last one of those that were.
    const end = last === drawn.length ? found.end : drawn[last - 1];
    const next = { ...cursor, ...nextPlace(cursor, end), step: cursor.step + 1 };
    const isLast = partOf(next, spec) === undefined;
    const done = run.done + traces.length;
    return async (tx) => {
      const grown = await this.#keep(tx, run, { progress, part, replayed });
      return stepResult({ cursor: next, done, total: isLast ? done : run.total, progress: grown, isLast });
    };
  }

  /** The next positions of a part, and where they end; undefined when nothing is left of it. */
  #positions(
    { orgId }: RunAtWork,
    { filter, since, until }: ReplaySpec,
    { part, after, limit }: { readonly part: Part; readonly after: Cursor["after"]; readonly limit: number },
  ) {
    const { environment, outcome } = part;
    const search = { ...filter, ...environment, since: new Date(since), until: new Date(until) };
    const from = after === null ? undefined : { createdAt: new Date(after[0]), id: after[1] };
    return this.#database.read(orgId, async (tx) =>
      nextTraces(tx, await prepareSearch(tx, outcome === undefined ? search : { ...search, outcome }), {
        ...{ after: from, limit, maxRows: positionsAtOnce },
      }),
    );
  }

  /** Reads records until there are enough bytes of them. `last` is how many of the drawn ones were looked at. */
  async #read(
    run: RunAtWork,
    spec: ReplaySpec,
    { part, drawn }: { readonly part: Part; readonly drawn: readonly TraceCursor[] },
  ): Promise<{ readonly traces: readonly TraceToReplay[]; readonly last: number }> {
    const traces: TraceToReplay[] = [];
    let last = 0;
    for (let bytes = 0; last < drawn.length && bytes < maxStepBytes; ) {
      const positions = drawn.slice(last, last + recordsAtOnce);
      const read = await this.#database.read(run.orgId, async (tx) => {
        const found = await readTraces(tx, positions);
        // What was reported after the replay was asked for is not part of it.
        const known = found.filter(({ receivedAt }) => receivedAt <= run.createdAt);
        return this.#toReplay(tx, spec, known);
      });
      for (const trace of read) {
        traces.push({ ...trace, stratum: part.stratum });
        bytes += trace.record.length + (trace.text?.length ?? 0);
      }
      last += positions.length;
    }
    return { traces, last };
  }

  async #toReplay(
    tx: Transaction,
    { by, mayReadText }: ReplaySpec,
    found: readonly FoundTrace[],
  ): Promise<Omit<TraceToReplay, "stratum">[]> {
    const texts = mayReadText && by !== "signals" ? await readTexts(tx, found) : new Map<string, Buffer>();
    const seal = texts.size === 0 ? undefined : await this.#seals.forReading(tx);
    const isHidden = found.length === 0 ? undefined : await hiddenNow(tx, this.#sealer);
    const settled = await settledMarks(
      tx,
      found.map(({ id }) => id),
    );
    const marks = Map.groupBy(settled, ({ traceId }) => traceId);
    return found.map(({ id, createdAt, record }) => {
      const about = { id, createdMs: createdAt.getTime(), marks: (marks.get(id) ?? []).map(markOf) };
      if (isHidden !== undefined) {
        const read = fromBinary(EvaluationRecordSchema, record);
        if (isHidden({ record: read, createdAt }))
          return { ...about, record: toBinary(EvaluationRecordSchema, erasedRecord(read)), text: undefined };
      }
      const sealed = texts.get(id);
      const text = sealed === undefined ? undefined : seal?.openPacked(id, sealed);
      return { ...about, record, text };
    });
  }

  async #replay(
    run: RunAtWork,
    { by, asOf, mayReadText, subject, lifted = [] }: ReplaySpec,
    { environment }: Part,
    traces: readonly TraceToReplay[],
  ): Promise<TracesReplayed> {
    if (traces.length === 0) return { tally: new ReplayTally().data, changes: [] };
    if ("judges" in subject) throw new Error("a replay that was made elsewhere has no work");
    const key = "bundle" in subject ? run.id : [run.id, environment.projectId, environment.environment].join("/");
    const target = this.#targets.get(key) ?? (await this.#target(run, subject, environment));
    this.#targets.set(key, target);
    const nowMs = asOf === "now" ? run.createdAt.getTime() : undefined;
    const question = { target, by, mayReadText, nowMs, lifted, traces };
    return this.#analysis.run("replayTraces", question, { orgId: run.orgId });
  }

  async #target(
    { orgId, id }: RunAtWork,
    subject: ReplaySubject,
    environment: TraceEnvironment,
  ): Promise<ReplayTarget> {
    const caller = serviceCaller(orgId, { action: "replay.work", requestId: id, address: "" });
    if ("bundle" in subject) {
      const { contentDigest, ...named } = subject.bundle;
      const { parts, ...where } =
        contentDigest === undefined
          ? await this.#finder.bundle(caller, named)
          : await this.#finder.content(caller, { ...named, contentDigest });
      return { parts, environment: where.environment, projectId: where.projectId };
    }
    const [selected] = await this.#finder.find(caller, subject);
    if (selected === undefined) throw new Error("a document or a policy selects one policy");
    const { policyId = "", version = 0, scope } = selected;
    const around = await this.#database.read(orgId, async (tx) => ({
      lists: await listTexts(tx, environment.projectId),
      schemas: await enabledSchemas(tx),
    }));
    return { ...around, ...environment, document: await selected.document(), policyId, version, scope };
  }

  async #keep(
    tx: Transaction,
    run: RunAtWork,
    { progress, part, replayed }: Pick<Step, "progress"> & { readonly part: Part; readonly replayed: TracesReplayed },
  ): Promise<ReplayProgress> {
    const tally = new ReplayTally(progress.tally);
    tally.addAll(replayed.tally);
    let { results, boundedResults, resultsOmitted } = progress;
    const kept: FoundChange[] = [];
    for (const change of replayed.changes) {
      const isBounded = change.least !== change.most;
      if (results >= maxResults || (isBounded && boundedResults >= maxBoundedResults)) {
        resultsOmitted += 1;
        continue;
      }
      results += 1;
      boundedResults += Number(isBounded);
      kept.push(change);
    }
    await addReplayResults(
      tx,
      { runId: run.id, ...part.environment, kept: progress.results },
      kept.map(({ createdMs, reasons, ...each }) => ({
        ...each,
        createdAt: new Date(createdMs),
        reasons: [...reasons],
      })),
    );
    return { ...progress, tally: tally.data, results, boundedResults, resultsOmitted };
  }
}

function markOf({ policy, ruleId, mark, expected }: SettledMark): TraceMark {
  return { policy, ruleId, mark, expected };
}

interface Step {
  readonly spec: ReplaySpec;
  readonly progress: ReplayProgress;
  readonly cursor: Cursor;
  /** Undefined when there is none: no environment has traces of the window. */
  readonly part: Part | undefined;
}

/** The part that the cursor stands in; undefined after the last. */
function partOf({ part, environments }: Cursor, { sample, filter }: ReplaySpec): Part | undefined {
  const strata = strataOf({ sample, filter });
  const environment = environments[Math.floor(part / strata.length)];
  const stratum = part % strata.length;
  return environment && { environment, stratum, outcome: strata[stratum] };
}

/** Where to go on after what was looked at: in the same part, or in the next one. */
function nextPlace({ part }: Cursor, end: TraceCursor | undefined): Pick<Cursor, "part" | "after"> {
  if (end === undefined) return { part: part + 1, after: null };
  return { part, after: [end.createdAt.getTime(), end.id] };
}

function stepResult({
  cursor,
  progress,
  ...rest
}: Pick<StepResult, "done" | "total" | "isLast"> & { readonly cursor: Cursor; readonly progress: ReplayProgress }) {
  return { ...rest, cursor: JSON.stringify(cursor), report: progress as unknown as JsonObject }; // plain data
}

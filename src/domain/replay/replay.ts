// Replays of many traces: they are asked for and read here, and worked on by replay-run.ts.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { BackendVoice } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { insufficientScope, notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { listReplayResults, type ReplayResultRow, type ResultChange } from "../../store/replay/replay-result.ts";
import { listRuns, type RunRow } from "../../store/run/run.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { ReplayTally } from "../analysis/replay-tally.ts";
import type { ReplayBy } from "../analysis/replay-trace.ts";
import { requireEnvironment, requireProject } from "../lookup.ts";
import { nameOfOutcome } from "../measure/dataset/sample-name.ts";
import { listTexts } from "../playground/playground.ts";
import { PolicyFinder } from "../playground/selection.ts";
import { enabledSchemas } from "../policy/output-schema.ts";
import { addEndedRun, addRun, cancelRun, removeRun, reportOf, requireRun } from "../run/run.ts";
import { detailDays } from "../run/run-retention.ts";
import { maySeeText, requireLatencies, type Traces } from "../telemetry/trace.ts";
import { type ReplayReport, replayReportOf } from "./replay-report.ts";
import {
  type ReplayFilter,
  type ReplayJudge,
  type ReplayProgress,
  type ReplaySample,
  type ReplaySpec,
  type ReplaySubject,
  replayProgressOf,
  replaySpecOf,
} from "./replay-spec.ts";
import { assertOneTarget, type ReplayedBundle } from "./trace-replay.ts";

const dayMs = 86_400_000;
const defaultDays = 7;

/** What to replay, and by what: exactly one of the document, the policy and the bundle. */
export interface NewReplay {
  readonly document: JsonValue | undefined;
  readonly policyId: string | undefined;
  readonly version: number | undefined;
  readonly bundle: ReplayedBundle | undefined;
  readonly filter: ReplayFilter;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly sample: ReplaySample;
  readonly by: ReplayBy;
  readonly asOf: "trace" | "now";
}

/** What came of a replay that was made elsewhere. */
export interface LocalReplay {
  readonly projectId: string | undefined;
  readonly environment: string | undefined;
  readonly judges: readonly ReplayJudge[];
  readonly pairs: readonly { readonly was: Outcome; readonly is: Outcome; readonly requests: number }[];
}

/** A replay: its run, what it is to do, and what has come of it. */
export interface Replay {
  readonly run: RunRow;
  readonly spec: ReplaySpec;
  /** When its results are removed. */
  readonly resultsUntil: Date;
  readonly report: ReplayReport;
}

/** What replays work with. */
export interface ReplayParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly analysis: Analysis;
  readonly traces: Pick<Traces, "voicesOf">;
}

/** A changed or bounded trace, and what came of detector backends when it was made. */
export interface JudgedTrace {
  readonly row: ReplayResultRow;
  readonly voices: readonly BackendVoice[];
}

/** Begins, reads and ends replays. */
export class Replays {
  readonly #parts: ReplayParts;
  readonly #finder: PolicyFinder;

  constructor(parts: ReplayParts) {
    this.#parts = parts;
    this.#finder = new PolicyFinder(parts.database);
  }

  /** Begins a replay. */
  async create(caller: Caller, input: NewReplay, signal?: AbortSignal): Promise<Replay> {
    assertOneTarget(input);
    const mayReadText = maySeeText(caller);
    if (input.by === "text" && !mayReadText)
      throw insufficientScope("captured text is for editors and admins; replay by signals instead", { role: "editor" });
    const filter = ownFilter(caller, input.filter);
    const until = input.until ?? this.#parts.clock.now();
    const since = input.since ?? new Date(until.getTime() - defaultDays * dayMs);
    if (since > until) throw validationFailed([{ field: "since", message: "must not be after until" }]);
    const { subject, policy } = await this.#subject(caller, input, signal);
    const spec: ReplaySpec = {
      ...{ subject, policy, filter, since: since.toISOString(), until: until.toISOString() },
      ...{ sample: input.sample, by: input.by, asOf: input.asOf, mayReadText },
    };
    return this.#parts.database.transaction(caller, async (tx) => {
      const run = await addReplay(tx, caller, spec);
      tx.changed({ resource: `replay/${run.id}`, before: null, after: saidSpec(spec) });
      return replayOf(run);
    });
  }

  /** Keeps what came of a replay that was made elsewhere. */
  async record(caller: Caller, { projectId, environment, judges, pairs }: LocalReplay): Promise<Replay> {
    const filter = ownFilter(caller, { projectId, environment });
    if (filter.projectId === undefined && environment !== undefined)
      throw validationFailed([{ field: "environment", message: "needs the project that it belongs to: project_id" }]);
    const repeated = pairs.findIndex(({ was, is }, at) => pairs.findIndex((o) => o.was === was && o.is === is) < at);
    if (repeated >= 0)
      throw validationFailed([{ field: `pairs[${repeated}]`, message: "stands there already; add the two up" }]);
    return this.#parts.database.transaction(caller, async (tx) => {
      if (filter.projectId !== undefined) {
        await requireProject(tx, filter.projectId);
        if (environment !== undefined) await requireEnvironment(tx, filter.projectId, environment);
      }
      const now = tx.now.toISOString();
      const requests = pairs.reduce((sum, pair) => sum + pair.requests, 0);
      const spec: ReplaySpec = {
        ...{ subject: { judges }, policy: null, filter, since: now, until: now },
        sample: { max: requests, method: "uniform", seed: 0 },
        ...{ by: "text", asOf: "now", mayReadText: true },
      };
      const run = await addEndedRun(tx, {
        ...{ kind: "replay", spec: plain(spec), projectId: filter.projectId, createdBy: caller.credential.label },
        ...{ done: requests, report: plain(progressOfPairs(pairs, requests)) },
      });
      tx.changed({ resource: `replay/${run.id}`, before: null, after: saidRecord(spec, pairs) });
      return replayOf(run);
    });
  }

  /** A page of the replays, newest first. */
  list(caller: Caller, page: Page): Promise<[Replay[], number]> {
    return this.#parts.database.read(caller.orgId, async (tx) => {
      const [runs, total] = await listRuns(tx, "replay", { ...page, projectId: caller.credential.projectId });
      return [runs.map(replayOf), total];
    });
  }

  /** The replay. */
  get(caller: Caller, id: string): Promise<Replay> {
    return this.#parts.database.read(caller.orgId, async (tx) => replayOf(await requireReplay(tx, caller, id)));
  }

  /** A page of the changed and bounded traces. */
  results(
    caller: Caller,
    id: string,
    page: Page & { readonly change: ResultChange | undefined },
  ): Promise<[JudgedTrace[], number]> {
    const { database, traces } = this.#parts;
    return database.read(caller.orgId, async (tx) => {
      const run = await requireReplay(tx, caller, id);
      const [rows, total] = await listReplayResults(tx, run.id, page);
      const positions = rows.map(({ traceId, createdAt }) => ({ id: traceId, createdAt }));
      const voices = await traces.voicesOf(tx, positions);
      return [rows.map((row) => ({ row, voices: voices.get(row.traceId) ?? [] })), total];
    });
  }

  /** Ends a replay that waits or works. */
  cancel(caller: Caller, id: string): Promise<Replay> {
    return this.#parts.database.transaction(caller, async (tx) => {
      const run = await requireReplay(tx, caller, id);
      const before = { state: run.state };
      const ended = await cancelRun(tx, run);
      tx.changed({ resource: `replay/${id}`, before, after: { state: ended.state } });
      return replayOf(ended);
    });
  }

  /** Deletes a replay with its results. */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#parts.database.transaction(caller, async (tx) => {
      const run = await requireReplay(tx, caller, id);
      await removeRun(tx, run);
      tx.changed({ resource: `replay/${id}`, before: { state: run.state }, after: null });
    });
  }

  /** By what to replay, with versions that do not change anymore. Policies that cannot judge are refused. */
  async #subject(
    caller: Caller,
    input: NewReplay,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly subject: ReplaySubject; readonly policy: string | null }> {
    if (input.bundle !== undefined) {
      const { projectId, environment, bundle } = await this.#finder.bundle(caller, input.bundle);
      return { subject: { bundle: { projectId, environment, version: bundle.version } }, policy: null };
    }
    const [selected] = await this.#finder.find(caller, input);
    if (selected === undefined) throw new Error("a document or a policy selects one policy");
    const { policyId, version, scope } = selected;
    const document = await selected.document();
    const { projectId = "", environment = "" } = input.filter;
    const around = await this.#parts.database.read(caller.orgId, async (tx) => ({
      lists: await listTexts(tx, projectId),
      schemas: await enabledSchemas(tx),
    }));
    const target = {
      ...around,
      document,
      policyId: policyId ?? "",
      version: version ?? 0,
      scope,
      environment,
      projectId,
    };
    const { policy } = await this.#parts.analysis.run("checkReplay", target, { orgId: caller.orgId, signal });
    if (policyId === undefined || version === undefined) return { subject: { document }, policy };
    return { subject: { policyId, version }, policy };
  }
}

/** Adds the run of a replay. */
export function addReplay(tx: Transaction, caller: Caller, spec: ReplaySpec): Promise<RunRow> {
  return addRun(tx, {
    ...{ kind: "replay", spec: plain(spec), projectId: spec.filter.projectId },
    createdBy: caller.credential.label,
  });
}

function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject; // plain data
}

/** The counts of a replay of which every request was judged, with a certain outcome. */
function progressOfPairs(pairs: LocalReplay["pairs"], requests: number): ReplayProgress {
  const cells = pairs.map(({ was, is, requests: traces }) => ({ stratum: 0, was, least: is, most: is, traces }));
  return { ...replayProgressOf(undefined), populations: [requests], tally: { ...new ReplayTally().data, cells } };
}

/** The replay, if the caller may see it: a ci token sees those about its own project. */
async function requireReplay(tx: Transaction, { credential }: Caller, id: string): Promise<RunRow> {
  const run = await requireRun(tx, "replay", id, "replay");
  if (credential.projectId !== undefined && run.projectId !== credential.projectId) throw notFound("replay");
  return run;
}

/** The filter within the caller's project. */
function ownFilter({ credential }: Caller, filter: ReplayFilter): ReplayFilter {
  // PostgreSQL has no text with NUL in it, so no trace has either.
  const withNul = Object.entries(filter).filter(([, value]) => typeof value === "string" && value.includes("\0"));
  if (withNul.length > 0) throw validationFailed([{ field: "filter", message: "must not contain NUL" }]);
  requireLatencies(filter, "filter.min_latency_us");
  const projectId = filter.projectId?.toLowerCase();
  if (credential.projectId === undefined) return projectId === undefined ? filter : { ...filter, projectId };
  if (projectId !== undefined && projectId !== credential.projectId)
    throw insufficientScope("this credential belongs to another project");
  return { ...filter, projectId: credential.projectId };
}

/** What is to be done as the log of evidence has it: in the spelling of the API. */
function saidSpec({ subject, filter, since, until, sample, by, asOf }: ReplaySpec): JsonObject {
  const { agentKey, ...others } = filter;
  const bundle = "bundle" in subject ? { bundle: spelled(subject.bundle) } : spelled(subject);
  const said = {
    ...bundle,
    filter: spelled({ ...others, agentId: agentKey }),
    since,
    until,
    sample,
    mode: by,
    as_of: asOf,
  };
  return JSON.parse(JSON.stringify(said)) as JsonObject; // plain data
}

/** What was told of a replay that was made elsewhere, as the log of evidence has it. */
function saidRecord({ subject, filter }: ReplaySpec, pairs: LocalReplay["pairs"]): JsonObject {
  const said = pairs.map(({ was, is, requests }) => ({ was: nameOfOutcome(was), is: nameOfOutcome(is), requests }));
  return plain({ ...subject, ...spelled(filter), pairs: said });
}

function spelled(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

function replayOf(run: RunRow): Replay {
  const spec = replaySpecOf(JSON.parse(run.spec));
  return {
    ...{ run, spec },
    resultsUntil: new Date(run.createdAt.getTime() + detailDays * dayMs),
    report: replayReportOf(spec, replayProgressOf(reportOf(run))),
  };
}

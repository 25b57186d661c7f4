// The gates of a version: conditions that publishing, promoting and activating check, and that are shown beforehand.
// Nobody waits for one: a call whose gates are not known yet is refused, and makes nothing but the runs that find out.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, type FieldViolation, insufficientScope, notFound, validationFailed } from "../../../kit/fault/fault.ts";
import { newId } from "../../../kit/process/id.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import { listApprovals } from "../../../store/bundle/approval.ts";
import { type BundleRow, findBundle, newestVersion, wasActiveSince } from "../../../store/bundle/bundle.ts";
import { type FoundResult, keepGateContent, listGateResults } from "../../../store/bundle/gate-result.ts";
import { touchParts } from "../../../store/bundle/retention.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { type EnvironmentRow, findEnvironmentById } from "../../../store/project/environment.ts";
import { isAdmin } from "../../caller-role.ts";
import { enqueueJob } from "../../job.ts";
import { requireEnvironment } from "../../lookup.ts";
import { serviceCaller } from "../../service-caller.ts";
import { findByCandidate } from "./candidate-gate.ts";
import { type GateAction, type GateDefinition, gateSetOf, type NewGate } from "./definition.ts";
import type { GateMeasure, GateMeasures, MeasuredKind } from "./measure.ts";
import { beginOnce, findingOf, standingOf } from "./result.ts";
import { type StandingGate, standingGatesOf } from "./standing.ts";
import { type GateFinding, type GateSubject, type GateVerdict, isOpen } from "./verdict.ts";

/** A gate, as callers see it. */
export type Gate = StandingGate | GateVerdict;

/** Goes past gates that do not pass. */
export interface GateOverride {
  /** Ids of the gates. */
  readonly gates: readonly string[];
  readonly reason: string;
}

/** How a version stands. */
export interface CheckedGates {
  readonly bundle: BundleRow;
  readonly gates: readonly Gate[];
  /** Seconds after which it is worth to ask again; undefined when nothing is being found out. */
  readonly retryAfter: number | undefined;
}

/** What was found out for a gate, and how it stands by that. */
export interface GateResult {
  readonly row: FoundResult["row"];
  readonly finding: GateFinding;
}

/** Days after its last activity during which a version may be activated again, whatever gates say. */
const rollBackDays = 90;
const dayMs = 86_400_000;

/** Seconds after which it is worth to ask again: where a run finds out, and where runtimes or people do. */
const retryAfterRun = 2;
const retryAfter = 30;

/** A refusal by gates about which nobody has begun to find out. */
class UnbegunGates extends Error {
  readonly fault: Fault;
  readonly environment: EnvironmentRow;
  readonly subject: GateSubject;
  readonly gates: readonly GateDefinition[];

  constructor(fault: Fault, { environment, subject, gates }: Pick<UnbegunGates, "environment" | "subject" | "gates">) {
    super("nobody has begun to find out how gates stand");
    this.fault = fault;
    this.environment = environment;
    this.subject = subject;
    this.gates = gates;
  }
}

/** Checks gates, and has found out what is not known yet. */
export class GateKeeper {
  readonly #database: Database;
  readonly #measures: GateMeasures;

  constructor(database: Database, measures: GateMeasures) {
    this.#database = database;
    this.#measures = measures;
  }

  /** Every gate that an activation of the version has to pass, open or closed. */
  async of(
    tx: Transaction,
    environment: EnvironmentRow,
    bundle: BundleRow,
    approvals: readonly unknown[],
  ): Promise<Gate[]> {
    const own = (await gateSetOf(tx, environment.id)).gates.filter(({ on }) => on.includes("activate"));
    const verdicts = await this.#verdicts(tx, environment, subjectOf(bundle), own);
    return [...standingGatesOf(environment, bundle, approvals), ...verdicts];
  }

  /**
   * Does a work that requires gates. When it is refused since nobody has begun to find out how content stands, that
   * begins, and the work is tried once more: some answers are there at once, and a refusal then names the runs.
   */
  async passing<T>(caller: Caller, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transaction(caller, work);
    } catch (error) {
      if (!(error instanceof UnbegunGates)) throw error;
      await this.#begin(caller, error);
    }
    try {
      return await this.#database.transaction(caller, work);
    } catch (error) {
      throw error instanceof UnbegunGates ? error.fault : error;
    }
  }

  /**
   * Throws unless the content passes the environment's own gates of these actions; returns how they stand. The
   * environment has to be locked, and the work be that of passing().
   */
  async require(
    tx: Transaction,
    caller: Caller,
    {
      environment,
      subject,
      actions,
      override,
    }: {
      readonly environment: EnvironmentRow;
      readonly subject: GateSubject;
      readonly actions: readonly GateAction[];
      readonly override: GateOverride | undefined;
    },
  ): Promise<GateVerdict[]> {
    const { gates } = await gateSetOf(tx, environment.id);
    if (override !== undefined) requireOverridable(caller, environment, gates, override);
    const asked = gates.filter(({ on }) => on.some((action) => actions.includes(action)));
    const found = await this.#verdicts(tx, environment, subject, asked);
    const verdicts = found.map((verdict) => withOverride(verdict, override));
    const closed = verdicts.filter((verdict) => !isOpen(verdict));
    if (closed.length > 0) {
      const fault = refusal(closed, verdicts);
      const unbegun = closed.filter(({ canBegin }) => canBegin === true).map(({ gate }) => gate);
      const isFailed = closed.some(({ state }) => state === "failed");
      throw isFailed || unbegun.length === 0
        ? fault
        : new UnbegunGates(fault, { environment, subject, gates: unbegun });
    }
    if (override !== undefined) recordOverride(tx, caller, { environment, subject, override, found });
    return verdicts;
  }

  /** What is wrong with gates that are being set, by the data that there is. */
  async problemsOf(tx: Transaction, environment: EnvironmentRow, gates: readonly NewGate[]): Promise<FieldViolation[]> {
    const problems: FieldViolation[] = [];
    for (const [index, gate] of gates.entries()) {
      if (gate.kind === "candidate") continue;
      const found = await this.#measureOf(gate.kind).problems(tx, environment, gate);
      problems.push(...found.map(({ field, message }) => ({ field: `gates[${index}].${field}`, message })));
    }
    return problems;
  }

  /** Has a worker find out how a version stands, so that whoever activates it does not have to ask twice. */
  async prepareLater(
    tx: Transaction,
    environment: EnvironmentRow,
    { gates, version }: { readonly gates?: readonly GateDefinition[]; readonly version: number },
  ): Promise<void> {
    const own = gates ?? (await gateSetOf(tx, environment.id)).gates;
    if (version === 0 || own.every(({ kind }) => kind === "candidate")) return;
    const payload = { org_id: tx.orgId, environment_id: environment.id, version };
    await enqueueJob(tx, "prepare-gates", payload, { key: `gates:${environment.id}:${version}` });
  }

  /** Begins to find out how the version stands before all of its environment's gates. */
  async prepare(orgId: string, environmentId: string, version: number): Promise<void> {
    const caller = serviceCaller(orgId, { action: "gates.check", requestId: newId(), address: "" });
    const found = await this.#database.read(orgId, async (tx) => {
      const environment = await findEnvironmentById(tx, environmentId);
      const bundle = environment && (await findBundle(tx, environmentId, version));
      if (environment === null || bundle === null) return undefined;
      return this.#unbegun(tx, environment, bundle);
    });
    if (found !== undefined) await this.#begin(caller, found);
  }

  /** The same for a caller, with how it stands then. Default: the newest version. */
  async check(
    caller: Caller,
    path: { readonly projectId: string; readonly environment: string },
    wanted: number | undefined,
  ): Promise<CheckedGates> {
    const find = async (tx: Transaction) => {
      const environment = await requireEnvironment(tx, path.projectId, path.environment);
      const bundle = await findBundle(tx, environment.id, wanted ?? (await newestVersion(tx, environment.id)));
      if (bundle === null) throw notFound("bundle");
      return { environment, bundle };
    };
    const { orgId } = caller;
    const unbegun = await this.#database.read(orgId, async (tx) => {
      const { environment, bundle } = await find(tx);
      return this.#unbegun(tx, environment, bundle);
    });
    await this.#begin(caller, unbegun);
    return this.#database.transaction(caller, async (tx) => {
      const { environment, bundle } = await find(tx);
      const { gates } = await gateSetOf(tx, environment.id);
      const own = await this.#verdicts(tx, environment, subjectOf(bundle), gates);
      const approvals = await listApprovals(tx, environment.id, bundle.version);
      const waiting = own.filter(({ state }) => state === "pending" || state === "missing");
      const seconds = waiting.length === 0 ? undefined : retryAfterOf(waiting);
      const { version, contentDigest } = bundle;
      const begun = unbegun.gates.map(({ id }) => id);
      const after = { version, content_digest: contentDigest, begun };
      tx.changed({ resource: `environment/${environment.id}`, before: null, after });
      return { bundle, gates: [...standingGatesOf(environment, bundle, approvals), ...own], retryAfter: seconds };
    });
  }

  /** A page of what was found out for the gates of an environment. */
  results(
    caller: Caller,
    path: { readonly projectId: string; readonly environment: string },
    page: Page & { readonly contentDigest?: string | undefined; readonly gate?: string | undefined },
  ): Promise<[GateResult[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const environment = await requireEnvironment(tx, path.projectId, path.environment);
      const [found, total] = await listGateResults(tx, environment.id, page);
      return [found.map((each) => ({ row: each.row, finding: findingOf(tx.now, each) })), total];
    });
  }

  async #unbegun(tx: Transaction, environment: EnvironmentRow, bundle: BundleRow) {
    const gates = bundle.purgedAt == null ? (await gateSetOf(tx, environment.id)).gates : [];
    const subject = subjectOf(bundle);
    const verdicts = await this.#verdicts(tx, environment, subject, gates);
    return {
      environment,
      subject,
      gates: verdicts.filter(({ canBegin }) => canBegin === true).map(({ gate }) => gate),
    };
  }

  /** Keeps the content, and begins to find out. What cannot begin because other runs wait stays missing, and says so. */
  async #begin(
    caller: Caller,
    { environment, subject, gates }: Pick<UnbegunGates, "environment" | "subject" | "gates">,
  ): Promise<void> {
    if (gates.length === 0) return;
    const { contentDigest, parts } = subject;
    await this.#database.transaction(caller, async (tx) => {
      await subject.keepParts(tx);
      await keepGateContent(tx, {
        contentDigest,
        parts: parts.map(({ path, size, digest }) => ({ path, size, digest })),
      });
    });
    for (const gate of gates) {
      if (gate.kind === "candidate") continue;
      const measure = this.#measureOf(gate.kind);
      const ask = { environment, gate, contentDigest };
      try {
        await measure.begin(caller, ask);
      } catch (error) {
        if (!(error instanceof Fault && error.reason === Reason.LIMIT_REACHED)) throw error;
        const { message: waitsFor } = error;
        await this.#database.transaction(caller, (tx) =>
          beginOnce(tx, ask, {
            basis: () => measure.basis(tx, environment, gate),
            begin: async () => ({ waitsFor }),
          }),
        );
      }
    }
  }

  async #verdicts(
    tx: Transaction,
    environment: EnvironmentRow,
    subject: GateSubject,
    gates: readonly GateDefinition[],
  ): Promise<GateVerdict[]> {
    if (gates.length === 0) return [];
    const { version } = subject;
    const since = new Date(tx.now.getTime() - rollBackDays * dayMs);
    // A roll-back never waits for statistics.
    if (version !== undefined && (await wasActiveSince(tx, environment.id, version, since))) {
      const reason = `it was active here within ${rollBackDays} days`;
      return gates.map((gate) => ({ gate, state: "passed", reason }));
    }
    const verdicts: GateVerdict[] = [];
    for (const gate of gates) verdicts.push({ gate, ...(await this.#finding(tx, environment, subject, gate)) });
    return verdicts;
  }

  async #finding(
    tx: Transaction,
    environment: EnvironmentRow,
    subject: GateSubject,
    gate: GateDefinition,
  ): Promise<GateFinding> {
    if (gate.kind === "candidate") return findByCandidate(tx, environment, subject, gate.candidate);
    const basis = await this.#measureOf(gate.kind).basis(tx, environment, gate);
    if (typeof basis !== "string") return basis;
    return standingOf(tx, { environment, gate, contentDigest: subject.contentDigest, basis });
  }

  /** What finds out about gates of this kind. The kind of the gate says which type it takes. */
  #measureOf(kind: MeasuredKind): GateMeasure<MeasuredKind> {
    return this.#measures[kind] as unknown as GateMeasure<MeasuredKind>; // TypeScript does not relate the two by kind
  }
}

/** A stored version as gates ask about it. */
export function subjectOf({ contentDigest, parts, version }: BundleRow): GateSubject {
  return {
    ...{ contentDigest, parts, version },
    keepParts: (tx) =>
      touchParts(
        tx,
        parts.map(({ digest }) => digest),
      ),
  };
}

function requireOverridable(
  caller: Caller,
  environment: EnvironmentRow,
  gates: readonly GateDefinition[],
  override: GateOverride,
): void {
  if (!isAdmin(caller)) throw insufficientScope("only an admin goes past gates", { role: "admin" });
  if (!allowsOverride(environment)) {
    const hint = "an admin can change that with allow_gate_override=true";
    throw new Fault(Reason.CONFLICT, `${environment.name} lets nobody go past its gates; ${hint}`);
  }
  const unknown = override.gates.filter((name) => gates.every(({ id }) => id !== name));
  if (unknown.length === 0) return;
  const message = `${environment.name} has no gates of its own named ${unknown.join(", ")}`;
  throw validationFailed([{ field: "override.gates", message }]);
}

/** Whether an admin may go past the environment's gates. */
export function allowsOverride({ allowGateOverride, isProtected }: EnvironmentRow): boolean {
  return allowGateOverride ?? !isProtected;
}

function withOverride(verdict: GateVerdict, override: GateOverride | undefined): GateVerdict {
  const isNamed = override?.gates.includes(verdict.gate.id) === true;
  return isNamed && verdict.state !== "passed" ? { ...verdict, state: "overridden" } : verdict;
}

/** Makes an entry of its own in the log of evidence, so that nobody overlooks it. */
function recordOverride(
  tx: Transaction,
  caller: Caller,
  {
    environment,
    subject,
    override,
    found,
  }: {
    readonly environment: EnvironmentRow;
    readonly subject: GateSubject;
    readonly override: GateOverride;
    /** As they stood without the override. */
    readonly found: readonly GateVerdict[];
  },
): void {
  const passedBy = found.filter((verdict) => withOverride(verdict, override).state === "overridden");
  if (passedBy.length === 0) return;
  tx.changed({
    resource: `environment/${environment.id}`,
    action: "gate.override",
    before: null,
    after: {
      ...{ gates: passedBy.map(saidVerdict), reason: override.reason, content_digest: subject.contentDigest },
      ...{ version: subject.version ?? null, by: caller.credential.label },
    },
  });
}

const failures = {
  candidate: Reason.CANDIDATE_GATE_FAILED,
  benchmark: Reason.BENCHMARK_GATE_FAILED,
  replay: Reason.REPLAY_GATE_FAILED,
  languages: Reason.LANGUAGES_UNCOVERED,
} as const;

/** What failed is told before what is not known yet. */
function refusal(closed: readonly GateVerdict[], verdicts: readonly GateVerdict[]): Fault {
  const failed = closed.find(({ state }) => state === "failed");
  const gates = verdicts.map(saidVerdict);
  const said = closed.map(({ gate, reason }) => `${gate.id} (${gate.kind}): ${reason}`).join("; ");
  if (failed !== undefined) {
    const extra: JsonObject =
      failed.gate.kind === "languages" ? { gates, missing: failed.details?.missing ?? [] } : { gates };
    return new Fault(failures[failed.gate.kind], `the version does not pass its gates. ${said}`, { extra });
  }
  const seconds = retryAfterOf(closed);
  return new Fault(Reason.GATE_PENDING, `it is not known yet whether the version passes its gates. ${said}`, {
    extra: { gates, retry_after: seconds },
    headers: { "Retry-After": String(seconds) },
  });
}

/** Runs end soon. A gate that says when it is worth to ask is waited for. */
function retryAfterOf(closed: readonly GateVerdict[]): number {
  const soon = ({ state, runId }: GateVerdict) => state === "pending" && runId !== undefined;
  return closed.every(soon) ? retryAfterRun : Math.max(retryAfter, ...closed.map((each) => each.retryAfter ?? 0));
}

function saidVerdict({ gate, state, reason, runId, details }: GateVerdict): JsonObject {
  return { gate: gate.id, kind: gate.kind, state, run_id: runId ?? null, reason, details: details ?? null };
}

// The gates of a version: conditions that publishing, promoting and activating check, and that are shown beforehand.
// Nobody waits for one: a call whose gates are not known yet is refused, and makes nothing.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind, Role } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { Fault, insufficientScope, validationFailed } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import { type BundleRow, wasActiveSince } from "../../../store/bundle/bundle.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../../store/project/environment.ts";
import { findByCandidate } from "./candidate-gate.ts";
import { type GateAction, type GateDefinition, gateSetOf } from "./definition.ts";
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

/** Days after its last activity during which a version may be activated again, whatever gates say. */
const rollBackDays = 90;
const dayMs = 86_400_000;

/** Seconds after which it is worth to ask again. */
const retryAfter = 30;

/** Every gate that an activation of the version has to pass, open or closed. */
export async function gatesOf(
  tx: Transaction,
  environment: EnvironmentRow,
  bundle: BundleRow,
  approvals: readonly unknown[],
): Promise<Gate[]> {
  const own = (await gateSetOf(tx, environment.id)).gates.filter(({ on }) => on.includes("activate"));
  return [...standingGatesOf(environment, bundle, approvals), ...(await verdictsOf(tx, environment, bundle, own))];
}

/**
 * Throws unless the content passes the environment's own gates of these actions; returns how they stand. The
 * environment has to be locked.
 */
export async function requireGates(
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
  const found = await verdictsOf(tx, environment, subject, asked);
  const verdicts = found.map((verdict) => withOverride(verdict, override));
  const closed = verdicts.filter((verdict) => !isOpen(verdict));
  if (closed.length > 0) throw refusal(closed, verdicts);
  if (override !== undefined) recordOverride(tx, caller, { environment, subject, override, found });
  return verdicts;
}

async function verdictsOf(
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
  for (const gate of gates) verdicts.push({ gate, ...(await findingOf(tx, environment, subject, gate)) });
  return verdicts;
}

function findingOf(
  tx: Transaction,
  environment: EnvironmentRow,
  subject: GateSubject,
  gate: GateDefinition,
): Promise<GateFinding> {
  switch (gate.kind) {
    case "candidate":
      return findByCandidate(tx, environment, subject, gate.candidate);
  }
}

function requireOverridable(
  { credential, role }: Caller,
  environment: EnvironmentRow,
  gates: readonly GateDefinition[],
  override: GateOverride,
): void {
  const isAdmin =
    credential.kind === CredentialKind.ADMIN ||
    (credential.kind === CredentialKind.MEMBER && role !== undefined && role >= Role.ADMIN);
  if (!isAdmin) throw insufficientScope("only an admin goes past gates");
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

const failures = { candidate: Reason.CANDIDATE_GATE_FAILED } as const;

/** What failed is told before what is not known yet. */
function refusal(closed: readonly GateVerdict[], verdicts: readonly GateVerdict[]): Fault {
  const failed = closed.find(({ state }) => state === "failed");
  const gates = verdicts.map(saidVerdict);
  const said = closed.map(({ gate, reason }) => `${gate.id} (${gate.kind}): ${reason}`).join("; ");
  if (failed !== undefined) {
    return new Fault(failures[failed.gate.kind], `the version does not pass its gates. ${said}`, { extra: { gates } });
  }
  return new Fault(Reason.GATE_PENDING, `it is not known yet whether the version passes its gates. ${said}`, {
    extra: { gates, retry_after: retryAfter },
    headers: { "Retry-After": String(retryAfter) },
  });
}

function saidVerdict({ gate, state, reason, runId, details }: GateVerdict): JsonObject {
  return { gate: gate.id, kind: gate.kind, state, run_id: runId ?? null, reason, details: details ?? null };
}

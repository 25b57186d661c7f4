// What runs and other measurements say about content, kept for gates. One row belongs to an environment, content, a
// gate in its revision, and what else the answer depends on (the basis), so that nothing is found out twice.

import {
  type FoundResult,
  findGateResult,
  type GateResultKey,
  lockGateResults,
  putGateResult,
  resultsOfRun,
} from "../../../store/bundle/gate-result.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../../store/project/environment.ts";
import { writeAuditEntry } from "../../../store/telemetry/audit-entry.ts";
import { serviceCaller } from "../../service-caller.ts";
import { type GateDefinition, gateSetOf } from "./definition.ts";
import type { GateFinding } from "./verdict.ts";

/** Days that a result holds, whatever engine it is of. */
export const resultDays = 30;
const dayMs = 86_400_000;

/** After a run has failed, how long it is not begun anew: most would fail again. */
const afterFailureMs = 10 * 60_000;

/** The environment, the gate and the content that an answer is about. */
export interface GateAsk<Gate extends GateDefinition = GateDefinition> {
  readonly environment: EnvironmentRow;
  readonly gate: Gate;
  readonly contentDigest: string;
}

/** What is asked, and what else the answer depends on. */
export type GateQuestion = GateAsk & { readonly basis: string };

/** The answer, the run that finds it out, or why none could begin. */
export type GateAnswer = { readonly runId: string } | { readonly waitsFor: string } | GateFinding;

/** Finds out what an answer depends on, or how the gate stands without any; and then the answer. */
export interface GateWork {
  readonly basis: () => Promise<string | GateFinding>;
  readonly begin: () => Promise<GateAnswer>;
}

/** How a gate stands by what was found out. */
export async function standingOf(tx: Transaction, question: GateQuestion): Promise<GateFinding> {
  const found = await findGateResult(tx, keyOf(question));
  if (found === null) return { state: "missing", reason: "nobody has begun to find it out", canBegin: true };
  return findingOf(tx.now, found);
}

/** How a result stands now: one that is too old, or whose run has ended without it, has to be found out again. */
export function findingOf(now: Date, { row, runState, runError, runFinishedAt }: FoundResult): GateFinding {
  const { state, reason, decidedAt } = row;
  const shown = {
    reason,
    ...(row.runId != null && { runId: row.runId }),
    ...(row.details != null && { details: row.details }),
  };
  if (state === "pending") {
    if (runState === "queued" || runState === "running") return { ...shown, state, reason: saidProgress(runState) };
    if (row.runId == null) return { ...shown, state: "missing", canBegin: true };
    const again = new Date((runFinishedAt ?? now).getTime() + afterFailureMs);
    if (runState === "failed" && again > now) {
      const when = `it begins again when somebody asks after ${again.toISOString()}`;
      const retryAfter = Math.ceil((again.getTime() - now.getTime()) / 1_000);
      return { ...shown, state: "missing", reason: `its run has failed: ${runError}; ${when}`, retryAfter };
    }
    const why = runState === null ? "was deleted" : runError === null ? `is ${runState}` : `has failed: ${runError}`;
    return { ...shown, state: "missing", reason: `its run ${why}; it begins again when somebody asks`, canBegin: true };
  }
  if (decidedAt == null || now.getTime() - decidedAt.getTime() > resultDays * dayMs) {
    const old = `what was found out is older than ${resultDays} days`;
    return { ...shown, state: "missing", reason: old, canBegin: true };
  }
  return { ...shown, state };
}

/**
 * Notes the answer, or the run that finds it out, unless somebody else has done so meanwhile. What it depends on is
 * found out in the same transaction.
 */
export async function beginOnce(tx: Transaction, ask: GateAsk, { basis: basisOf, begin }: GateWork): Promise<void> {
  await lockGateResults(tx, ask.environment.id);
  const basis = await basisOf();
  if (typeof basis !== "string") return;
  const question = { ...ask, basis };
  if ((await standingOf(tx, question)).canBegin !== true) return;
  const answer = await begin();
  const row = { ...keyOf(question), kind: ask.gate.kind, createdAt: tx.now };
  if ("state" in answer) return decide(tx, row, answer);
  const { runId, reason } =
    "runId" in answer ? { ...answer, reason: saidProgress("queued") } : { runId: null, reason: answer.waitsFor };
  await putGateResult(tx, { ...row, state: "pending", reason, runId, details: null, decidedAt: null });
}

/** Decides the gates that wait for the run. What has changed since, nobody asks about anymore. */
export async function settleGates(
  tx: Transaction,
  runId: string,
  judge: (gate: GateDefinition) => GateFinding | undefined,
): Promise<void> {
  for (const row of await resultsOfRun(tx, runId)) {
    const { gates } = await gateSetOf(tx, row.environmentId);
    const gate = gates.find(({ id, revision }) => id === row.gate && revision === row.revision);
    const finding = gate && judge(gate);
    if (finding !== undefined) await decide(tx, row, { ...finding, runId });
  }
}

type DecidedRow = GateResultKey & { readonly kind: string; readonly createdAt: Date };

async function decide(tx: Transaction, row: DecidedRow, finding: GateFinding): Promise<void> {
  const { state, reason, runId = null, details = null, foundAt: decidedAt = tx.now } = finding;
  if (state !== "passed" && state !== "failed") throw new Error(`a decided gate is not ${state}`);
  const { environmentId, contentDigest, gate, revision, basis, kind, createdAt } = row;
  const decided = { kind, state, reason, runId, details, createdAt, decidedAt };
  await putGateResult(tx, { environmentId, contentDigest, gate, revision, basis, ...decided });
  const said = { gate, kind, revision, content_digest: contentDigest, basis, state, reason, run_id: runId };
  const author = serviceCaller(tx.orgId, { action: "gate.result", requestId: runId ?? "", address: "" });
  await writeAuditEntry(tx, author, { resource: `environment/${environmentId}`, before: null, after: said });
}

function keyOf({ environment, gate, contentDigest, basis }: GateQuestion): GateResultKey {
  return { environmentId: environment.id, contentDigest, gate: gate.id, revision: gate.revision, basis };
}

function saidProgress(state: "queued" | "running"): string {
  return state === "queued" ? "its run waits for its turn" : "its run works";
}

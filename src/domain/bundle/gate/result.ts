// What runs and other measurements say about content, kept for gates. One row belongs to an environment, content, a
// gate in its revision, and what else the answer depends on (the basis), so that nothing is found out twice.

import type { JsonObject } from "@bufbuild/protobuf";
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

/** The environment, the gate and the content that an answer is about. */
export interface GateAsk<Gate extends GateDefinition = GateDefinition> {
  readonly environment: Pick<EnvironmentRow, "id" | "projectId" | "name">;
  readonly gate: Gate;
  readonly contentDigest: string;
  /** What else it depends on. */
  readonly basis: string;
}

/** The answer, or the run that finds it out. */
export type GateAnswer = { readonly runId: string } | GateFinding;

/** How a gate stands by what was found out. */
export async function standingOf(tx: Transaction, ask: GateAsk): Promise<GateFinding> {
  const found = await findGateResult(tx, keyOf(ask));
  if (found === null) return { state: "missing", reason: "nobody has begun to find it out", canBegin: true };
  return findingOf(tx.now, found);
}

/** How a result stands now: one that is too old, or whose run has ended without it, has to be found out again. */
export function findingOf(now: Date, { row, runState, runError }: FoundResult): GateFinding {
  const { state, reason, decidedAt } = row;
  const shown = {
    reason,
    ...(row.runId != null && { runId: row.runId }),
    ...(row.details != null && { details: row.details }),
  };
  if (state === "pending") {
    if (runState === "queued" || runState === "running") return { ...shown, state, reason: saidProgress(runState) };
    const why = runState === null ? "was deleted" : runError === null ? `is ${runState}` : `has failed: ${runError}`;
    return { ...shown, state: "missing", reason: `its run ${why}; it begins again when somebody asks`, canBegin: true };
  }
  if (decidedAt == null || now.getTime() - decidedAt.getTime() > resultDays * dayMs) {
    return {
      ...shown,
      state: "missing",
      reason: `what was found out is older than ${resultDays} days`,
      canBegin: true,
    };
  }
  return { ...shown, state };
}

/** Notes the answer, or the run that finds it out, unless somebody else has done so meanwhile. */
export async function beginOnce(tx: Transaction, ask: GateAsk, begin: () => Promise<GateAnswer>): Promise<void> {
  await lockGateResults(tx, ask.environment.id);
  if ((await standingOf(tx, ask)).canBegin !== true) return;
  const answer = await begin();
  const row = { ...keyOf(ask), kind: ask.gate.kind, createdAt: tx.now };
  if (!("state" in answer)) {
    const waits = { state: "pending", reason: saidProgress("queued"), details: null, decidedAt: null } as const;
    await putGateResult(tx, { ...row, ...waits, runId: answer.runId });
    return;
  }
  await decide(tx, row, answer);
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
  const key = { environmentId, contentDigest, gate, revision, basis };
  await putGateResult(tx, {
    ...{ ...key, kind, createdAt, state, reason, runId, details, decidedAt },
  });
  const after: JsonObject = {
    gate,
    kind,
    revision,
    content_digest: contentDigest,
    basis,
    state,
    reason,
    run_id: runId ?? null,
  };
  const author = serviceCaller(tx.orgId, { action: "gate.result", requestId: runId ?? "", address: "" });
  await writeAuditEntry(tx, author, { resource: `environment/${environmentId}`, before: null, after });
}

function keyOf({ environment, gate, contentDigest, basis }: GateAsk): GateResultKey {
  return { environmentId: environment.id, contentDigest, gate: gate.id, revision: gate.revision, basis };
}

function saidProgress(state: "queued" | "running"): string {
  return state === "queued" ? "its run waits for its turn" : "its run works";
}

// What was found out about content for the gates of environments, and the content itself, which may be of no version
// yet.

import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import type { RunState } from "../run/run.ts";
import type { PartReference } from "./bundle.ts";

/** How far the answer is. */
export type GateResultState = "pending" | "passed" | "failed";

const contentSchema = defineEntity({
  name: "GateContent",
  tableName: "gate_content",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    contentDigest: p.text().primary(),
    parts: p.json<readonly PartReference[]>(),
    createdAt: p.datetime(3),
  },
});

/** Content that gates ask about. */
export class GateContentRow extends contentSchema.class {}
contentSchema.setClass(GateContentRow);

const resultSchema = defineEntity({
  name: "GateResult",
  tableName: "gate_result",
  ...tenantTable,
  indexes: [
    { name: "gate_result_run", properties: ["orgId", "runId"] },
    { name: "gate_result_newest", properties: ["orgId", "environmentId", "createdAt"] },
  ],
  properties: {
    orgId: p.uuid().primary(),
    environmentId: p.uuid().primary(),
    contentDigest: p.text().primary(),
    /** The gate and its revision. */
    gate: p.text().primary(),
    revision: p.integer().primary(),
    /** What else the answer depends on, such as the version of a dataset. */
    basis: p.text().primary(),
    kind: p.text(),
    state: p.text().$type<GateResultState>(),
    reason: p.text(),
    /** The run that finds it out; null where none is needed. It may be deleted meanwhile. */
    runId: p.uuid().nullable(),
    details: p.json<JsonObject>().nullable(),
    createdAt: p.datetime(3),
    decidedAt: p.datetime(3).nullable(),
  },
});

/** What was found out for a gate. */
export class GateResultRow extends resultSchema.class {}
resultSchema.setClass(GateResultRow);

/** A result with the state of its run; null when the run was deleted, or there is none. */
export interface FoundResult {
  readonly row: GateResultRow;
  readonly runState: RunState | null;
  readonly runError: string | null;
  readonly runFinishedAt: Date | null;
}

/** What a result is about. */
export type GateResultKey = Pick<GateResultRow, "environmentId" | "contentDigest" | "gate" | "revision" | "basis">;

/** Keeps content, or notes that it is asked about again. */
export async function keepGateContent(
  tx: Transaction,
  { contentDigest, parts }: Pick<GateContentRow, "contentDigest" | "parts">,
): Promise<void> {
  await runBound(
    tx,
    `insert into gate_content (org_id, content_digest, parts, created_at) values ($1, $2, $3, $4)
     on conflict (org_id, content_digest) do update set created_at = excluded.created_at`,
    [tx.orgId, contentDigest, JSON.stringify(parts), tx.now],
  );
}

/** The content, or null. */
export function findGateContent(tx: Transaction, contentDigest: string): Promise<GateContentRow | null> {
  return tx.em.findOne(GateContentRow, { orgId: tx.orgId, contentDigest });
}

/** Holds back others who begin to find something out for this environment, until the commit. */
export async function lockGateResults(tx: Transaction, environmentId: string): Promise<void> {
  await runBound(tx, "select pg_advisory_xact_lock(hashtextextended('gate_result/' || $1::text, 0))", [environmentId]);
}

/** The result, or null. */
export async function findGateResult(tx: Transaction, key: GateResultKey): Promise<FoundResult | null> {
  const row = await tx.em.findOne(GateResultRow, { orgId: tx.orgId, ...key }, { refresh: true });
  if (row === null) return null;
  return (await withRuns(tx, [row]))[0] ?? null;
}

/** Writes a result in the place of the former one. */
export async function putGateResult(
  tx: Transaction,
  result: GateResultKey &
    Pick<GateResultRow, "kind" | "state" | "reason" | "runId" | "details" | "createdAt" | "decidedAt">,
): Promise<void> {
  await runBound(
    tx,
    `insert into gate_result (org_id, environment_id, content_digest, gate, revision, basis, kind, state, reason,
       run_id, details, created_at, decided_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict (org_id, environment_id, content_digest, gate, revision, basis) do update set state = excluded.state,
       reason = excluded.reason, run_id = excluded.run_id, details = excluded.details,
       created_at = excluded.created_at, decided_at = excluded.decided_at`,
    [
      ...[tx.orgId, result.environmentId, result.contentDigest, result.gate, result.revision, result.basis],
      ...[result.kind, result.state, result.reason, result.runId],
      ...[result.details === null ? null : JSON.stringify(result.details), result.createdAt, result.decidedAt],
    ],
  );
}

/** The results that wait for a run. */
export function resultsOfRun(tx: Transaction, runId: string): Promise<GateResultRow[]> {
  return tx.em.find(GateResultRow, { orgId: tx.orgId, runId, state: "pending" });
}

/** A page of an environment's results, newest first, and their count. */
export async function listGateResults(
  tx: Transaction,
  environmentId: string,
  {
    contentDigest,
    gate,
    ...page
  }: Page & { readonly contentDigest?: string | undefined; readonly gate?: string | undefined },
): Promise<[FoundResult[], number]> {
  const where = {
    ...{ orgId: tx.orgId, environmentId },
    ...(contentDigest !== undefined && { contentDigest }),
    ...(gate !== undefined && { gate }),
  };
  const orderBy = { createdAt: "desc", gate: "asc", contentDigest: "asc", basis: "asc" } as const;
  const [rows, total] = await tx.em.findAndCount(GateResultRow, where, { ...page, orderBy });
  return [await withRuns(tx, rows), total];
}

/** Deletes what was found out before the moment, and content that nobody has asked about since. */
export async function deleteGateResultsBefore(tx: Transaction, moment: Date): Promise<void> {
  await runBound(tx, "delete from gate_result where org_id = $1 and created_at < $2", [tx.orgId, moment]);
  await runBound(tx, "delete from gate_content where org_id = $1 and created_at < $2", [tx.orgId, moment]);
}

async function withRuns(tx: Transaction, rows: readonly GateResultRow[]): Promise<FoundResult[]> {
  const ids = rows.flatMap(({ runId }) => runId ?? []);
  const runs = await runBound<{ id: string; state: RunState; error: string | null; finished_ms: number | null }>(
    tx,
    `select id, state, error_message as error, (extract(epoch from finished_at) * 1000)::float8 as finished_ms
     from run where org_id = $1 and id = any($2::uuid[])`,
    [tx.orgId, ids],
  );
  const byId = new Map(runs.map((run) => [run.id, run]));
  return rows.map((row) => {
    const run = byId.get(row.runId ?? "");
    const { state = null, error = null, finished_ms: finishedMs = null } = run ?? {};
    const runFinishedAt = finishedMs === null ? null : new Date(Math.round(finishedMs));
    return { row, runState: state, runError: error, runFinishedAt };
  });
}

// What replays of many traces have found: the traces whose outcome is another one, or is not known. A row names a trace
// and rules; it holds neither a person nor a text, so an erasure has nothing to remove from it.

import { defineEntity, p } from "@mikro-orm/core";
import type { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Page } from "../../kit/rpc/page.ts";
import { insertRows, runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "ReplayResult",
  tableName: "replay_result",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    runId: p.uuid().primary(),
    /** From 0 on, in the order in which the run found them. */
    place: p.integer().primary(),
    traceId: p.uuid(),
    createdAt: p.datetime(3),
    projectId: p.uuid(),
    environment: p.text(),
    was: p.smallint().$type<Outcome>(),
    least: p.smallint().$type<Outcome>(),
    most: p.smallint().$type<Outcome>(),
    wasRule: p.text().nullable(),
    wasPolicy: p.text().nullable(),
    rule: p.text().nullable(),
    policy: p.text().nullable(),
    hasReadText: p.boolean(),
    reasons: p.array().columnType("text[]"),
  },
});

/** One trace of a replay. */
export class ReplayResultRow extends schema.class {}
schema.setClass(ReplayResultRow);

/** A result to keep. */
export type NewReplayResult = Pick<
  ReplayResultRow,
  "traceId" | "createdAt" | "was" | "least" | "most" | "hasReadText" | "reasons"
> &
  Readonly<Record<"wasRule" | "wasPolicy" | "rule" | "policy", string | null>>;

/** How a result differs from its trace. */
export type ResultChange = "changed" | "newly_blocked" | "newly_allowed" | "bounded";

const columns = [
  ...["org_id", "run_id", "place", "trace_id", "created_at", "project_id", "environment", "was", "least", "most"],
  ...["was_rule", "was_policy", "rule", "policy", "has_read_text", "reasons"],
];

/** Adds results of one environment to those of a run, of which it has `kept`. */
export async function addReplayResults(
  tx: Transaction,
  at: { readonly runId: string; readonly projectId: string; readonly environment: string; readonly kept: number },
  results: readonly NewReplayResult[],
): Promise<void> {
  const rows = results.map((each, index) => [
    ...[tx.orgId, at.runId, at.kept + index, each.traceId, each.createdAt, at.projectId, at.environment],
    ...[each.was, each.least, each.most, each.wasRule, each.wasPolicy, each.rule, each.policy],
    ...[each.hasReadText, each.reasons],
  ]);
  await insertRows(tx, { table: "replay_result", columns, rows });
}

// Outcomes are numbers in the order of their strictness, and 4 is BLOCK.
const conditions: Readonly<Record<ResultChange, string>> = {
  changed: "(was < least or was > most)",
  newly_blocked: "(was < 4 and least = 4)",
  newly_allowed: "(was = 4 and most < 4)",
  bounded: "least < most",
};

/** A page of a run's results in their order, and their count. A run has at most some ten thousand. */
export async function listReplayResults(
  tx: Transaction,
  runId: string,
  { limit, offset, change }: Page & { readonly change: ResultChange | undefined },
): Promise<[ReplayResultRow[], number]> {
  const places = await runBound<{ place: number }>(
    tx,
    `select place from replay_result where org_id = $1 and run_id = $2
       and ${change === undefined ? "true" : conditions[change]} order by place`,
    [tx.orgId, runId],
  );
  const page = places.slice(offset, offset + limit).map(({ place }) => place);
  const where = { orgId: tx.orgId, runId, place: { $in: page } };
  return [await tx.em.find(ReplayResultRow, where, { orderBy: { place: "asc" } }), places.length];
}

/** Deletes the results of runs that were made before the moment. Returns how many. */
export async function deleteReplayResultsBefore(tx: Transaction, moment: Date): Promise<number> {
  const rows = await runBound<{ gone: number }>(
    tx,
    `with gone as (
       delete from replay_result using run
       where replay_result.org_id = $1 and run.org_id = $1 and run.id = replay_result.run_id and run.created_at < $2
       returning 1)
     select count(*)::int as gone from gone`,
    [tx.orgId, moment],
  );
  return rows[0]?.gone ?? 0;
}

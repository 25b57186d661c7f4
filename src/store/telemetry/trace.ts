// Evaluations as their runtimes reported them, in monthly partitions. Fields that lists filter by have columns; the
// rest is the record itself in its Protobuf form. The child table `trace_rule` is an index: which traces a rule was
// found in, in the order of lists, so that a page by rule costs the same whether the rule is rare or in every second
// trace.

import { defineEntity, p } from "@mikro-orm/core";
import { insertRows, runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "Trace",
  tableName: "trace",
  ...tenantTable,
  partitionBy: {
    type: "range",
    expression: "createdAt",
    partitions: [{ name: "trace_pdefault", values: "default" }],
  },
  indexes: [
    newestFirst("trace_newest", []),
    newestFirst("trace_project", ["project_id", "environment"]),
    newestFirst("trace_agent", ["agent_key"], "agent_key is not null"),
    newestFirst("trace_session", ["session_id"], "session_id is not null"),
    // Most traces have the outcome "allow", and most searches are for the others.
    newestFirst("trace_outcome", ["outcome"], "outcome > 1"),
  ],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    createdAt: p.datetime(3).primary(),
    projectId: p.uuid(),
    environment: p.text(),
    agentKey: p.text().nullable(),
    sessionId: p.text().nullable(),
    userId: p.text().nullable(),
    stage: p.smallint(),
    outcome: p.smallint(),
    wouldBeOutcome: p.smallint(),
    decidedByRule: p.text().nullable(),
    decidedByPolicy: p.text().nullable(),
    bundleVersion: p.integer(),
    latencyUs: p.integer(),
    language: p.text().nullable(),
    capture: p.smallint(),
    receivedAt: p.datetime(3),
    /** The whole EvaluationRecord, in its Protobuf form. */
    record: p.blob(),
  },
});

/** One evaluation. */
export class TraceRow extends schema.class {}
schema.setClass(TraceRow);

const ruleSchema = defineEntity({
  name: "TraceRule",
  tableName: "trace_rule",
  ...tenantTable,
  partitionBy: {
    type: "range",
    expression: "createdAt",
    partitions: [{ name: "trace_rule_pdefault", values: "default" }],
  },
  indexes: [newestFirst("trace_rule_newest", ["rule_id"])],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    createdAt: p.datetime(3).primary(),
    ruleId: p.text().primary(),
  },
});

/** One rule that was found in a trace. */
export class TraceRuleRow extends ruleSchema.class {}
ruleSchema.setClass(TraceRuleRow);

/** An index in the order of lists: org_id, the given columns, then (created_at desc, id). */
function newestFirst(name: string, columns: readonly string[], where?: string) {
  return {
    name,
    columns: [
      ...["org_id", ...columns].map((column) => ({ name: column })),
      { name: "created_at", sort: "DESC" as const },
      { name: "id" },
    ],
    ...(where === undefined ? {} : { where }),
  };
}

/** A trace to store. */
export interface NewTrace {
  readonly id: string;
  readonly createdAt: Date;
  readonly agentKey: string | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly stage: number;
  readonly outcome: number;
  readonly wouldBeOutcome: number;
  readonly decidedByRule: string | null;
  readonly decidedByPolicy: string | null;
  readonly bundleVersion: number;
  readonly latencyUs: number;
  readonly language: string | null;
  readonly capture: number;
  readonly record: Uint8Array;
  /** The rules that were found, each once. */
  readonly ruleIds: readonly string[];
}

const columns = [
  "org_id",
  "id",
  "created_at",
  "project_id",
  "environment",
  "agent_key",
  "session_id",
  "user_id",
  "stage",
  "outcome",
  "would_be_outcome",
  "decided_by_rule",
  "decided_by_policy",
  "bundle_version",
  "latency_us",
  "language",
  "capture",
  "received_at",
  "record",
];

/** Stores traces of one environment, whose keys have been claimed. */
export async function insertTraces(
  tx: Transaction,
  source: { readonly projectId: string; readonly environment: string },
  traces: readonly NewTrace[],
): Promise<void> {
  const rows = traces.map((trace) => [
    tx.orgId,
    trace.id,
    trace.createdAt,
    source.projectId,
    source.environment,
    trace.agentKey,
    trace.sessionId,
    trace.userId,
    trace.stage,
    trace.outcome,
    trace.wouldBeOutcome,
    trace.decidedByRule,
    trace.decidedByPolicy,
    trace.bundleVersion,
    trace.latencyUs,
    trace.language,
    trace.capture,
    tx.now,
    trace.record,
  ]);
  await insertRows(tx, { table: "trace", columns, rows });
  const rules = traces.flatMap(({ id, createdAt, ruleIds }) => ruleIds.map((rule) => [tx.orgId, id, createdAt, rule]));
  await insertRows(tx, { table: "trace_rule", columns: ["org_id", "id", "created_at", "rule_id"], rows: rules });
}

/** Removes the traces of a project's day (UTC). Returns how many. */
export async function deleteTraces(
  tx: Transaction,
  { day, projectId }: { readonly day: string; readonly projectId: string },
): Promise<number> {
  const rows = await runBound<{ gone: number }>(
    tx,
    `with gone as (
       delete from trace where org_id = $1 and project_id = $2
         and created_at >= $3::date at time zone 'UTC' and created_at < ($3::date + 1) at time zone 'UTC'
       returning id, created_at),
     rules as (
       delete from trace_rule r using gone where r.org_id = $1 and r.id = gone.id and r.created_at = gone.created_at)
     select count(*)::int as gone from gone`,
    [tx.orgId, projectId, day],
  );
  return rows[0]?.gone ?? 0;
}

// Evaluations as their runtimes reported them, in monthly partitions. Fields that lists filter by have columns; the
// rest is the record itself in its Protobuf form.

import { defineEntity, p } from "@mikro-orm/core";
import { type BulkColumn, insertByColumns, runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import { newestFirst } from "./newest-first.ts";
import { type Facet, insertFacets } from "./trace-facet.ts";

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
    newestFirst("trace_user", ["user_id"], "user_id is not null"),
    newestFirst("trace_former", [], "form = 0"),
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
    /** The runtime that reported it, by the id of its enrolment; null where it was stored before that was kept. */
    runtimeInstanceId: p.uuid().nullable(),
    receivedAt: p.datetime(3),
    /** When person, text, metadata and scores were erased; null when they were not. */
    erasedAt: p.datetime(3).nullable(),
    /** The EvaluationRecord in its Protobuf form. */
    record: p.blob(),
    /**
     * 1. Traces that were stored before texts and counts had tables of their own have 0 until a job has brought them to
     * form 1.
     */
    form: p.smallint().default(0),
  },
});

/** One evaluation. */
export class TraceRow extends schema.class {}
schema.setClass(TraceRow);

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
  /** Set when person and text were erased before it was stored. */
  readonly erasedAt: Date | null;
  readonly record: Uint8Array;
  /** What was found, each once. */
  readonly facets: readonly Facet[];
}

/** See the column `form`. */
const presentForm = 1;

/** Stores traces that one runtime reported, whose keys have been claimed. */
export async function insertTraces(
  tx: Transaction,
  source: { readonly projectId: string; readonly environment: string; readonly instanceId: string },
  traces: readonly NewTrace[],
): Promise<void> {
  const column = (name: string, type: BulkColumn["type"], read: (trace: NewTrace) => BulkColumn["values"][number]) => ({
    name,
    type,
    values: traces.map(read),
  });
  await insertByColumns(tx, {
    table: "trace",
    common: [
      { name: "org_id", type: "uuid", value: tx.orgId },
      { name: "project_id", type: "uuid", value: source.projectId },
      { name: "environment", type: "text", value: source.environment },
      { name: "runtime_instance_id", type: "uuid", value: source.instanceId },
      { name: "received_at", type: "timestamptz", value: tx.now },
      { name: "form", type: "smallint", value: presentForm },
    ],
    columns: [
      column("id", "uuid", ({ id }) => id),
      column("created_at", "timestamptz", ({ createdAt }) => createdAt),
      column("agent_key", "text", ({ agentKey }) => agentKey),
      column("session_id", "text", ({ sessionId }) => sessionId),
      column("user_id", "text", ({ userId }) => userId),
      column("stage", "smallint", ({ stage }) => stage),
      column("outcome", "smallint", ({ outcome }) => outcome),
      column("would_be_outcome", "smallint", ({ wouldBeOutcome }) => wouldBeOutcome),
      column("decided_by_rule", "text", ({ decidedByRule }) => decidedByRule),
      column("decided_by_policy", "text", ({ decidedByPolicy }) => decidedByPolicy),
      column("bundle_version", "int", ({ bundleVersion }) => bundleVersion),
      column("latency_us", "int", ({ latencyUs }) => latencyUs),
      column("language", "text", ({ language }) => language),
      column("capture", "smallint", ({ capture }) => capture),
      column("erased_at", "timestamptz", ({ erasedAt }) => erasedAt),
    ],
    bytes: { name: "record", values: traces.map(({ record }) => record) },
  });
  await insertFacets(tx, traces);
}

/**
 * Removes the traces of a project's day (UTC), and what annotators wrote about them; their marks stay. Returns how many
 * traces.
 */
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
     facets as (
       delete from trace_facet f using gone where f.org_id = $1 and f.id = gone.id and f.created_at = gone.created_at),
     texts as (
       delete from trace_text x using gone where x.org_id = $1 and x.id = gone.id and x.created_at = gone.created_at),
     notes as (
       update annotation a set note = null, spans = '[]' from gone where a.org_id = $1 and a.trace_id = gone.id),
     waiting as (delete from annotation_queue q using gone where q.org_id = $1 and q.trace_id = gone.id)
     select count(*)::int as gone from gone`,
    [tx.orgId, projectId, day],
  );
  return rows[0]?.gone ?? 0;
}

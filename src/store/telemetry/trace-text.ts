// The captured text of traces, sealed, in a table of its own: lists never read it, and erasing it is a delete.

import { defineEntity, p } from "@mikro-orm/core";
import { insertByColumns, runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "TraceText",
  tableName: "trace_text",
  ...tenantTable,
  partitionBy: {
    type: "range",
    expression: "createdAt",
    partitions: [{ name: "trace_text_pdefault", values: "default" }],
  },
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    createdAt: p.datetime(3).primary(),
    sealed: p.blob(),
  },
});

/** The text of one trace. */
export class TraceTextRow extends schema.class {}
schema.setClass(TraceTextRow);

/** The sealed text of a trace. */
export interface SealedText {
  readonly id: string;
  readonly createdAt: Date;
  readonly sealed: Uint8Array;
}

/** Stores the texts of traces. */
export async function insertTexts(tx: Transaction, texts: readonly SealedText[]): Promise<void> {
  await insertByColumns(tx, {
    table: "trace_text",
    common: [{ name: "org_id", type: "uuid", value: tx.orgId }],
    columns: [
      { name: "id", type: "uuid", values: texts.map(({ id }) => id) },
      { name: "created_at", type: "timestamptz", values: texts.map(({ createdAt }) => createdAt) },
    ],
    bytes: { name: "sealed", values: texts.map(({ sealed }) => sealed) },
  });
}

/** The texts of these traces, by their ids; those without text are left out. */
export async function readTexts(
  tx: Transaction,
  traces: readonly { readonly id: string; readonly createdAt: Date }[],
): Promise<Map<string, Buffer>> {
  if (traces.length === 0) return new Map();
  const times = traces.map(({ createdAt }) => createdAt.getTime());
  // The bounds of the time tell the planner which partitions there are to look at.
  const rows = await runBound<{ id: string; sealed: Buffer }>(
    tx,
    `select id, sealed from trace_text
     where org_id = $1 and id = any($2::uuid[]) and created_at >= $3 and created_at <= $4`,
    [tx.orgId, traces.map(({ id }) => id), new Date(Math.min(...times)), new Date(Math.max(...times))],
  );
  return new Map(rows.map(({ id, sealed }) => [id, sealed]));
}

/** The text of one trace, or the record that contains it. */
export interface StoredText {
  readonly id: string;
  readonly createdAt: Date;
  readonly sealed: Buffer | null;
  /** Of a trace of form 0. */
  readonly record: Buffer | null;
}

/** The texts of the first of these traces, in their order: up to `maxBytes` as they are stored. */
export async function readFirstTexts(
  tx: Transaction,
  traces: readonly { readonly id: string; readonly createdAt: Date }[],
  maxBytes: number,
): Promise<StoredText[]> {
  if (traces.length === 0) return [];
  const times = traces.map(({ createdAt }) => createdAt.getTime());
  const rows = await runBound<{ id: string; created_ms: number; sealed: Buffer | null; record: Buffer | null }>(
    tx,
    `select id, created_ms, sealed, record from (
       select id, created_ms, place, sealed, record,
         sum(coalesce(octet_length(sealed), octet_length(record), 0)) over (order by place) as bytes
       from (
         select t.id, page.created_ms, page.place, x.sealed, case when t.form = 0 then t.record end as record
         from unnest($2::uuid[], $3::float8[]) with ordinality as page (id, created_ms, place)
           join trace t on t.org_id = $1 and t.id = page.id and t.created_at = to_timestamp(page.created_ms / 1000.0)
           left join trace_text x on x.org_id = $1 and x.id = t.id and x.created_at = t.created_at
             and x.created_at >= $4 and x.created_at <= $5
         where t.created_at >= $4 and t.created_at <= $5) page) texts
     where bytes <= $6 order by place`,
    [
      ...[tx.orgId, traces.map(({ id }) => id), times],
      ...[new Date(Math.min(...times)), new Date(Math.max(...times)), maxBytes],
    ],
  );
  return rows.map(({ created_ms, ...text }) => ({ ...text, createdAt: new Date(Math.round(created_ms)) }));
}

/** The ids of those of these traces that have a text. */
export async function listTextIds(
  tx: Transaction,
  traces: readonly { readonly id: string; readonly createdAt: Date }[],
): Promise<Set<string>> {
  if (traces.length === 0) return new Set();
  const times = traces.map(({ createdAt }) => createdAt.getTime());
  const rows = await runBound<{ id: string }>(
    tx,
    "select id from trace_text where org_id = $1 and id = any($2::uuid[]) and created_at >= $3 and created_at <= $4",
    [tx.orgId, traces.map(({ id }) => id), new Date(Math.min(...times)), new Date(Math.max(...times))],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Removes up to `limit` texts of traces that were made before this time. Returns how many. */
export async function deleteTextsBefore(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await runBound<{ gone: number }>(
    tx,
    `with gone as (
       delete from trace_text x using (
         select id, created_at from trace_text where org_id = $1 and created_at < $2 limit $3) old
       where x.org_id = $1 and x.created_at < $2 and x.id = old.id and x.created_at = old.created_at returning 1)
     select count(*)::int as gone from gone`,
    [tx.orgId, before, limit],
  );
  return rows[0]?.gone ?? 0;
}

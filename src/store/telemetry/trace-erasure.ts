// Finds and rewrites what an erasure reaches: traces, events for webhooks, and openings of evidence.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import type { TraceCursor } from "./trace-query.ts";

/** A trace that may have to be erased. */
export interface StoredTrace extends TraceCursor {
  readonly record: Buffer;
}

/** Which traces to look at: those of a person, of a conversation, with these ids, or all. */
export type ErasureScope =
  | { readonly userId: string }
  | { readonly sessionId: string }
  | { readonly ids: readonly string[] }
  | "all";

/** Which of them: those after a position in the order of lists, made at or before a time. */
export interface ErasureReach {
  readonly after: TraceCursor | undefined;
  readonly until: Date;
  readonly limit: number;
}

/** The next traces in the order of lists that were not erased, locked until the commit. */
export async function lockTracesToErase(
  tx: Transaction,
  scope: ErasureScope,
  { after, until, limit }: ErasureReach,
): Promise<StoredTrace[]> {
  const [condition, values]: [string, unknown[]] =
    scope === "all"
      ? ["true", []]
      : "userId" in scope
        ? ["user_id = $6", [scope.userId]]
        : "sessionId" in scope
          ? ["session_id = $6", [scope.sessionId]]
          : ["id = any($6::uuid[])", [[...scope.ids]]];
  const from = after?.createdAt ?? until;
  const rows = await runBound<{ id: string; created_ms: number; record: Buffer }>(
    tx,
    `select id, (extract(epoch from created_at) * 1000)::float8 as created_ms, record from trace
     where org_id = $1 and created_at <= $2 and ($3::uuid is null or created_at < $2 or id > $3) and created_at <= $4
       and erased_at is null and ${condition}
     order by created_at desc, id limit $5 for no key update`,
    [tx.orgId, from, after?.id ?? null, until, limit, ...values],
  );
  return rows.map(({ id, created_ms, record }) => ({ id, createdAt: new Date(Math.round(created_ms)), record }));
}

/** Replaces the records of traces by these, and removes person, conversation, text and what annotators wrote. */
export async function eraseTraces(
  tx: Transaction,
  traces: readonly (TraceCursor & { readonly record: Uint8Array })[],
): Promise<void> {
  if (traces.length === 0) return;
  await runBound(
    tx,
    `with erased as (
       select id, to_timestamp(created_ms / 1000.0) as created_at, decode(record, 'base64') as record
       from unnest($3::uuid[], $4::float8[], $5::text[]) as given (id, created_ms, record)),
     texts as (
       delete from trace_text x using erased e where x.org_id = $1 and x.id = e.id and x.created_at = e.created_at),
     notes as (
       update annotation a set note = null, spans = '[]' from erased e where a.org_id = $1 and a.trace_id = e.id),
     waiting as (delete from annotation_queue q using erased e where q.org_id = $1 and q.trace_id = e.id)
     update trace t set user_id = null, session_id = null, erased_at = $2, record = e.record from erased e
     where t.org_id = $1 and t.id = e.id and t.created_at = e.created_at`,
    [
      ...[tx.orgId, tx.now],
      traces.map(({ id }) => id),
      traces.map(({ createdAt }) => createdAt.getTime()),
      traces.map(({ record }) => Buffer.from(record).toString("base64")),
    ],
  );
}

/** An event as it is sent. */
export interface SentEvent {
  readonly id: string;
  readonly body: string;
}

/** The next blocked evaluations that webhooks are told of, in the order of their ids. */
export function nextBlockedEvents(tx: Transaction, afterId: string, limit: number): Promise<SentEvent[]> {
  return runBound(
    tx,
    `select id, body from event where org_id = $1 and id > $2 and name = 'evaluation.blocked' order by id limit $3
     for no key update`,
    [tx.orgId, afterId, limit],
  );
}

/** Those of the traces that were erased. */
export async function erasedTracesAmong(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  const rows = await runBound<{ id: string }>(
    tx,
    "select id from trace where org_id = $1 and id = any($2::uuid[]) and erased_at is not null",
    [tx.orgId, [...ids]],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Replaces the bodies of events. What targets answered may repeat the former ones, so it goes too. */
export async function rewriteEvents(tx: Transaction, events: readonly SentEvent[]): Promise<void> {
  if (events.length === 0) return;
  const ids = events.map(({ id }) => id);
  await runBound(
    tx,
    `update event e set body = rewritten.body from unnest($2::text[], $3::text[]) as rewritten (id, body)
     where e.org_id = $1 and e.id = rewritten.id`,
    [tx.orgId, ids, events.map(({ body }) => body)],
  );
  await runBound(
    tx,
    `update webhook_attempt a set answer = null from webhook_delivery d
     where a.org_id = $1 and a.answer is not null and d.org_id = a.org_id and d.id = a.delivery_id
       and d.event_id = any($2::text[])`,
    [tx.orgId, ids],
  );
}

/** The openings of an entry that an erasure looks at. */
export interface StoredOpenings {
  readonly seq: number;
  readonly actor: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** The openings of entries with these numbers, in their order. `texts` narrows to those that contain one of them. */
export async function openingsBetween(
  tx: Transaction,
  { from, until }: { readonly from: number; readonly until: number },
  texts: readonly string[] | undefined,
): Promise<StoredOpenings[]> {
  const contains = (column: string) =>
    `exists (select from unnest($4::text[]) wanted where position(wanted in ${column}) > 0)`;
  const rows = await runBound<{ seq: string; actor: string | null; before: string | null; after: string | null }>(
    tx,
    `select seq, actor, before, after from audit_opening where org_id = $1 and seq >= $2 and seq < $3
       and ($4::text[] is null or ${["actor", "before", "after"].map(contains).join(" or ")}) order by seq`,
    [tx.orgId, from, until, texts === undefined ? null : [...texts]],
  );
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

/** How many entries the organization's log has. */
export async function countEntries(tx: Transaction): Promise<number> {
  const rows = await runBound<{ size: string }>(tx, "select size from audit_head where org_id = $1", [tx.orgId]);
  return Number(rows[0]?.size ?? 0);
}

/** The e-mail address that the log knows a member by, or undefined. Of one who has left, entries alone tell it. */
export async function addressOfMember(tx: Transaction, memberId: string): Promise<string | undefined> {
  const rows = await runBound<{ email: string | null }>(
    tx,
    `select email from (
       select 0 as place, email from member where org_id = $1 and id = $2
       union all
       select e.seq + 1, coalesce(nullif(o.before, 'null'), o.after)::jsonb->>'email' from audit_entry e
         join audit_opening o on o.org_id = e.org_id and o.seq = e.seq
         where e.org_id = $1 and e.resource = 'member/' || $2::text) known
     where email is not null order by place limit 1`,
    [tx.orgId, memberId],
  );
  return rows[0]?.email ?? undefined;
}

/** Which openings of an entry to erase. */
export interface OpeningErasure {
  readonly seq: number;
  /** The actor goes together with the address that the call came from. */
  readonly actor: boolean;
  readonly before: boolean;
  readonly after: boolean;
}

/** Erases openings: the entries and every proof about them stay as they are. */
export async function eraseOpenings(tx: Transaction, erasures: readonly OpeningErasure[]): Promise<void> {
  if (erasures.length === 0) return;
  await runBound(tx, "select app.erase_openings($1::bigint[], $2::bool[], $3::bool[], $4::bool[])", [
    erasures.map(({ seq }) => seq),
    erasures.map(({ actor }) => actor),
    erasures.map(({ before }) => before),
    erasures.map(({ after }) => after),
  ]);
}

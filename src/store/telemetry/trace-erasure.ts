// Finds and rewrites what an erasure reaches: traces, events for webhooks, and openings of evidence.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import type { TraceCursor } from "./trace-query.ts";

/** A trace that may have to be erased. */
export interface StoredTrace extends TraceCursor {
  readonly record: Buffer;
}

/** Which traces to look at: those of persons or conversations, with these ids, or all in which something was found. */
export type ErasureScope =
  | { readonly userIds: readonly string[] }
  | { readonly sessionIds: readonly string[] }
  | { readonly ids: readonly string[] }
  | "found";

/** Which of them: those after a position in the order of lists, made at or before a time. */
export interface ErasureReach {
  readonly after: TraceCursor | undefined;
  readonly until: Date;
}

/** Bounds of one step. */
export interface ErasureBounds {
  /** Rows of the index that leads to the traces. */
  readonly maxRows: number;
  /** Traces. */
  readonly maxTraces: number;
  /** Bytes of their records. The first is always among them. */
  readonly maxBytes: number;
}

/** Traces to look at, and where the next step begins; undefined at the end. */
export interface ErasureStretch {
  readonly positions: readonly TraceCursor[];
  /** Rows that were looked at. */
  readonly seen: number;
  readonly end: TraceCursor | undefined;
}

const foundSomething =
  "exists (select from trace_facet f where f.org_id = $1 and f.id = t.id and f.created_at = t.created_at)";

/** The next traces in the order of lists that were not erased. */
export async function findTracesToErase(
  tx: Transaction,
  scope: ErasureScope,
  { after, until }: ErasureReach,
  { maxRows, maxTraces, maxBytes }: ErasureBounds,
): Promise<ErasureStretch> {
  const [driving, values] = drivingOf(scope);
  const rows = await runBound<{ id: string; created_ms: number; rows: number; traces: number; bytes: string }>(
    tx,
    `with chunk as materialized (
       select id, created_at from trace
       where org_id = $1 and created_at <= $2 and ($3::uuid is null or created_at < $2 or id > $3) and created_at <= $4
         and ${driving} order by created_at desc, id limit $5),
     page as (
       select t.id, t.created_at, octet_length(t.record) as bytes
       from chunk join trace t on t.org_id = $1 and t.id = chunk.id and t.created_at = chunk.created_at
       where t.created_at <= $2 and t.erased_at is null and ${scope === "found" ? foundSomething : "true"}
       order by t.created_at desc, t.id limit $6),
     counted as (
       select id, created_at, sum(bytes) over list as bytes, row_number() over list as place from page
       window list as (order by created_at desc, id)),
     bounds as (select (select count(*) from chunk)::int as rows, (select count(*) from page)::int as traces)
     select id, (extract(epoch from created_at) * 1000)::float8 as created_ms, rows, traces, bytes
     from counted cross join bounds where bytes <= $7 or place = 1
     union all
     (select id, (extract(epoch from created_at) * 1000)::float8, rows, traces, -1 from chunk cross join bounds
      order by created_at, id desc limit 1)`,
    [
      ...[tx.orgId, after?.createdAt ?? until, after?.id ?? null, until, maxRows, maxTraces, maxBytes],
      ...(values === undefined ? [] : [[...values]]),
    ],
  );
  const cursorOf = ({ id, created_ms }: { readonly id: string; readonly created_ms: number }): TraceCursor => ({
    id,
    createdAt: new Date(Math.round(created_ms)),
  });
  const last = rows.find(({ bytes }) => Number(bytes) < 0);
  if (last === undefined) return { positions: [], seen: 0, end: undefined };
  const positions = rows.filter(({ bytes }) => Number(bytes) >= 0).map(cursorOf);
  positions.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1));
  const isWhole = positions.length === last.traces && last.traces < maxTraces;
  if (!isWhole) return { positions, seen: positions.length, end: positions.at(-1) };
  return { positions, seen: last.rows, end: last.rows < maxRows ? undefined : cursorOf(last) };
}

function drivingOf(scope: ErasureScope): [condition: string, values: readonly string[] | undefined] {
  if (scope === "found") return ["true", undefined];
  if ("userIds" in scope) return ["user_id = any($8::text[])", scope.userIds];
  if ("sessionIds" in scope) return ["session_id = any($8::text[])", scope.sessionIds];
  return ["id = any($8::uuid[])", scope.ids];
}

/** The traces at these positions that were not erased, locked until the commit. */
export async function lockTracesToErase(tx: Transaction, positions: readonly TraceCursor[]): Promise<StoredTrace[]> {
  if (positions.length === 0) return [];
  const times = positions.map(({ createdAt }) => createdAt.getTime());
  const rows = await runBound<{ id: string; created_ms: number; record: Buffer }>(
    tx,
    `select t.id, page.created_ms, t.record
     from unnest($2::uuid[], $3::float8[]) with ordinality as page (id, created_ms, place) join trace t
       on t.org_id = $1 and t.id = page.id and t.created_at = to_timestamp(page.created_ms / 1000.0)
     where t.created_at >= $4 and t.created_at <= $5 and t.erased_at is null order by place for no key update of t`,
    [
      ...[tx.orgId, positions.map(({ id }) => id), times],
      ...[new Date(Math.min(...times)), new Date(Math.max(...times))],
    ],
  );
  return rows.map(({ id, created_ms, record }) => ({ id, createdAt: new Date(Math.round(created_ms)), record }));
}

const nextIdsSql = `select id::text as value from trace
  where org_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`;

function looseScanSql(column: string): string {
  const after = (condition: string) =>
    `select t.${column} as value from trace t where t.org_id = $1 and t.${column} is not null and ${condition}
     order by t.${column} limit 1`;
  return `with recursive found as (
      (${after(`($2::text is null or t.${column} > $2)`)})
      union all
      select (${after(`t.${column} > found.value`)}) from found where found.value is not null)
    select value from found where value is not null limit $3`;
}

/** What an erasure that knows a digest only may be about. */
export type SearchedValue = "user" | "session" | "traces";

/**
 * The next values after this one that traces have, in their order: persons, conversations or ids. It goes from value to
 * value along their index (a loose index scan), so that a person with a million traces costs as much as one with a few.
 */
export async function nextTraceValues(
  tx: Transaction,
  kind: SearchedValue,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<string[]> {
  const rows = await runBound<{ value: string }>(
    tx,
    kind === "traces" ? nextIdsSql : looseScanSql(kind === "user" ? "user_id" : "session_id"),
    [tx.orgId, after ?? null, limit],
  );
  return rows.map(({ value }) => value);
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

/** A trace as an erasure sees it. */
export interface TraceRecord {
  readonly id: string;
  readonly createdAt: Date;
  readonly erasedAt: Date | null;
  readonly record: Buffer;
}

/** Those of these traces that are still there. */
export function recordsOfTraces(tx: Transaction, ids: readonly string[]): Promise<TraceRecord[]> {
  return runBound<TraceRecord>(
    tx,
    `select id, created_at as "createdAt", erased_at as "erasedAt", record from trace
     where org_id = $1 and id = any($2::uuid[])`,
    [tx.orgId, [...ids]],
  );
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

/**
 * The openings of entries with these numbers, in their order. `texts` narrows to those that contain one of them, in
 * capital letters or small ones.
 */
export async function openingsBetween(
  tx: Transaction,
  { from, until }: { readonly from: number; readonly until: number },
  texts: readonly string[] | undefined,
): Promise<StoredOpenings[]> {
  const contains = (column: string) =>
    `exists (select from unnest($4::text[]) wanted where position(lower(wanted) in lower(${column})) > 0)`;
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

/**
 * The e-mail addresses that a member has and had, as each was spelt: by the membership, by the account, and by entries
 * of the log, which alone tell of one who has left.
 */
export async function addressesOfMember(tx: Transaction, memberId: string): Promise<string[]> {
  const rows = await runBound<{ email: string }>(
    tx,
    `select distinct email from (
       select m.email from member m where m.org_id = $1 and m.id = $2
       union all
       select a.email from member m join app.member_accounts() a on a.account_id = m.account_id
         where m.org_id = $1 and m.id = $2
       union all
       select value::jsonb->>'email' from audit_entry e
         join audit_opening o on o.org_id = e.org_id and o.seq = e.seq
         cross join lateral (values (o.before), (o.after)) as said (value)
         where e.org_id = $1 and e.resource = 'member/' || $2::text) known
     where email is not null order by email`,
    [tx.orgId, memberId],
  );
  return rows.map(({ email }) => email);
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

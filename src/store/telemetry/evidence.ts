// Reads the log of evidence: entries with their openings.

import { canonicalText } from "../../kit/crypto/canonical.ts";
import { type CommittedField, type Opening, openable } from "../../kit/evidence/leaf.ts";
import type { LogEntry } from "../../kit/evidence/log-file.ts";
import type { Page } from "../../kit/rpc/page.ts";
import { runBound } from "../core/bulk.ts";
import type { Change, Transaction } from "../core/transaction.ts";

/** The filter of a search. Every given field has to match. */
export interface EvidenceFilter {
  readonly action: string | undefined;
  readonly actor: string | undefined;
  readonly resource: string | undefined;
  /** Earliest time. */
  readonly since: Date | undefined;
  /** Time after the latest one. */
  readonly until: Date | undefined;
  /** Actions, or their kinds as "team.*", of which an entry has one. */
  readonly actions?: readonly string[] | undefined;
}

/** The opening of a commitment, or the salt alone where a list leaves a long value out. */
export type FoundOpening = Opening | { readonly salt: Uint8Array; readonly value: undefined };

/** An entry: its leaf, and those of its openings that were not erased. */
export interface FoundEntry {
  readonly leaf: string;
  readonly leafHash: Buffer;
  readonly openings: Partial<Readonly<Record<CommittedField, FoundOpening>>>;
}

/** Bytes of `before` and of `after` in a list. Longer values are left out. */
export const maxListedBytes = 4_096;

interface Row {
  readonly leaf: string;
  readonly leaf_hash: Buffer;
  readonly actor: string | null;
  readonly actor_salt: Buffer | null;
  readonly address: string | null;
  readonly address_salt: Buffer | null;
  readonly before: string | null;
  readonly before_salt: Buffer | null;
  readonly after: string | null;
  readonly after_salt: Buffer | null;
}

const openings = "o.actor, o.actor_salt, o.address, o.address_salt, o.before_salt, o.after_salt";
const entry = `e.leaf, e.leaf_hash, ${openings}`;
const opened = "left join audit_opening o on o.org_id = e.org_id and o.seq = e.seq";

/** The entry of this number, or undefined when there is none, or its retention is over. */
export async function findEvidence(tx: Transaction, seq: number): Promise<FoundEntry | undefined> {
  const rows = await runBound<Row>(
    tx,
    `select ${entry}, o.before, o.after from audit_entry e ${opened} where e.org_id = $1 and e.seq = $2 and e.leaf is not null`,
    [tx.orgId, seq],
  );
  return rows.map(foundEntry)[0];
}

/** A page of the entries that match, newest first, and the count of all. */
export async function listEvidence(
  tx: Transaction,
  filter: EvidenceFilter,
  { limit, offset }: Page,
): Promise<[FoundEntry[], number]> {
  const { text, parameters } = matching(tx.orgId, filter);
  const counted = await runBound<{ count: number }>(tx, `select count(*)::int as count ${text}`, parameters);
  const total = counted[0]?.count ?? 0;
  if (offset >= total) return [[], total];
  const listed = (name: string) =>
    `case when octet_length(o.${name}) <= ${maxListedBytes} then o.${name} end as ${name}`;
  const page = `$${parameters.length + 1} offset $${parameters.length + 2}`;
  const rows = await runBound<Row>(
    tx,
    `select ${entry}, ${listed("before")}, ${listed("after")}
     from (select e.org_id, e.seq ${text} order by e.seq desc limit ${page}) page
     join audit_entry e on e.org_id = page.org_id and e.seq = page.seq ${opened} order by e.seq desc`,
    [...parameters, limit, offset],
  );
  return [rows.map(foundEntry), total];
}

/** Whether an entry of this action already has the change's resource and new state. */
export async function hasEntry(tx: Transaction, action: string, { resource, after }: Change): Promise<boolean> {
  const rows = await runBound(
    tx,
    `select e.seq from audit_entry e ${opened}
     where e.org_id = $1 and e.action = $2 and e.resource = $3 and o.after = $4 limit 1`,
    [tx.orgId, action, resource, canonicalText(openable(after))],
  );
  return rows.length > 0;
}

/** An entry of the log, whether it matches or not. */
export interface BlockRow {
  readonly seq: number;
  /** Whether its retention is over. */
  readonly isForgotten: boolean;
  /** The entry with everything of it, when it matches. */
  readonly entry: LogEntry | undefined;
}

/** The entries from number `from` up to and without `to`. */
export async function readBlock(
  tx: Transaction,
  filter: EvidenceFilter,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<BlockRow[]> {
  const parameters: unknown[] = [tx.orgId, from, to];
  const matches = conditionsOf(filter, parameters).join(" and ");
  const rows = await runBound<
    Omit<Row, "leaf" | "leaf_hash"> & { seq: string; is_forgotten: boolean; leaf: string | null }
  >(
    tx,
    `select b.seq, b.is_forgotten, case when b.matches then b.leaf end as leaf, ${openings}, o.before, o.after
     from (
       select e.seq, e.leaf, e.leaf is null as is_forgotten, ${matches} as matches from audit_entry e ${opened}
       where e.org_id = $1 and e.seq >= $2 and e.seq < $3) b
     left join audit_opening o on b.matches and o.org_id = $1 and o.seq = b.seq order by b.seq`,
    parameters,
  );
  return rows.map(({ seq: text, is_forgotten: isForgotten, leaf, ...row }) => {
    const seq = Number(text);
    return { seq, isForgotten, entry: leaf === null ? undefined : logEntry(seq, leaf, row) };
  });
}

/** The entries of these numbers, in their order, without those whose retention is over. */
export async function readEntries(tx: Transaction, seqs: readonly number[]): Promise<LogEntry[]> {
  const rows = await runBound<Omit<Row, "leaf_hash"> & { seq: string }>(
    tx,
    `select e.seq, e.leaf, ${openings}, o.before, o.after
     from unnest($2::bigint[]) as wanted (seq) join audit_entry e on e.org_id = $1 and e.seq = wanted.seq ${opened}
     where e.leaf is not null order by e.seq`,
    [tx.orgId, seqs],
  );
  return rows.map(({ seq, leaf, ...row }) => logEntry(Number(seq), leaf, row));
}

function logEntry(seq: number, leaf: string, row: Omit<Row, "leaf" | "leaf_hash">): LogEntry {
  const whole = Object.entries(openingsOf(row)).flatMap(([field, { salt, value }]) =>
    value === undefined ? [] : [[field, { salt, value }]],
  );
  return { seq, leaf, openings: Object.fromEntries(whole) };
}

/** How many of the entries of a time have each action. */
export async function countActions(
  tx: Transaction,
  times: Pick<EvidenceFilter, "since" | "until">,
): Promise<ReadonlyMap<string, number>> {
  const none = { action: undefined, actor: undefined, resource: undefined };
  const { text, parameters } = matching(tx.orgId, { ...none, ...times });
  const rows = await runBound<{ action: string; count: number }>(
    tx,
    `select e.action, count(*)::int as count ${text} group by e.action`,
    parameters,
  );
  return new Map(rows.map(({ action, count }) => [action, count]));
}

function matching(orgId: string, filter: EvidenceFilter) {
  const parameters: unknown[] = [orgId];
  const conditions = ["e.org_id = $1", ...conditionsOf(filter, parameters)];
  const from = filter.actor === undefined ? "audit_entry e" : `audit_entry e ${opened}`;
  return { text: `from ${from} where ${conditions.join(" and ")}`, parameters };
}

/** Conditions that an entry has to meet. Adds the values to the parameters. */
function conditionsOf(
  { action, actor, resource, since, until, actions }: EvidenceFilter,
  parameters: unknown[],
): string[] {
  const conditions = ["e.leaf is not null"];
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(condition.replaceAll("?", `$${parameters.push(value)}`));
  };
  add("e.action = ?", action);
  add("(e.action = any(?::text[]) or split_part(e.action, '.', 1) || '.*' = any(?::text[]))", actions);
  add("o.actor = ?", actor);
  add("e.resource = ?", resource);
  add("e.created_at >= ?", since);
  add("e.created_at < ?", until);
  return conditions;
}

function foundEntry({ leaf, leaf_hash: leafHash, ...row }: Row): FoundEntry {
  return { leaf, leafHash, openings: openingsOf(row) };
}

function openingsOf(row: Omit<Row, "leaf" | "leaf_hash">): FoundEntry["openings"] {
  return {
    ...opening("actor", row.actor === null ? null : JSON.stringify(row.actor), row.actor_salt),
    ...opening("address", row.address === null ? null : JSON.stringify(row.address), row.address_salt),
    ...opening("before", row.before, row.before_salt),
    ...opening("after", row.after, row.after_salt),
  };
}

function opening(field: CommittedField, value: string | null, salt: Buffer | null): FoundEntry["openings"] {
  return salt === null ? {} : { [field]: { salt, value: value ?? undefined } };
}

// The record of who changed what. Entries of an organization are numbered without a gap and hashed as leaves of a
// Merkle tree (kit/evidence/leaf.ts), so that later proofs need no rewriting. An entry never changes: the logins
// may not, and a trigger refuses it to everybody else (entryTriggerSql). Past its retention it loses everything but its
// hash.

import { defineEntity, p } from "@mikro-orm/core";
import { leafHash, leafText, newOpening, openable } from "../../kit/evidence/leaf.ts";
import { runBound } from "../core/bulk.ts";
import { lookupRole, ownerRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import { lookupTenantTable, tenantTable } from "../core/tenant.ts";
import type { AuditAuthor, Change, Transaction } from "../core/transaction.ts";

const headSchema = defineEntity({
  name: "AuditHead",
  tableName: "audit_head",
  ...lookupTenantTable,
  properties: { orgId: p.uuid().primary(), size: p.bigint("number") },
});

/** How many entries an organization has; its row lock numbers them without a gap. */
export class AuditHeadRow extends headSchema.class {}
headSchema.setClass(AuditHeadRow);

const schema = defineEntity({
  name: "AuditEntry",
  tableName: "audit_entry",
  ...tenantTable,
  indexes: [
    { name: "audit_entry_action", properties: ["orgId", "action", "seq"] },
    { name: "audit_entry_resource", properties: ["orgId", "resource", "seq"] },
    { name: "audit_entry_created", properties: ["orgId", "createdAt"] },
  ],
  properties: {
    orgId: p.uuid().primary(),
    seq: p.bigint("number").primary(),
    /** Canonical JSON of the entry: the bytes that are hashed. Null past its retention, and what repeats it too. */
    leaf: p.text().nullable(),
    leafHash: p.blob(),
    action: p.text().nullable(),
    resource: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});

/** An entry. */
export class AuditEntryRow extends schema.class {}
schema.setClass(AuditEntryRow);

/** Entries after which a checkpoint is signed without waiting for the minute. */
const entriesToCheckpoint = 1_000;

/** Appends the entry of a change, in the change's own transaction. */
export async function writeAuditEntry(tx: Transaction, caller: AuditAuthor, change: Change): Promise<void> {
  const rows = await tx.sql<{ seq: string }>(
    `insert into audit_head (org_id, size) values (?, 1)
     on conflict (org_id) do update set size = audit_head.size + 1 returning size - 1 as seq`,
    [tx.orgId],
  );
  const seq = Number(rows[0]?.seq);
  const { address, requestId } = caller.audit;
  const action = change.action ?? caller.audit.action;
  const facts = { seq, orgId: tx.orgId, createdAt: tx.now, action, resource: change.resource, requestId };
  const openings = {
    actor: newOpening(caller.credential.label),
    address: newOpening(address),
    before: newOpening(openable(change.before)),
    after: newOpening(openable(change.after)),
  };
  const leaf = leafText({ ...facts, credential: caller.credential.id }, openings);
  // One statement, whose parameters do not become part of its text: values belong neither into logs nor into
  // statistics.
  await runBound(
    tx,
    `with entry as (
       insert into audit_entry (org_id, seq, leaf, leaf_hash, action, resource, created_at)
       values ($1, $2, $3, $4, $5, $6, $7))
     insert into audit_opening
       (org_id, seq, actor, actor_salt, address, address_salt, before, before_salt, after, after_salt)
     values ($1, $2, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      ...[tx.orgId, seq, leaf, leafHash(leaf), action, change.resource, tx.now],
      ...[caller.credential.label, openings.actor.salt, address, openings.address.salt],
      ...[openings.before.value, openings.before.salt, openings.after.value, openings.after.salt],
    ],
  );
  if ((seq + 1) % entriesToCheckpoint === 0) await tx.enqueue({ task: signingJob, payload: {}, key: signingJob });
}

/** The job that signs checkpoints. */
const signingJob = "sign-checkpoints";

/** Functions of the log. */
export const auditFunctions: readonly SqlFunction[] = [
  {
    // An entry goes with its organization and not otherwise, and loses its leaf after ninety days at the earliest. Of
    // the look-up role, which sees organizations whatever the session reaches; by the time that a deletion cascades
    // here, its own is out of sight.
    signature: "refuse_entry_change()",
    owner: lookupRole,
    callers: [ownerRole],
    create: `create or replace function app.refuse_entry_change() returns trigger
      language plpgsql security definer set search_path = pg_catalog, public as $$
      begin
        if tg_op = 'DELETE' and not exists (select from public.organization o where o.id = old.org_id) then
          return old;
        end if;
        if tg_op = 'UPDATE' and old.created_at < now() - interval '90 days'
          and new.leaf is null and new.action is null and new.resource is null
          and (new.org_id, new.seq, new.leaf_hash, new.created_at) = (old.org_id, old.seq, old.leaf_hash, old.created_at)
        then
          return new;
        end if;
        raise exception 'entries of the log of evidence are never changed: % refused', lower(tg_op)
          using errcode = 'restrict_violation';
      end $$`,
  },
  {
    // The one change of openings that the worker may make: to none. Row policies hold for the owner too, so it reaches
    // the transaction's organization only.
    signature: "erase_openings(bigint[], boolean[], boolean[], boolean[])",
    owner: ownerRole,
    callers: [workerRole],
    create: `create or replace function app.erase_openings(seqs bigint[], actors boolean[], befores boolean[], afters boolean[])
      returns void language sql security definer set search_path = pg_catalog, public as $$
        update public.audit_opening o set
          actor = case when e.actor then null else o.actor end,
          actor_salt = case when e.actor then null else o.actor_salt end,
          address = case when e.actor then null else o.address end,
          address_salt = case when e.actor then null else o.address_salt end,
          before = case when e.before then null else o.before end,
          before_salt = case when e.before then null else o.before_salt end,
          after = case when e.after then null else o.after end,
          after_salt = case when e.after then null else o.after_salt end
        from unnest(seqs, actors, befores, afters) as e (seq, actor, before, after) where o.seq = e.seq
      $$`,
  },
  {
    // Openings go together with the leaf, so the entries that have one are those that are kept. What is forgotten is
    // always a beginning of the log, up to the first entry that is young enough, so that one number says what is gone.
    // Entries about forgetting do not make it forget: each night they would leave a new one for a later night.
    signature: "forget_entries(timestamptz, integer)",
    owner: ownerRole,
    callers: [workerRole],
    create: `create or replace function app.forget_entries(made_before timestamptz, most integer)
      returns table (forgotten integer) language sql security definer set search_path = pg_catalog, public as $$
        with oldest as (
          select e.seq, e.created_at < least(made_before, now() - interval '90 days') as is_old
          from (select o.seq from public.audit_opening o order by o.seq limit most) o
          join public.audit_entry e using (seq)),
        first_other as (
          select e.created_at from public.audit_opening o join public.audit_entry e using (seq)
          where e.action <> 'evidence.forget' order by o.seq limit 1),
        old as (
          select o.seq from oldest o
          where o.seq < coalesce((select min(y.seq) from oldest y where not y.is_old), 9223372036854775807)
            and exists (
              select from first_other f where f.created_at < least(made_before, now() - interval '90 days'))),
        openings as (delete from public.audit_opening o using old where o.seq = old.seq),
        entries as (
          update public.audit_entry e set leaf = null, action = null, resource = null from old where e.seq = old.seq
          returning 1)
        select count(*)::int from entries
      $$`,
  },
];

/** Entries that were forgotten. */
export interface Forgotten {
  readonly entries: number;
  /** Number of the first entry that is kept: every one before is forgotten, then or before. */
  readonly firstKept: number;
}

/** Makes up to `most` of the oldest entries from before this time lose everything but their hash. */
export async function forgetEntries(tx: Transaction, madeBefore: Date, most: number): Promise<Forgotten> {
  const rows = await runBound<{ forgotten: number }>(tx, "select forgotten from app.forget_entries($1, $2)", [
    madeBefore,
    most,
  ]);
  const kept = await runBound<{ first: string }>(
    tx,
    `select coalesce((select min(seq) from audit_opening where org_id = $1),
       (select size from audit_head where org_id = $1), 0) as first`,
    [tx.orgId],
  );
  return { entries: rows[0]?.forgotten ?? 0, firstKept: Number(kept[0]?.first ?? 0) };
}

/** The trigger that makes the function above protect the table. */
export const entryTriggerSql: readonly string[] = [
  `create or replace trigger audit_entry_unchanging before update or delete on audit_entry
     for each row execute function app.refuse_entry_change()`,
  `create or replace trigger audit_entry_kept before truncate on audit_entry
     for each statement execute function app.refuse_entry_change()`,
];

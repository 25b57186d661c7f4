// The log of evidence as a tree: the hashes of its entries in tiles (kit/evidence/tile.ts), and the checkpoints that
// were signed. Both only grow.

import { defineEntity, p } from "@mikro-orm/core";
import { type Tile, type TileAddress, type TileSource, tileKey } from "../../kit/evidence/tile.ts";
import type { Page } from "../../kit/rpc/page.ts";
import { runBound } from "../core/bulk.ts";
import { applicationRole, lookupRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import { lookupTenantTable, tenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const installationSchema = defineEntity({
  name: "Installation",
  tableName: "installation",
  rowLevelSecurity: "force",
  policies: [
    { name: "lookup", command: "select", roles: [lookupRole], using: "true" },
    { name: "accept", command: "update", roles: [lookupRole], using: "true", check: "true" },
  ],
  properties: {
    id: p.uuid().primary(),
    /** Which history of which cluster the rows were written to, as `app.database_identity()` says it. */
    databaseIdentity: p.text().nullable(),
  },
});

/** The one row that names this installation, made with the table. Names of logs begin with it. */
export class InstallationRow extends installationSchema.class {}
installationSchema.setClass(InstallationRow);

const logSchema = defineEntity({
  name: "AuditLog",
  tableName: "audit_log",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** Name of the log, which every checkpoint begins with (kit/evidence/origin.ts). */
    origin: p.text(),
    /** Entries whose hashes are in tiles. */
    treeSize: p.bigint("number"),
    /** Entries of the newest checkpoint. */
    signedSize: p.bigint("number"),
    /** When the tree was last found to continue the newest checkpoint. */
    checkedAt: p.datetime(3).nullable(),
  },
});

/** The log of an organization. */
export class AuditLogRow extends logSchema.class {}
logSchema.setClass(AuditLogRow);

const tileSchema = defineEntity({
  name: "AuditTile",
  tableName: "audit_tile",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    level: p.integer().primary(),
    n: p.integer().primary(),
    hashes: p.blob(),
  },
});

/** A tile of hashes. */
export class AuditTileRow extends tileSchema.class {}
tileSchema.setClass(AuditTileRow);

const checkpointSchema = defineEntity({
  name: "AuditCheckpoint",
  tableName: "audit_checkpoint",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** Entries of its tree. */
    size: p.bigint("number").primary(),
    root: p.blob(),
    /** The signed note. */
    note: p.text(),
    createdAt: p.datetime(3),
  },
});

/** A signed checkpoint. */
export class AuditCheckpointRow extends checkpointSchema.class {}
checkpointSchema.setClass(AuditCheckpointRow);

const epochSchema = defineEntity({
  name: "AuditEpoch",
  tableName: "audit_epoch",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    epoch: p.integer().primary(),
    origin: p.text(),
    /** Entries that the restored log had. */
    size: p.bigint("number"),
    reason: p.text(),
    createdAt: p.datetime(3),
  },
});

/** An epoch of a log that began after a restore: the second or a later one. */
export class AuditEpochRow extends epochSchema.class {}
epochSchema.setClass(AuditEpochRow);

/** Functions about logs as trees. */
export const evidenceLogFunctions: readonly SqlFunction[] = [
  {
    signature: "installation_id()",
    owner: lookupRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.installation_id() returns uuid
      language sql stable security definer set search_path = pg_catalog, public as $$
        select i.id from public.installation i
      $$`,
  },
  {
    // A log that has fewer entries than its newest checkpoint is among them: that has to be noticed.
    signature: "logs_to_sign(timestamptz)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.logs_to_sign(checked_before timestamptz)
      returns table (org_id uuid) language sql stable security definer set search_path = pg_catalog, public as $$
        select h.org_id from public.audit_head h left join public.audit_log l on l.org_id = h.org_id
        where h.size <> coalesce(l.signed_size, 0) or l.checked_at is null or l.checked_at < checked_before
        order by h.org_id
      $$`,
  },
];

/** Organizations whose log has news, or was not checked since this moment. */
export function lookUpLogsToSign(database: Lookups, checkedBefore: Date): Promise<{ org_id: string }[]> {
  return database.lookup("logs_to_sign", [checkedBefore]);
}

/** The organization's log, locked until the commit; made when there is none. */
export async function lockLog(tx: Transaction): Promise<AuditLogRow> {
  await tx.sql(
    `insert into audit_log (org_id, origin, tree_size, signed_size)
     select ?, 'policy-guard/' || app.installation_id() || '/' || ?, 0, 0 on conflict (org_id) do nothing`,
    [tx.orgId, tx.orgId],
  );
  await tx.sql("select 1 as locked from audit_log where org_id = ? for update", [tx.orgId]);
  return tx.em.findOneOrFail(AuditLogRow, { orgId: tx.orgId }, { refresh: true });
}

/** The organization's log; null before its first checkpoint. */
export function findLog(tx: Transaction): Promise<AuditLogRow | null> {
  return tx.em.findOne(AuditLogRow, { orgId: tx.orgId, signedSize: { $gt: 0 } });
}

/** The epochs of the organization's log that began after a restore, newest first. */
export function listEpochs(tx: Transaction): Promise<AuditEpochRow[]> {
  return tx.em.find(AuditEpochRow, { orgId: tx.orgId }, { orderBy: { epoch: "desc" } });
}

/** Begins an epoch of a locked log under its new name. */
export async function addEpoch(
  tx: Transaction,
  log: AuditLogRow,
  epoch: { readonly epoch: number; readonly origin: string; readonly size: number; readonly reason: string },
): Promise<void> {
  tx.em.create(AuditEpochRow, { orgId: tx.orgId, ...epoch, createdAt: tx.now });
  log.origin = epoch.origin;
  await tx.em.flush();
}

/** Entries that the log has. */
export async function headSize(tx: Transaction): Promise<number> {
  const rows = await tx.sql<{ size: string }>("select size from audit_head where org_id = ?", [tx.orgId]);
  return Number(rows[0]?.size ?? 0);
}

/** The hash of an entry, and whether a checkpoint may be signed over it. */
export interface LeafToSign {
  readonly seq: number;
  readonly leafHash: Buffer;
  /** Whether the hash is that of the leaf, and the leaf has form 2. One past its retention has its hash only. */
  readonly isSound: boolean;
}

/** Up to `most` entries from this number on. */
export async function leavesToSign(tx: Transaction, from: number, most: number): Promise<LeafToSign[]> {
  const rows = await runBound<{ seq: string; leaf_hash: Buffer; sound: boolean }>(
    tx,
    `select seq, leaf_hash,
       leaf is null or (leaf like '%,"v":2}' and leaf_hash = sha256('\\x00'::bytea || convert_to(leaf, 'UTF8'))) as sound
     from audit_entry where org_id = $1 and seq >= $2 order by seq limit $3`,
    [tx.orgId, from, most],
  );
  return rows.map(({ seq, leaf_hash, sound }) => ({ seq: Number(seq), leafHash: leaf_hash, isSound: sound }));
}

/** Reads these tiles. */
export async function readTiles(tx: Transaction, addresses: readonly TileAddress[]): Promise<TileSource> {
  const rows = await runBound<{ level: number; n: number; hashes: Buffer }>(
    tx,
    `select t.level, t.n, t.hashes from unnest($2::int[], $3::int[]) as wanted (level, n)
     join audit_tile t on t.org_id = $1 and t.level = wanted.level and t.n = wanted.n`,
    [tx.orgId, addresses.map(({ level }) => level), addresses.map(({ n }) => n)],
  );
  const found = new Map(rows.map(({ hashes, ...address }) => [tileKey(address), hashes]));
  return (address) => found.get(tileKey(address));
}

/** Writes tiles, in place of their shorter forms. */
export async function writeTiles(tx: Transaction, tiles: readonly Tile[]): Promise<void> {
  await runBound(
    tx,
    `insert into audit_tile (org_id, level, n, hashes)
     select $1, * from unnest($2::int[], $3::int[], $4::bytea[])
     on conflict (org_id, level, n) do update set hashes = excluded.hashes`,
    [tx.orgId, tiles.map(({ level }) => level), tiles.map(({ n }) => n), tiles.map(({ hashes }) => hashes)],
  );
}

/** Keeps a checkpoint. */
export function addCheckpoint(
  tx: Transaction,
  checkpoint: { readonly size: number; readonly root: Buffer; readonly note: string },
): AuditCheckpointRow {
  return tx.em.create(AuditCheckpointRow, { orgId: tx.orgId, ...checkpoint, createdAt: tx.now });
}

/** The checkpoint over so many entries, or the newest; null when there is none. */
export function findCheckpoint(tx: Transaction, size?: number): Promise<AuditCheckpointRow | null> {
  const wanted = { orgId: tx.orgId, ...(size === undefined ? {} : { size }) };
  return tx.em.findOne(AuditCheckpointRow, wanted, { orderBy: { size: "desc" } });
}

/** A page of the checkpoints, newest first, and their count. */
export function listCheckpoints(tx: Transaction, page: Page): Promise<[AuditCheckpointRow[], number]> {
  return tx.em.findAndCount(AuditCheckpointRow, { orgId: tx.orgId }, { ...page, orderBy: { size: "desc" } });
}

/** The last checkpoint of each day up to this size, as notes, oldest first. */
export async function listDailyCheckpoints(tx: Transaction, size: number): Promise<string[]> {
  const rows = await runBound<{ note: string }>(
    tx,
    `select note from (
       select distinct on (date_trunc('day', created_at at time zone 'UTC')) size, note from audit_checkpoint
       where org_id = $1 and size <= $2 order by date_trunc('day', created_at at time zone 'UTC'), size desc) daily
     order by size`,
    [tx.orgId, size],
  );
  return rows.map(({ note }) => note);
}

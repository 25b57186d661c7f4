import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { chunksOf, runBound } from "../core/bulk.ts";
import { lookupTenantTable, tenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

/** A policy version in a bundle. */
export interface BundledPolicy {
  readonly policy_id: string;
  readonly name: string;
  readonly version: number;
}

/** A part of a bundle: its bytes are in BundlePartRow, under the digest. */
export interface PartReference {
  readonly path: string;
  readonly size: number;
  readonly digest: string;
}

/** A signed statement in JWS General JSON Serialization. */
export interface StatementJson {
  readonly payload: string;
  readonly signatures: readonly { readonly protected: string; readonly signature: string }[];
}

const bundleSchema = defineEntity({
  name: "Bundle",
  tableName: "bundle",
  ...tenantTable,
  uniques: [{ name: "bundle_version", properties: ["orgId", "environmentId", "version"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    projectId: p.uuid(),
    environmentId: p.uuid(),
    environment: p.text(),
    version: p.integer(),
    digest: p.text(),
    contentDigest: p.text(),
    source: p.text(),
    message: p.text().nullable(),
    manifest: p.json<StatementJson>(),
    parts: p.json<readonly PartReference[]>(),
    policies: p.json<readonly BundledPolicy[]>(),
    sizeBytes: p.integer(),
    testsPassed: p.integer(),
    testsFailed: p.integer(),
    createdBy: p.text(),
    /** The person who published it, or who is responsible for the token that did; null when there is none. */
    authorId: p.uuid().nullable(),
    createdAt: p.datetime(3),
    activatedAt: p.datetime(3).nullable(),
    activationSeq: p.integer().nullable(),
    /** When its content was removed; null while it is kept. */
    purgedAt: p.datetime(3).nullable(),
  },
});

/** One immutable version of an environment's policies, signed. */
export class BundleRow extends bundleSchema.class {}
bundleSchema.setClass(BundleRow);

const partSchema = defineEntity({
  name: "BundlePart",
  tableName: "bundle_part",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    digest: p.text().primary(),
    data: p.blob(),
    createdAt: p.datetime(3),
  },
});

/** Bytes of bundles by their digest; bundles with a part in common share them. */
export class BundlePartRow extends partSchema.class {}
partSchema.setClass(BundlePartRow);

/** What makes an activation. */
export type ActivationCause =
  | "publish"
  | "republish"
  | "promote"
  | "activate"
  | "override_set"
  | "override_ended"
  | "restore";

const activationSchema = defineEntity({
  name: "Activation",
  tableName: "activation",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    environmentId: p.uuid().primary(),
    activationSeq: p.integer().primary(),
    version: p.integer(),
    digest: p.text(),
    statement: p.json<StatementJson>(),
    issuedAt: p.datetime(3),
    expiresAt: p.datetime(3),
    createdBy: p.text(),
    /** Null, as the two below, for those from before a history was kept. */
    cause: p.text().$type<ActivationCause>().nullable(),
    /** What its author said of it, where its version does not say that already. */
    message: p.text().nullable(),
    /** When it was made; `issuedAt` moves with each refresh. */
    activatedAt: p.datetime(3).nullable(),
  },
});

/** One activation of an environment; a refresh replaces its statement. */
export class ActivationRow extends activationSchema.class {}
activationSchema.setClass(ActivationRow);

/** What a key signs. */
export type KeyUse = "bundle" | "log";

const keySchema = defineEntity({
  name: "SigningKey",
  tableName: "signing_key",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** RFC 7638 thumbprint of the public key. */
    kid: p.text().primary(),
    publicJwk: p.json<JsonObject>(),
    /** The private JWK, sealed with the master key; null for a key that the external signer keeps. */
    privateSealed: p.blob().nullable(),
    /** What it signs: statements about bundles, or checkpoints of the log of evidence. Never both. */
    use: p.text().$type<KeyUse>().default("bundle"),
    state: p.text().$type<"active" | "retiring" | "revoked">().default("active"),
    createdAt: p.datetime(3),
    retiringAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
});

/** An organization's key pair. */
export class SigningKeyRow extends keySchema.class {}
keySchema.setClass(SigningKeyRow);

const keySetSchema = defineEntity({
  name: "KeySet",
  tableName: "key_set",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** Grows with each change of the organization's keys. */
    serial: p.integer(),
    statement: p.json<StatementJson>(),
    issuedAt: p.datetime(3),
  },
});

/** The signed list of an organization's keys. */
export class KeySetRow extends keySetSchema.class {}
keySetSchema.setClass(KeySetRow);

// The same lock for both: a change of the keys waits for all transactions that sign, and these do not wait for each
// other.
const signingKeyLock = "hashtextextended('signing_key:' || ?, 0)";

/** Locks the organization's keys for a change of them, until the commit. */
export async function lockSigningKeys(tx: Transaction): Promise<void> {
  await tx.sql(`select pg_advisory_xact_lock(${signingKeyLock})`, [tx.orgId]);
}

/** Keeps the organization's keys as they are until the commit. Several transactions may hold this lock at once. */
export async function shareSigningKeys(tx: Transaction): Promise<void> {
  await tx.sql(`select pg_advisory_xact_lock_shared(${signingKeyLock})`, [tx.orgId]);
}

/** The organization's key set; null before its first key. */
export function findKeySet(tx: Transaction): Promise<KeySetRow | null> {
  return tx.em.findOne(KeySetRow, { orgId: tx.orgId });
}

/** The bundle, or null when the environment has none with this version. */
export function findBundle(tx: Transaction, environmentId: string, version: number): Promise<BundleRow | null> {
  return tx.em.findOne(BundleRow, { orgId: tx.orgId, environmentId, version });
}

/** The environment's newest version; 0 before there is one. */
export async function newestVersion(tx: Transaction, environmentId: string): Promise<number> {
  const rows = await tx.sql<{ version: number | null }>(
    "select max(version) as version from bundle where org_id = ? and environment_id = ?",
    [tx.orgId, environmentId],
  );
  return rows[0]?.version ?? 0;
}

/** The bytes of the manifests of these bundles, by the bundle's id. Those that were deleted are not there. */
export async function readManifests(tx: Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await runBound<{ id: string; payload: string }>(
    tx,
    "select id, manifest->>'payload' as payload from bundle where org_id = $1 and id::text = any($2::text[])",
    [tx.orgId, ids],
  );
  return new Map(rows.map(({ id, payload }) => [id, Buffer.from(payload, "base64url").toString("utf8")]));
}

/** A page of bundles, newest first, and their count. */
export function listBundles(tx: Transaction, environmentId: string, page: Page): Promise<[BundleRow[], number]> {
  return tx.em.findAndCount(BundleRow, { orgId: tx.orgId, environmentId }, { ...page, orderBy: { version: "desc" } });
}

/** Stores bytes under their digests. Existing ones stay and count as used now. */
export async function storeParts(
  tx: Transaction,
  parts: readonly { readonly digest: string; readonly data: Uint8Array }[],
): Promise<void> {
  for (const { digest, data } of parts) {
    // Megabytes as part of the statement's text would be printed as hexadecimal digits on the event loop.
    await runBound(
      tx,
      `insert into bundle_part (org_id, digest, data, created_at) values ($1, $2, $3, $4)
       on conflict (org_id, digest) do update set created_at = excluded.created_at`,
      [tx.orgId, digest, Buffer.from(data.buffer, data.byteOffset, data.byteLength), tx.now],
    );
  }
}

/** How many parts one statement reads: other calls run between two statements. */
const partsAtOnce = 16;

/** The bytes under these digests. */
export async function loadParts(tx: Transaction, digests: readonly string[]): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const some of chunksOf(digests, partsAtOnce)) {
    // Not as entities: MikroORM keeps a second copy of each to find changes.
    const rows = await runBound<{ digest: string; data: Buffer }>(
      tx,
      "select digest, data from bundle_part where org_id = $1 and digest = any($2)",
      [tx.orgId, some],
    );
    for (const { digest, data } of rows) found.set(digest, data);
  }
  return found;
}

/** The activation with this sequence number. */
export function findActivation(tx: Transaction, environmentId: string, seq: number): Promise<ActivationRow | null> {
  return tx.em.findOne(ActivationRow, { orgId: tx.orgId, environmentId, activationSeq: seq });
}

/** Whether the version was active in the environment at the moment or later. */
export async function wasActiveSince(
  tx: Transaction,
  environmentId: string,
  version: number,
  moment: Date,
): Promise<boolean> {
  // A statement is signed anew each day while it is in force, so its date says when it was last active.
  const where = { orgId: tx.orgId, environmentId, version, issuedAt: { $gte: moment } };
  return (await tx.em.count(ActivationRow, where)) > 0;
}

/** The organization's signing keys of this use, newest first. */
export function listSigningKeys(tx: Transaction, use: KeyUse): Promise<SigningKeyRow[]> {
  const order = { refresh: true, orderBy: { createdAt: "desc", kid: "asc" } } as const;
  return tx.em.find(SigningKeyRow, { orgId: tx.orgId, use }, order);
}

/** An activation whose statement was issued before a moment. */
export interface DueActivation {
  readonly org_id: string;
  readonly environment_id: string;
}

/** Environments, of whichever organization, whose current activation was issued before this moment. */
export function activationsIssuedBefore(database: Lookups, moment: Date): Promise<DueActivation[]> {
  return database.lookup<DueActivation>("activations_issued_before", [moment]);
}

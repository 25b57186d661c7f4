import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../kit/page.ts";
import type { Database, Transaction } from "./database.ts";
import { lookupTenantTable } from "./tenant.ts";

const schema = defineEntity({
  name: "Token",
  tableName: "token",
  ...lookupTenantTable,
  indexes: [
    { name: "token_digest", properties: ["digest"] },
    { name: "token_previous", properties: ["previousDigest"] },
  ],
  uniques: [
    {
      // One live runtime token for each project and environment; racing requests meet here.
      name: "token_runtime",
      properties: ["orgId", "projectId", "environmentId"],
      where: "kind = 'runtime' and revoked_at is null",
    },
  ],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text().$type<TokenKind>(),
    name: p.text(),
    projectId: p.uuid().nullable(),
    environmentId: p.uuid().nullable(),
    environment: p.text().nullable(),
    digest: p.blob(),
    /** Of the value before the last rotation, which works until previousExpiresAt; both or neither. */
    previousDigest: p.blob().nullable(),
    previousExpiresAt: p.datetime(3).nullable(),
    prefix: p.text(),
    createdBy: p.text(),
    /** The person who issued it, or gave it the value that it has now; null when a token did for which nobody stands. */
    accountId: p.uuid().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
  },
});

/** The kinds of token that are stored here. */
export type TokenKind = "runtime" | "ci" | "admin";

/** A machine's credential: the digest of its value, and where it reaches. */
export class TokenRow extends schema.class {}
schema.setClass(TokenRow);

/** What the look-up of a digest finds, before the organization is known. */
export interface FoundToken {
  readonly org_id: string;
  readonly id: string;
  readonly kind: TokenKind;
  readonly prefix: string;
  readonly project_id: string | null;
  readonly environment: string | null;
  readonly expires_at: Date | null;
}

/** The live token with this digest, of whichever organization. */
export async function lookUpToken(database: Database, digest: Uint8Array): Promise<FoundToken | undefined> {
  const rows = await database.lookup<FoundToken>("find_token", [digest]);
  return rows[0];
}

/** The token, or null when the organization has no live one with this id. */
export function findToken(tx: Transaction, id: string): Promise<TokenRow | null> {
  return tx.em.findOne(TokenRow, { orgId: tx.orgId, id, revokedAt: null });
}

/**
 * The same, locked until the commit: a token is revoked once, and of racing rotations each replaces the value of the one
 * before.
 */
export async function lockToken(tx: Transaction, id: string): Promise<TokenRow | null> {
  await tx.sql("select from token where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return findToken(tx, id);
}

/** A page of live tokens, newest first, and their count. */
export function listTokens(tx: Transaction, page: Page): Promise<[TokenRow[], number]> {
  return tx.em.findAndCount(
    TokenRow,
    { orgId: tx.orgId, revokedAt: null },
    { ...page, orderBy: { createdAt: "desc", id: "asc" } },
  );
}

/** A value that works now: a token's own, or the one before its last rotation. */
export interface LiveToken {
  readonly id: string;
  readonly digest: Buffer;
  readonly kind: TokenKind;
  readonly projectId: string | null;
  readonly environment: string | null;
  readonly expiresAt: Date | null;
}

/** Every value that works in the organization: what a runtime may meet. */
export async function listLiveTokens(tx: Transaction): Promise<LiveToken[]> {
  const rows = await tx.em.find(TokenRow, {
    orgId: tx.orgId,
    revokedAt: null,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: tx.now } }],
  });
  return rows.flatMap((row) => {
    const { id, kind, projectId = null, environment = null, previousDigest, previousExpiresAt } = row;
    const scope = { id, kind, projectId, environment };
    const own: LiveToken = { ...scope, digest: Buffer.from(row.digest), expiresAt: row.expiresAt ?? null };
    if (previousDigest == null || previousExpiresAt == null || previousExpiresAt <= tx.now) return [own];
    return [own, { ...scope, digest: Buffer.from(previousDigest), expiresAt: previousExpiresAt }];
  });
}

/** Revokes an expired runtime token, so that its place is free for a new one. */
export async function retireExpiredRuntimeToken(tx: Transaction, environmentId: string): Promise<void> {
  await tx.sql(
    `update token set revoked_at = ? where org_id = ? and environment_id = ? and kind = 'runtime'
       and revoked_at is null and expires_at <= ?`,
    [tx.now, tx.orgId, environmentId, tx.now],
  );
}

/** Notes the use of a token, at most once a minute. */
export async function touchToken(tx: Transaction, id: string): Promise<void> {
  await tx.sql(
    `update token set last_used_at = ? where org_id = ? and id = ?
       and (last_used_at is null or last_used_at < ?::timestamptz - interval '1 minute')`,
    [tx.now, tx.orgId, id, tx.now],
  );
}

import { defineEntity, p } from "@mikro-orm/core";
import type { SearchedPage } from "../../kit/rpc/page.ts";
import { containsIn } from "../core/substring.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

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
      // At most one live runtime token for each project and environment, even when requests race.
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
    /** The person responsible for that value. */
    previousAccountId: p.uuid().nullable(),
    prefix: p.text(),
    /** Of a SCIM token: the role of whoever issued it. Null for others. */
    authority: p.text().$type<ScimAuthority>().nullable(),
    /** Who issued it, as audit entries name them; with the person, and the token when it was issued with one. */
    createdBy: p.text(),
    createdByAccountId: p.uuid().nullable(),
    createdByTokenId: p.uuid().nullable(),
    /** Who gave it the value that it has now; null when it was never rotated. */
    rotatedBy: p.text().nullable(),
    rotatedByTokenId: p.uuid().nullable(),
    /**
     * The person responsible for that value, who issued or rotated it; null when a token did that for which nobody is
     * responsible.
     */
    accountId: p.uuid().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
  },
});

/** The kinds of token that are stored here. */
export type TokenKind = "runtime" | "ci" | "admin" | "scim";
/** What the directory may change: with "admin", nothing about owners. */
export type ScimAuthority = "admin" | "owner";

/** A machine's credential: the digest of its value, and where it reaches. */
export class TokenRow extends schema.class {}
schema.setClass(TokenRow);

/** The result of looking up a digest before the organization is known. */
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
export async function lookUpToken(database: Lookups, digest: Uint8Array): Promise<FoundToken | undefined> {
  const rows = await database.lookup<FoundToken>("find_token", [digest]);
  return rows[0];
}

/** The token, or null when the organization has no live one with this id. */
export function findToken(tx: Transaction, id: string): Promise<TokenRow | null> {
  return tx.em.findOne(TokenRow, { orgId: tx.orgId, id, revokedAt: null });
}

/**
 * The same, locked until the commit: a token is revoked once, and of racing rotations each replaces the value of the
 * one before.
 */
export async function lockToken(tx: Transaction, id: string): Promise<TokenRow | null> {
  await tx.sql("select from token where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return findToken(tx, id);
}

/**
 * A page of live tokens but that of the directory, newest first, and their count. `query` is in their name, prefix or
 * environment, or in the name of who issued them.
 */
export function listTokens(tx: Transaction, { query, ...page }: SearchedPage): Promise<[TokenRow[], number]> {
  const where = {
    ...{ orgId: tx.orgId, revokedAt: null, kind: { $ne: "scim" as const } },
    ...containsIn(query, "name", "prefix", "environment", "createdBy"),
  };
  return tx.em.findAndCount(TokenRow, where, { ...page, orderBy: { createdAt: "desc", id: "asc" } });
}

/** Whether there is a live runtime token that neither a person nor a token has issued: the first start did. */
export async function hasFirstRuntimeToken(tx: Transaction): Promise<boolean> {
  const byNobody = { createdByAccountId: null, createdByTokenId: null };
  return (await tx.em.count(TokenRow, { orgId: tx.orgId, revokedAt: null, kind: "runtime", ...byNobody })) > 0;
}

/** Every live token, that of the directory among them, the newest first. */
export function listAllTokens(tx: Transaction): Promise<TokenRow[]> {
  const where = { orgId: tx.orgId, revokedAt: null };
  return tx.em.find(TokenRow, where, { orderBy: { createdAt: "desc", id: "asc" } });
}

/** The tokens of the organization's directory, the newest first: its token, and one that is to end soon. */
export function listScimTokens(tx: Transaction): Promise<TokenRow[]> {
  const where = { orgId: tx.orgId, revokedAt: null, kind: "scim" as const };
  return tx.em.find(TokenRow, where, { orderBy: { createdAt: "desc", id: "asc" } });
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

/** Every value that works in the organization, for its runtimes. */
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

/** Revokes an expired runtime token, so that there can be a new one. */
export async function retireExpiredRuntimeToken(tx: Transaction, environmentId: string): Promise<void> {
  await tx.sql(
    `update token set revoked_at = ? where org_id = ? and environment_id = ? and kind = 'runtime'
       and revoked_at is null and expires_at <= ?`,
    [tx.now, tx.orgId, environmentId, tx.now],
  );
}

/** The description of a token in the mail about a former admin. */
export interface NamedToken {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly prefix: string;
}

/** Revokes the live admin and ci tokens that a person is responsible for, and returns them. */
export function revokePrivilegedTokens(tx: Transaction, accountId: string): Promise<NamedToken[]> {
  return tx.sql<NamedToken>(
    `update token set revoked_at = ? where org_id = ? and account_id = ? and kind in ('admin', 'ci')
       and revoked_at is null and (expires_at is null or expires_at > ?) returning id, kind, name, prefix`,
    [tx.now, tx.orgId, accountId, tx.now],
  );
}

/** Ends the former values, of live admin and ci tokens, that a person is responsible for, and returns those tokens. */
export function endPreviousValues(tx: Transaction, accountId: string): Promise<NamedToken[]> {
  return tx.sql<NamedToken>(
    `update token set previous_digest = null, previous_expires_at = null, previous_account_id = null
     where org_id = ? and previous_account_id = ? and kind in ('admin', 'ci') and revoked_at is null
       and previous_expires_at > ? returning id, kind, name, prefix`,
    [tx.orgId, accountId, tx.now],
  );
}

/** The live tokens that stay when the person who is responsible for them leaves. */
export function listLastingTokensOf(tx: Transaction, accountId: string): Promise<NamedToken[]> {
  return tx.sql<NamedToken>(
    `select id, kind, name, prefix from token where org_id = ? and account_id = ? and kind in ('runtime', 'scim')
       and revoked_at is null and (expires_at is null or expires_at > ?) order by created_at, id`,
    [tx.orgId, accountId, tx.now],
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

import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import type { AccountTransaction, Lookups } from "../core/transaction.ts";
import { accountTable } from "./account-table.ts";

const schema = defineEntity({
  name: "Session",
  tableName: "session",
  ...accountTable("account_id"),
  indexes: [{ name: "session_account", properties: ["accountId"] }],
  properties: {
    id: p.uuid().primary(),
    accountId: p.uuid(),
    method: p.text().$type<SessionMethod>(),
    /**
     * The organization at whose identity provider it began: the session reaches only that one. Null for any other
     * session.
     */
    providerOrgId: p.uuid().nullable(),
    address: p.text(),
    userAgent: p.text(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3),
    expiresAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
  },
});

/** How a session began. */
export type SessionMethod = "password" | "sso" | "invitation";

/** One sign-in: the family of all its tokens. */
export class SessionRow extends schema.class {}
schema.setClass(SessionRow);

const tokenSchema = defineEntity({
  name: "SessionToken",
  tableName: "session_token",
  ...accountTable("account_id"),
  indexes: [{ name: "session_token_session", properties: ["sessionId"] }],
  properties: {
    digest: p.blob().primary(),
    accountId: p.uuid(),
    sessionId: p.uuid(),
    kind: p.text().$type<SessionTokenKind>(),
    expiresAt: p.datetime(3),
    /** When a refresh token was exchanged. It is kept until it expires, so that its second use is seen. */
    usedAt: p.datetime(3).nullable(),
  },
});

/** The purpose of a session's token. */
export type SessionTokenKind = "access" | "refresh" | "console";

/** One token of a session: its digest. */
export class SessionTokenRow extends tokenSchema.class {}
tokenSchema.setClass(SessionTokenRow);

/** The result of looking up an access token. */
export interface FoundSession {
  readonly account_id: string;
  readonly session_id: string;
  readonly email: string;
  /** Role by organization that the session reaches. */
  readonly roles: Readonly<Record<string, string>>;
  /** Organizations of the account that require a session of their identity provider instead. */
  readonly sso_required: readonly string[];
  /** Organizations of the account that demand a second factor of this session; without one it does not reach them. */
  readonly factor_required: readonly string[];
  readonly provider_org_id: string | null;
}

/** The live session of an access token, with its account's roles: one round trip, since every call asks. */
export async function lookUpSession(
  database: Lookups,
  digest: Uint8Array,
  now: Date,
): Promise<FoundSession | undefined> {
  const rows = await database.lookup<FoundSession>("find_session_reach", [digest, now]);
  return rows[0];
}

/** The account of a refresh token, live or not. */
export async function lookUpRefreshToken(database: Lookups, digest: Uint8Array): Promise<string | undefined> {
  const rows = await database.lookup<{ account_id: string }>("find_refresh_token", [digest]);
  return rows[0]?.account_id;
}

/** Marks a refresh token as used, and returns its session: of racing uses one gets it. */
export async function useRefreshToken(tx: AccountTransaction, digest: Uint8Array): Promise<string | undefined> {
  const rows = await tx.sql<{ session_id: string }>(
    `update session_token set used_at = ? where digest = ? and account_id = ? and kind = 'refresh'
       and used_at is null and expires_at > ? returning session_id`,
    [tx.now, Buffer.from(digest), tx.accountId, tx.now],
  );
  return rows[0]?.session_id;
}

/** Ends the session of a refresh token that was used before, and returns it; undefined when it had ended already. */
export async function revokeReusedSession(tx: AccountTransaction, digest: Uint8Array): Promise<string | undefined> {
  const rows = await tx.sql<{ id: string }>(
    `update session set revoked_at = ? where account_id = ? and revoked_at is null and id in (
       select session_id from session_token where digest = ? and account_id = ? and used_at is not null) returning id`,
    [tx.now, tx.accountId, Buffer.from(digest), tx.accountId],
  );
  return rows[0]?.id;
}

/** The session when it is live, locked until the commit. */
export async function lockLiveSession(tx: AccountTransaction, id: string): Promise<SessionRow | null> {
  await tx.sql("select id from session where account_id = ? and id = ? for update", [tx.accountId, id]);
  return tx.em.findOne(SessionRow, { accountId: tx.accountId, id, revokedAt: null, expiresAt: { $gt: tx.now } });
}

/** When the session began with a sign-in; undefined when there is none with this id. */
export async function findSessionStart(tx: AccountTransaction, id: string): Promise<Date | undefined> {
  const session = await tx.em.findOne(SessionRow, { accountId: tx.accountId, id });
  return session?.createdAt;
}

/** A page of live sessions, most recently used first, and their count. */
export function listLiveSessions(tx: AccountTransaction, page: Page): Promise<[SessionRow[], number]> {
  return tx.em.findAndCount(
    SessionRow,
    { accountId: tx.accountId, revokedAt: null, expiresAt: { $gt: tx.now } },
    { ...page, orderBy: { lastUsedAt: "desc", id: "asc" } },
  );
}

/** Ends a session; false when there is no live one with this id. */
export async function revokeSession(tx: AccountTransaction, id: string): Promise<boolean> {
  const rows = await tx.sql(
    "update session set revoked_at = ? where account_id = ? and id = ? and revoked_at is null and expires_at > ? returning id",
    [tx.now, tx.accountId, id, tx.now],
  );
  return rows.length === 1;
}

/** Ends every session of the account, except the given one. */
export async function revokeSessions(
  tx: AccountTransaction,
  options: { readonly except?: string } = {},
): Promise<void> {
  await tx.sql(
    "update session set revoked_at = ? where account_id = ? and revoked_at is null and id is distinct from ?::uuid",
    [tx.now, tx.accountId, options.except ?? null],
  );
}

/** Ends the sessions of the account that began at an organization's identity provider. */
export async function revokeProvidedSessions(tx: AccountTransaction, providerOrgId: string): Promise<void> {
  await tx.sql(
    "update session set revoked_at = ? where account_id = ? and revoked_at is null and provider_org_id = ?",
    [tx.now, tx.accountId, providerOrgId],
  );
}

/** A use of a session. */
export interface SessionUse {
  readonly address: string;
  /** The use prolongs the session: by `idleMs` from now, up to `maxMs` after it began. */
  readonly prolong?: { readonly idleMs: number; readonly maxMs: number } | undefined;
}

/** Notes the use of a session, at most once a minute. */
export async function touchSession(
  tx: AccountTransaction,
  id: string,
  { address, prolong }: SessionUse,
): Promise<void> {
  const { idleMs, maxMs } = prolong ?? { idleMs: 0, maxMs: 0 };
  await tx.sql(
    `update session set last_used_at = ?, address = ?,
       expires_at = greatest(expires_at, least(?::timestamptz, created_at + ? * interval '1 millisecond'))
     where account_id = ? and id = ? and last_used_at < ?::timestamptz - interval '1 minute'`,
    [tx.now, address, new Date(tx.now.getTime() + idleMs), maxMs, tx.accountId, id, tx.now],
  );
}

/** Accounts with rows that expired before the moment, at most `limit`. */
export async function accountsWithExpired(database: Lookups, before: Date, limit: number): Promise<string[]> {
  const rows = await database.lookup<{ account_id: string }>("accounts_with_expired", [before, limit]);
  return rows.map((row) => row.account_id);
}

/** Deletes rows that expired before the moment: sessions with their tokens, tokens, and one-time tokens. */
export async function deleteExpired(tx: AccountTransaction, before: Date): Promise<void> {
  await tx.sql("delete from session where account_id = ? and (expires_at < ? or revoked_at < ?)", [
    tx.accountId,
    before,
    before,
  ]);
  await tx.sql("delete from session_token where account_id = ? and expires_at < ?", [tx.accountId, before]);
  await tx.sql("delete from one_time_token where account_id = ? and expires_at < ?", [tx.accountId, before]);
}

// Sessions of people. A session is a family of opaque tokens of which only digests are stored: access tokens that live
// for minutes, and refresh tokens that are exchanged once for a new pair. A session of the console is one cookie
// instead, which two tabs can use at the same time. A second use of a refresh token, even at the same moment, ends the
// session: one of the two callers is not its owner (RFC 9700, section 4.14.2). There is no time of grace.
//
// Every call looks up its session and the account's roles, so a revocation takes effect at once.

import { getOption } from "@bufbuild/protobuf";
import { CredentialKind, type Role, RoleSchema, wire } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { isTicket, newTicket, newToken, tokenDigest, tokenKind } from "../../kit/crypto/token.ts";
import { notFound, unauthenticated } from "../../kit/fault/fault.ts";
import { BoundedCache } from "../../kit/process/bounded-cache.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import type { AccountCaller, AuditIntent, Credential } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction } from "../../store/core/transaction.ts";
import { findAccount } from "../../store/identity/account.ts";
import {
  listLiveSessions,
  lockLiveSession,
  lookUpRefreshToken,
  lookUpSession,
  revokeReusedSession,
  revokeSession,
  type SessionMethod,
  SessionRow,
  type SessionTokenKind,
  SessionTokenRow,
  touchSession,
  useRefreshToken,
} from "../../store/identity/session.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Life of an access token. */
const accessMs = 15 * minuteMs;
/** A session that is not refreshed for this long ends. */
const idleMs = 14 * dayMs;
/** A session ends after this time, however often it is refreshed. */
const maxSessionMs = 90 * dayMs;
/**
 * A session from an identity provider ends after this time: a person who leaves there may stay signed in here for so
 * long.
 */
const maxProvidedSessionMs = dayMs / 2;
/** Sessions whose last use is kept in memory; without it, there would only be more writes. */
const maxTouched = 10_000;
const maxUserAgentLength = 256;

const roles: ReadonlyMap<string, Role> = new Map(
  RoleSchema.values.map((value) => [getOption(value, wire), value.number as Role]),
);

/** The role of a stored name. */
export function roleOf(name: string): Role {
  const role = roles.get(name);
  if (role === undefined) throw new Error(`no role is called ${name}`);
  return role;
}

/** The origin of a sign-in. */
export interface Origin {
  readonly address: string;
  readonly userAgent: string;
  /** The session is to be a browser's cookie instead of tokens. */
  readonly asCookie?: boolean;
}

/** The tokens of a session; they cannot be read again. */
export interface IssuedTokens {
  readonly kind: "tokens";
  readonly sessionId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
}

/** The cookie of a session; it cannot be read again. */
export interface IssuedCookie {
  readonly kind: "cookie";
  readonly sessionId: string;
  readonly cookie: string;
  /** Time until the browser has to send it again. */
  readonly expiresInSeconds: number;
}

/** The credentials of a session. */
export type IssuedSession = IssuedTokens | IssuedCookie;

/** Begins a session in the transaction. One from an organization's identity provider reaches that organization only. */
export async function openSession(
  tx: AccountTransaction,
  method: SessionMethod,
  { address, userAgent, asCookie = false }: Origin,
  { providerOrgId }: { readonly providerOrgId?: string } = {},
): Promise<IssuedSession> {
  const session = tx.em.create(SessionRow, {
    id: newId(),
    accountId: tx.accountId,
    method,
    providerOrgId: providerOrgId ?? null,
    address,
    userAgent: printable(userAgent),
    createdAt: tx.now,
    lastUsedAt: tx.now,
    expiresAt: new Date(tx.now.getTime() + (providerOrgId === undefined ? idleMs : maxProvidedSessionMs)),
    revokedAt: null,
  });
  await tx.em.flush();
  return asCookie ? addCookie(tx, session) : addTokens(tx, session);
}

function addTokens(tx: AccountTransaction, session: SessionRow): IssuedTokens {
  const accessToken = newToken(CredentialKind.MEMBER);
  const refreshToken = newTicket("refresh");
  const accessEnd = Math.min(tx.now.getTime() + accessMs, session.expiresAt.getTime());
  addToken(tx, session, { kind: "access", value: accessToken, expiresAt: new Date(accessEnd) });
  addToken(tx, session, { kind: "refresh", value: refreshToken, expiresAt: session.expiresAt });
  const expiresInSeconds = Math.floor((accessEnd - tx.now.getTime()) / 1_000);
  return { kind: "tokens", sessionId: session.id, accessToken, refreshToken, expiresInSeconds };
}

// The cookie lives as long as its session may; an unused session ends before it.
function addCookie(tx: AccountTransaction, session: SessionRow): IssuedCookie {
  const cookie = newTicket("console");
  addToken(tx, session, { kind: "console", value: cookie, expiresAt: lastEnd(session) });
  const expiresInSeconds = Math.floor((session.expiresAt.getTime() - tx.now.getTime()) / 1_000);
  return { kind: "cookie", sessionId: session.id, cookie, expiresInSeconds };
}

interface NewToken {
  readonly kind: SessionTokenKind;
  readonly value: string;
  readonly expiresAt: Date;
}

function addToken(tx: AccountTransaction, { id: sessionId }: SessionRow, { kind, value, expiresAt }: NewToken): void {
  const digest = tokenDigest(value);
  tx.em.create(SessionTokenRow, { digest, accountId: tx.accountId, sessionId, kind, expiresAt, usedAt: null });
}

/** When the session ends, however often it is used. */
function lastEnd({ createdAt, providerOrgId }: SessionRow): Date {
  return new Date(createdAt.getTime() + (providerOrgId == null ? maxSessionMs : maxProvidedSessionMs));
}

/** Verifies, refreshes, lists and ends sessions. */
export class Sessions {
  readonly #database: Database;
  readonly #clock: Clock;
  /** The minute in which the use of each session was last recorded. */
  readonly #touched = new BoundedCache<string, number>({ maxEntries: maxTouched });

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** The person that an access token stands for; undefined when it is unknown, expired or revoked. */
  async authenticate(value: string): Promise<Credential | undefined> {
    return tokenKind(value) === CredentialKind.MEMBER ? this.#find(value) : undefined;
  }

  /** The person that the cookie of a session stands for; undefined when it is unknown, expired or revoked. */
  async authenticateCookie(value: string): Promise<Credential | undefined> {
    const credential = isTicket("console", value) ? await this.#find(value) : undefined;
    return credential && { ...credential, isCookie: true };
  }

  async #find(value: string): Promise<Credential | undefined> {
    const found = await lookUpSession(this.#database, tokenDigest(value), this.#clock.now());
    if (found === undefined) return undefined;
    return {
      kind: CredentialKind.MEMBER,
      id: found.account_id,
      label: found.email,
      orgId: undefined,
      projectId: undefined,
      environment: undefined,
      roles: new Map(Object.entries(found.roles).map(([orgId, role]) => [orgId, roleOf(role)])),
      sessionId: found.session_id,
      ssoRequired: new Set(found.sso_required),
      secondFactorRequired: new Set(found.factor_required),
      ...(found.provider_org_id == null ? {} : { providerOrgId: found.provider_org_id }),
    };
  }

  /** Records that a session was used; of several uses within a minute only the first reaches the database. */
  async touch({ id, sessionId, isCookie = false, providerOrgId }: Credential, address: string): Promise<void> {
    if (sessionId === undefined) return;
    const minute = Math.floor(this.#clock.now().getTime() / minuteMs);
    if (this.#touched.get(sessionId) === minute) return;
    this.#touched.set(sessionId, minute);
    // Tokens prolong their session when they are refreshed, a cookie when it is used.
    const prolong = isCookie && providerOrgId === undefined ? { idleMs, maxMs: maxSessionMs } : undefined;
    await this.#database.accountTransaction(id, (tx) => touchSession(tx, sessionId, { address, prolong }));
  }

  /** The time after which a browser forgets the cookie of this session, if it is not used until then. */
  cookieSeconds({ providerOrgId }: Credential): number {
    return (providerOrgId === undefined ? idleMs : maxProvidedSessionMs) / 1_000;
  }

  /** Ends the session of a cookie that its browser forgets. Without effect for one that is not live. */
  async endCookie(value: string, audit: AuditIntent): Promise<void> {
    const credential = await this.authenticateCookie(value);
    if (credential?.sessionId === undefined) return;
    const { id, sessionId } = credential;
    await this.#database.accountTransaction(id, async (tx) => {
      if (await revokeSession(tx, sessionId)) tx.changed({ credential, audit }, endOf(sessionId));
    });
  }

  /** Exchanges a refresh token for new tokens of its session. */
  async refresh(refreshToken: string, origin: Origin, audit: AuditIntent): Promise<IssuedTokens> {
    if (!isTicket("refresh", refreshToken)) throw unauthenticated();
    const digest = tokenDigest(refreshToken);
    const accountId = await lookUpRefreshToken(this.#database, digest);
    if (accountId === undefined) throw unauthenticated();
    const issued = await this.#database.accountTransaction(accountId, async (tx) => {
      const sessionId = await useRefreshToken(tx, digest);
      // Not thrown here, since the end of the session has to be committed.
      if (sessionId === undefined) return endReused(tx, digest, audit);
      const session = await lockLiveSession(tx, sessionId);
      return session === null ? undefined : renew(tx, session, origin);
    });
    if (issued === undefined) throw unauthenticated();
    return issued;
  }

  /** Ends the caller's own session. */
  async logOut(caller: AccountCaller): Promise<void> {
    const { accountId, sessionId } = caller;
    await this.#database.accountTransaction(accountId, async (tx) => {
      if (await revokeSession(tx, sessionId)) tx.changed(caller, endOf(sessionId));
    });
  }

  /** A page of the caller's live sessions. */
  list({ accountId }: AccountCaller, page: Page): Promise<[SessionRow[], number]> {
    return this.#database.readAccount(accountId, (tx) => listLiveSessions(tx, page));
  }

  /** Ends one of the caller's sessions. */
  revoke(caller: AccountCaller, sessionId: string): Promise<void> {
    return this.#database.accountTransaction(caller.accountId, async (tx) => {
      if (!(await revokeSession(tx, sessionId))) throw notFound("session");
      tx.changed(caller, endOf(sessionId));
    });
  }
}

function endOf(sessionId: string) {
  return { resource: `session/${sessionId}`, before: { state: "live" }, after: null };
}

function renew(tx: AccountTransaction, session: SessionRow, { address, userAgent }: Origin): IssuedTokens {
  session.lastUsedAt = tx.now;
  session.address = address;
  session.userAgent = printable(userAgent);
  session.expiresAt = new Date(Math.min(tx.now.getTime() + idleMs, lastEnd(session).getTime()));
  return addTokens(tx, session);
}

async function endReused(tx: AccountTransaction, digest: Uint8Array, audit: AuditIntent): Promise<undefined> {
  const sessionId = await revokeReusedSession(tx, digest);
  if (sessionId === undefined) return;
  const account = await findAccount(tx);
  const credential = { id: sessionId, label: account?.email ?? tx.accountId };
  const author = { credential, audit: { ...audit, action: "account.refresh_token_reused" } };
  tx.changed(author, endOf(sessionId));
}

function printable(userAgent: string): string {
  return userAgent.replace(/[^\x20-\x7e]/g, "").slice(0, maxUserAgentLength);
}

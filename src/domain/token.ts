// Tokens: the credentials of machines. The value exists in the answer that issues it and nowhere else.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Caller, Credential } from "../kit/context.ts";
import { Fault, notFound } from "../kit/error.ts";
import { newId } from "../kit/id.ts";
import type { Page } from "../kit/page.ts";
import { newToken, shownPrefix, tokenDigest, tokenKind } from "../kit/token.ts";
import type { Database, Transaction } from "../store/database.ts";
import { violatedUnique } from "../store/driver-error.ts";
import {
  findToken,
  type LiveToken,
  listLiveTokens,
  listTokens,
  lockToken,
  lookUpToken,
  retireExpiredRuntimeToken,
  type TokenKind,
  TokenRow,
  touchToken,
} from "../store/token.ts";
import { requireEnvironment, requireProject } from "./lookup.ts";

/** Channel on which processes hear that the live tokens of an organization changed. */
export const tokensChannel = "tokens";

const kinds: ReadonlyMap<TokenKind, CredentialKind> = new Map([
  ["runtime", CredentialKind.RUNTIME],
  ["ci", CredentialKind.CI],
  ["admin", CredentialKind.ADMIN],
]);

/** Tokens whose last use is remembered; more only cost more writes. */
const touchedLimit = 10_000;

/** How long the value before a rotation works unless the caller says otherwise. */
const defaultOverlapSeconds = 24 * 3_600;

/** What a new token is for. */
export interface TokenInput {
  readonly name: string;
  readonly projectId?: string;
  readonly environment?: string;
  readonly expiresAt?: Date;
}

/** A token just issued: its row, and the value that cannot be read again. */
export interface IssuedToken {
  readonly row: TokenRow;
  readonly value: string;
}

/** A token with a new value. */
export interface RotatedToken extends IssuedToken {
  /** Until when the old value works. */
  readonly previousExpiresAt: Date;
}

/** Issues, lists, rotates, revokes and verifies tokens. */
export class Tokens {
  readonly #database: Database;
  /** The minute in which each token was last noted. */
  readonly #touched = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Issues a token. A runtime token names project and environment, a ci token its project, an admin token neither. */
  async issue(caller: Caller, kind: TokenKind, input: TokenInput): Promise<IssuedToken> {
    try {
      return await this.#database.transaction(caller, async (tx) => {
        const accountId = await personBehind(tx, caller.credential);
        const issued = await addToken(tx, { label: caller.credential.label, accountId }, kind, input);
        await tx.em.flush();
        await tx.notify(tokensChannel, {});
        tx.changed({ resource: `token/${issued.row.id}`, before: null, after: auditView(issued.row) });
        return issued;
      });
    } catch (error) {
      if (violatedUnique(error) !== "token_runtime") throw error;
      throw runtimeKeyExists(error);
    }
  }

  /** A page of the live tokens. */
  list(caller: Caller, page: Page): Promise<[TokenRow[], number]> {
    return this.#database.read(caller.orgId, (tx) => listTokens(tx, page));
  }

  /** The token that the call is made with. */
  own(caller: Caller): Promise<TokenRow> {
    return this.#database.read(caller.orgId, async (tx) => {
      const token = await findToken(tx, caller.credential.id);
      if (token === null) throw notFound("token");
      return token;
    });
  }

  /** Every value that runtimes of the organization may meet. */
  listLive(orgId: string): Promise<LiveToken[]> {
    return this.#database.read(orgId, listLiveTokens);
  }

  /** Revokes the token everywhere. */
  revoke(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const token = await lockToken(tx, id);
      if (token === null) throw notFound("token");
      token.revokedAt = tx.now;
      await tx.notify(tokensChannel, {});
      tx.changed({ resource: `token/${id}`, before: auditView(token), after: null });
    });
  }

  /**
   * Gives the token a new value. The old one works on for a while, but no longer than the token; a value from an earlier rotation
   * ends now.
   */
  rotate(caller: Caller, id: string, { overlapSeconds }: { readonly overlapSeconds?: number }): Promise<RotatedToken> {
    const overlapMs = (overlapSeconds ?? defaultOverlapSeconds) * 1_000;
    return this.#database.transaction(caller, async (tx) => {
      const row = await lockToken(tx, id);
      if (row === null) throw notFound("token");
      const end = row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
      if (end <= tx.now.getTime()) throw new Fault(Reason.CONFLICT, "this token has expired; issue a new one");
      const before = auditView(row);
      const value = newToken(credentialKindOf(row.kind));
      const previousExpiresAt = new Date(Math.min(tx.now.getTime() + overlapMs, end));
      row.previousDigest = overlapMs === 0 ? null : row.digest;
      row.previousExpiresAt = overlapMs === 0 ? null : previousExpiresAt;
      row.digest = tokenDigest(value);
      row.prefix = shownPrefix(value);
      row.accountId = await personBehind(tx, caller.credential);
      await tx.notify(tokensChannel, {});
      tx.changed({ resource: `token/${id}`, before, after: auditView(row) });
      return { row, value, previousExpiresAt };
    });
  }

  /** The credential that a token value stands for; undefined when it is unknown, expired or revoked. */
  async authenticate(value: string, now: Date): Promise<Credential | undefined> {
    if (tokenKind(value) === undefined) return undefined;
    const digest = tokenDigest(value);
    const found = await lookUpToken(this.#database, digest);
    if (found === undefined || (found.expires_at !== null && found.expires_at <= now)) return undefined;
    return {
      kind: kinds.get(found.kind) ?? CredentialKind.UNSPECIFIED,
      id: found.id,
      label: found.prefix,
      orgId: found.org_id,
      projectId: found.project_id ?? undefined,
      environment: found.environment ?? undefined,
      roles: new Map(),
      digest: digest.toString("hex"),
    };
  }

  /** Notes that a token was used; of several uses within a minute only the first reaches the database. */
  async touch(orgId: string, id: string, now: Date): Promise<void> {
    const minute = Math.floor(now.getTime() / 60_000);
    if (this.#touched.get(id) === minute) return;
    if (this.#touched.size >= touchedLimit) this.#touched.clear();
    this.#touched.set(id, minute);
    await this.#database.systemTransaction(orgId, (tx) => touchToken(tx, id));
  }
}

/** The account of a member, or of whoever had a token's present value made; null when nobody is known. */
export async function personBehind(tx: Transaction, { kind, id }: Credential): Promise<string | null> {
  if (kind === CredentialKind.MEMBER) return id;
  return (await findToken(tx, id))?.accountId ?? null;
}

/** Adds a token to the transaction. `author` is whoever asked for it. */
export async function addToken(
  tx: Transaction,
  author: { readonly label: string; readonly accountId: string | null },
  kind: TokenKind,
  { name, projectId, environment, expiresAt }: TokenInput,
): Promise<IssuedToken> {
  if (projectId !== undefined) await requireProject(tx, projectId);
  const environmentRow =
    projectId !== undefined && environment !== undefined ? await requireEnvironment(tx, projectId, environment) : null;
  if (environmentRow !== null) await retireExpiredRuntimeToken(tx, environmentRow.id);
  const value = newToken(credentialKindOf(kind));
  const row = tx.em.create(TokenRow, {
    orgId: tx.orgId,
    id: newId(),
    kind,
    name,
    projectId: projectId ?? null,
    environmentId: environmentRow?.id ?? null,
    environment: environment ?? null,
    digest: tokenDigest(value),
    prefix: shownPrefix(value),
    createdBy: author.label,
    accountId: author.accountId,
    createdAt: tx.now,
    expiresAt: expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
  });
  return { row, value };
}

/** The credential kind of a stored token. */
export function credentialKindOf(kind: TokenKind): CredentialKind {
  const found = kinds.get(kind);
  if (found === undefined) throw new Error(`no credential kind for token kind ${kind}`);
  return found;
}

function runtimeKeyExists(cause: unknown): Fault {
  return new Fault(
    Reason.RUNTIME_KEY_EXISTS,
    "a runtime token exists for this project and environment; revoke it before you issue another",
    { cause },
  );
}

function auditView({ kind, name, projectId, environment, prefix }: TokenRow) {
  return { kind, name, project_id: projectId ?? null, environment: environment ?? null, prefix };
}

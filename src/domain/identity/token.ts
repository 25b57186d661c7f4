// Tokens: the credentials of machines. Only the answer that issues a token contains its value; the database has its
// digest.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { newToken, shownPrefix, tokenDigest, tokenKind } from "../../kit/crypto/token.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import { BoundedCache } from "../../kit/process/bounded-cache.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller, Credential } from "../../kit/rpc/context.ts";
import type { SearchedPage } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { violatedUnique } from "../../store/connection/driver-error.ts";
import type { Transaction } from "../../store/core/transaction.ts";
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
} from "../../store/identity/token.ts";
import { tokensChannel } from "../channel.ts";
import { requireEnvironment, requireProject } from "../lookup.ts";
import { lockTeamAs } from "../tenancy/team-rule.ts";

const kinds: ReadonlyMap<TokenKind, CredentialKind> = new Map([
  ["runtime", CredentialKind.RUNTIME],
  ["ci", CredentialKind.CI],
  ["admin", CredentialKind.ADMIN],
  ["scim", CredentialKind.SCIM],
]);

/** Tokens whose last use is kept in memory; without it, there would only be more writes. */
const maxTouched = 10_000;

/** How long the old value works after a rotation, by default. */
const defaultOverlapSeconds = 24 * 3_600;

/** Life of an admin token, by default. */
const adminTokenMs = 90 * 24 * 3_600_000;

/** The scope of a new token. */
export interface TokenInput {
  readonly name: string;
  readonly projectId?: string;
  readonly environment?: string;
  readonly expiresAt?: Date;
}

/** The input of a call that issues a token. */
export interface TokenRequest extends TokenInput {
  /** For an admin token: it never expires. */
  readonly neverExpires?: boolean;
}

/** The author of a token's value. */
export interface TokenAuthor {
  /** The name in audit entries. */
  readonly label: string;
  /** The person responsible for the value; null when nobody is known. */
  readonly accountId: string | null;
  /** The token of the call; null for a person. */
  readonly tokenId: string | null;
}

/** A new token: its row, and the value, which cannot be read again. */
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
  /** The minute in which the use of each token was last recorded. */
  readonly #touched = new BoundedCache<string, number>({ maxEntries: maxTouched });

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Issues a token. A runtime token names project and environment, a ci token its project, an admin token neither. The
   * caller's role is checked again: a token outlives a session, so nobody may issue one while being removed.
   */
  async issue(caller: Caller, kind: TokenKind, request: TokenRequest): Promise<IssuedToken> {
    try {
      return await this.#database.transaction(caller, async (tx) => {
        await lockTeamAs(tx, caller, "admin");
        const author = await authorOf(tx, caller.credential);
        const issued = await addToken(tx, author, kind, { ...request, ...endOf(kind, request, tx.now) });
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
  list(caller: Caller, page: SearchedPage): Promise<[TokenRow[], number]> {
    return this.#database.read(caller.orgId, (tx) => listTokens(tx, page));
  }

  /** The token of the call. */
  own(caller: Caller): Promise<TokenRow> {
    return this.#database.read(caller.orgId, async (tx) => {
      const token = await findToken(tx, caller.credential.id);
      if (token === null) throw notFound("token");
      return token;
    });
  }

  /** The digests of all values that callers of the organization's runtimes may use. */
  listLive(orgId: string): Promise<LiveToken[]> {
    return this.#database.read(orgId, listLiveTokens);
  }

  /** Revokes the token everywhere. */
  revoke(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const token = await lockToken(tx, id);
      if (token === null || token.kind === "scim") throw notFound("token");
      token.revokedAt = tx.now;
      await tx.notify(tokensChannel, {});
      tx.changed({ resource: `token/${id}`, before: auditView(token), after: null });
    });
  }

  /**
   * Gives the token a new value. The old one works for some more time, but no longer than the token; a value from an
   * earlier rotation ends now.
   */
  rotate(caller: Caller, id: string, { overlapSeconds }: { readonly overlapSeconds?: number }): Promise<RotatedToken> {
    const overlapMs = (overlapSeconds ?? defaultOverlapSeconds) * 1_000;
    return this.#database.transaction(caller, async (tx) => {
      await lockTeamAs(tx, caller, "admin");
      const author = await authorOf(tx, caller.credential);
      const row = await lockToken(tx, id);
      if (row === null || row.kind === "scim") throw notFound("token");
      const end = row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
      if (end <= tx.now.getTime()) throw new Fault(Reason.CONFLICT, "this token has expired; issue a new one");
      const before = auditView(row);
      const value = newToken(credentialKindOf(row.kind));
      const previousExpiresAt = new Date(Math.min(tx.now.getTime() + overlapMs, end));
      row.previousDigest = overlapMs === 0 ? null : row.digest;
      row.previousExpiresAt = overlapMs === 0 ? null : previousExpiresAt;
      row.previousAccountId = overlapMs === 0 ? null : row.accountId;
      row.digest = tokenDigest(value);
      row.prefix = shownPrefix(value);
      row.rotatedBy = author.label;
      row.rotatedByTokenId = author.tokenId;
      row.accountId = author.accountId;
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

  /** Records that a token was used; of several uses within a minute only the first reaches the database. */
  async touch(orgId: string, id: string, now: Date): Promise<void> {
    const minute = Math.floor(now.getTime() / 60_000);
    if (this.#touched.get(id) === minute) return;
    this.#touched.set(id, minute);
    await this.#database.systemTransaction(orgId, (tx) => touchToken(tx, id));
  }
}

/** The account of a member, or of the person responsible for the token of the call; null when nobody is known. */
export async function personBehind(tx: Transaction, credential: Credential): Promise<string | null> {
  return (await authorOf(tx, credential)).accountId;
}

/** Who issues a token or gives it a new value. */
export async function authorOf(tx: Transaction, { kind, id, label, digest }: Credential): Promise<TokenAuthor> {
  if (kind === CredentialKind.MEMBER) return { label, accountId: id, tokenId: null };
  const token = await findToken(tx, id);
  // The first start calls as an admin token that does not exist.
  if (token === null) return { label, accountId: null, tokenId: null };
  const isPrevious = token.previousDigest != null && Buffer.from(token.previousDigest).toString("hex") === digest;
  const accountId = (isPrevious ? token.previousAccountId : token.accountId) ?? null;
  return { label, accountId, tokenId: id };
}

function endOf(
  kind: TokenKind,
  { expiresAt, neverExpires = false }: TokenRequest,
  now: Date,
): Pick<TokenInput, "expiresAt"> {
  if (!neverExpires)
    return expiresAt !== undefined || kind !== "admin" ? {} : { expiresAt: new Date(now.getTime() + adminTokenMs) };
  if (expiresAt === undefined) return {};
  throw validationFailed([{ field: "never_expires", message: "give either expires_at or never_expires" }]);
}

/** Adds a token to the transaction. `author` is the caller who asked for it. */
export async function addToken(
  tx: Transaction,
  author: TokenAuthor,
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
    createdByAccountId: author.accountId,
    createdByTokenId: author.tokenId,
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

function auditView({ kind, name, projectId, environment, prefix, expiresAt }: TokenRow) {
  const expires_at = expiresAt?.toISOString() ?? null;
  return { kind, name, project_id: projectId ?? null, environment: environment ?? null, prefix, expires_at };
}

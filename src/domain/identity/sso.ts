// The single sign-on configuration of an organization: its provider, and how people from there become members.

import { isDeepStrictEqual } from "node:util";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { OidcClient, OidcProvider } from "../../platform/oidc/oidc.ts";
import type { SealBinding, Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  deleteIdentities,
  deleteSso,
  findSso,
  lockSso,
  type ProvidedRole,
  type SsoJoin,
  SsoRow,
} from "../../store/identity/sso.ts";
import { countVerifiedDomains } from "../../store/identity/sso-domain.ts";
import { publishEvent } from "../event/event.ts";

/** The input of an admin. */
export interface SsoInput {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined to keep the stored one, unless the provider or the client changes. */
  readonly clientSecret: string | undefined;
  readonly enforced: boolean;
  readonly defaultRole: ProvidedRole;
  readonly join: SsoJoin;
  readonly roleClaim: string | undefined;
  readonly roleMapping: Readonly<Record<string, ProvidedRole>>;
}

/** What the service is built from. */
export interface SsoParts {
  readonly sealer: Sealer;
  readonly oidc: OidcClient;
}

/** Reads and changes how an organization signs in. */
export class SsoConfigurations {
  readonly #database: Database;
  readonly #parts: SsoParts;

  constructor(database: Database, parts: SsoParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** The configuration of the caller's organization. */
  get({ orgId }: Caller): Promise<SsoRow> {
    return this.#database.read(orgId, async (tx) => requireSso(await findSso(tx)));
  }

  /** Creates or replaces the configuration. The provider is called first, outside of any transaction. */
  async configure(caller: Caller, input: SsoInput): Promise<SsoRow> {
    const { issuer, clientId, clientSecret } = input;
    await this.#parts.oidc.check({ owner: caller.orgId, issuer, clientId, clientSecret }, "issuer");
    return this.#database.transaction(caller, async (tx) => {
      const known = await lockSso(tx);
      if (input.enforced) await assertEnforceable(tx);
      const before = known === null ? null : auditView(known);
      const row = known === null ? this.#add(tx, input) : await this.#change(tx, known, input);
      const isSecretNew = clientSecret !== undefined;
      const after = auditView(row);
      tx.changed({ resource: "sso", before, after: { ...after, client_secret_changed: isSecretNew } });
      if (!isSecretNew && isDeepStrictEqual(before, after)) return row;
      row.updatedAt = tx.now;
      await publishEvent(tx, "sso.configured", { enabled: true, issuer, enforced: row.enforced });
      return row;
    });
  }

  /** Removes the configuration and ends every session that began by it. */
  remove(caller: Caller): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const row = requireSso(await lockSso(tx));
      tx.changed({ resource: "sso", before: auditView(row), after: null });
      await publishEvent(tx, "sso.configured", { enabled: false, issuer: row.issuer, enforced: false });
      await deleteSso(tx);
    });
  }

  #add(tx: Transaction, input: SsoInput): SsoRow {
    const { clientSecret, ...rest } = input;
    return tx.em.create(SsoRow, {
      ...rest,
      orgId: tx.orgId,
      clientSecret: this.#seal(tx.orgId, clientSecret),
      roleClaim: input.roleClaim ?? null,
      roleMapping: { ...input.roleMapping },
      sessionsSince: tx.now,
      createdAt: tx.now,
      updatedAt: tx.now,
    });
  }

  // A secret is only for the provider that it was set for; another one must never get it.
  async #change(tx: Transaction, row: SsoRow, input: SsoInput): Promise<SsoRow> {
    const isSame = row.issuer === input.issuer && row.clientId === input.clientId;
    if (!isSame) {
      await deleteIdentities(tx);
      row.sessionsSince = tx.now;
    }
    if (!isSame || input.clientSecret !== undefined) row.clientSecret = this.#seal(tx.orgId, input.clientSecret);
    const { issuer, clientId, enforced, defaultRole, join } = input;
    const roles = { roleClaim: input.roleClaim ?? null, roleMapping: { ...input.roleMapping } };
    return Object.assign(row, { issuer, clientId, enforced, defaultRole, join, ...roles });
  }

  #seal(orgId: string, secret: string | undefined): Buffer | null {
    if (secret === undefined) return null;
    return Buffer.from(this.#parts.sealer.seal(Buffer.from(secret, "utf8"), clientSecretBinding(orgId)));
  }
}

/** The provider of an organization, with the client's secret. */
export function providerOf({ orgId, issuer, clientId, clientSecret }: SsoRow, sealer: Sealer): OidcProvider {
  const secret = clientSecret == null ? undefined : sealer.open(clientSecret, clientSecretBinding(orgId));
  const text = secret === undefined ? undefined : Buffer.from(secret).toString("utf8");
  return { owner: orgId, issuer, clientId, clientSecret: text };
}

/** The seal binding of a client's secret. */
export function clientSecretBinding(orgId: string): SealBinding {
  return { purpose: "sso.client_secret", orgId, rowId: orgId };
}

/** The configuration, or a 404. */
export function requireSso(row: SsoRow | null): SsoRow {
  if (row === null) throw notFound("single sign-on");
  return row;
}

// Without a verified domain, only people who have signed in before could sign in.
async function assertEnforceable(tx: Transaction): Promise<void> {
  if ((await countVerifiedDomains(tx)) > 0) return;
  throw new Fault(
    Reason.CONFLICT,
    "verify a domain before you enforce single sign-on: without one nobody could sign in",
  );
}

function auditView({ issuer, clientId, enforced, defaultRole, join, roleClaim, roleMapping }: SsoRow) {
  const roles = { default_role: defaultRole, role_claim: roleClaim ?? null, role_mapping: { ...roleMapping } };
  return { issuer, client_id: clientId, enforced, join, ...roles };
}

// The domains of e-mail addresses that an organization claims and proves to be its own by a TXT record. The
// organization's provider can only sign in people with an address at such a domain.

import { randomBytes } from "node:crypto";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import type { ResolveText } from "../../kit/net/outbound/resolve.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { violatedUnique } from "../../store/connection/driver-error.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { lockSso } from "../../store/identity/sso.ts";
import {
  countSsoDomainsLocked,
  countVerifiedDomains,
  findSsoDomain,
  listSsoDomains,
  SsoDomainRow,
} from "../../store/identity/sso-domain.ts";
import { parseDomain } from "../mail/email.ts";

/** Domains of one organization. */
export const ssoDomainLimit = 20;

/** The DNS name of a domain's TXT record. */
export function recordName(domain: string): string {
  return `_policy-guard-challenge.${domain}`;
}

/** Claims, verifies and gives up domains. */
export class SsoDomains {
  readonly #database: Database;
  readonly #resolveText: ResolveText;

  constructor(database: Database, { resolveText }: { readonly resolveText: ResolveText }) {
    this.#database = database;
    this.#resolveText = resolveText;
  }

  /** Claims a domain. */
  add(caller: Caller, text: string): Promise<SsoDomainRow> {
    const domain = parseDomain(text);
    const work = this.#database.transaction(caller, async (tx) => {
      if ((await countSsoDomainsLocked(tx)) >= ssoDomainLimit) throw limitReached();
      const challenge = `policy-guard=${randomBytes(24).toString("base64url")}`;
      const row = tx.em.create(SsoDomainRow, {
        ...{ orgId: tx.orgId, id: newId(), domain, challenge, createdAt: tx.now, verifiedAt: null },
      });
      tx.changed({ resource: resourceOf(row), before: null, after: auditView(row) });
      return row;
    });
    return work.catch((error: unknown) => {
      throw violatedUnique(error) === "sso_domain_claim"
        ? new Fault(Reason.ALREADY_EXISTS, "the organization already claims this domain")
        : error;
    });
  }

  /** A page of the domains. */
  list({ orgId }: Caller, page: Page): Promise<[SsoDomainRow[], number]> {
    return this.#database.read(orgId, (tx) => listSsoDomains(tx, page));
  }

  /** Looks for the record, outside of any transaction, and verifies the domain when it is there. */
  async verify(caller: Caller, id: string): Promise<SsoDomainRow> {
    const { domain, challenge } = await this.#database.read(caller.orgId, (tx) => requireDomain(tx, id));
    await this.#assertPublished(domain, challenge);
    const work = this.#database.transaction(caller, async (tx) => {
      const row = await requireDomain(tx, id);
      const before = auditView(row);
      row.verifiedAt = tx.now;
      tx.changed({ resource: resourceOf(row), before, after: auditView(row) });
      return row;
    });
    return work.catch((error: unknown) => {
      throw violatedUnique(error) === "sso_domain_verified"
        ? new Fault(Reason.ALREADY_EXISTS, "another organization has verified this domain")
        : error;
    });
  }

  /** Gives a domain up. */
  remove(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const sso = await lockSso(tx);
      const row = await requireDomain(tx, id);
      if (row.verifiedAt != null && sso?.enforced === true && (await countVerifiedDomains(tx)) === 1) {
        throw conflict(
          "single sign-on is enforced, and this is the last verified domain; stop enforcing single sign-on first",
        );
      }
      tx.changed({ resource: resourceOf(row), before: auditView(row), after: null });
      tx.em.remove(row);
    });
  }

  async #assertPublished(domain: string, challenge: string): Promise<void> {
    const name = recordName(domain);
    const texts = await this.#resolveText(name).catch((cause: unknown) => {
      throw conflict(`the name servers of ${name} do not answer; try again later`, cause);
    });
    if (texts.includes(challenge)) return;
    throw conflict(`${name} has no TXT record with the record_value of this domain yet; publish it, then verify again`);
  }
}

async function requireDomain(tx: Transaction, id: string): Promise<SsoDomainRow> {
  const row = await findSsoDomain(tx, id);
  if (row === null) throw notFound("domain");
  return row;
}

function conflict(message: string, cause?: unknown): Fault {
  return new Fault(Reason.CONFLICT, message, cause === undefined ? {} : { cause });
}

function limitReached(): Fault {
  return new Fault(Reason.LIMIT_REACHED, `an organization claims at most ${ssoDomainLimit} domains`, {
    extra: { limit: ssoDomainLimit },
  });
}

function resourceOf({ id }: SsoDomainRow): string {
  return `sso_domain/${id}`;
}

function auditView({ domain, verifiedAt }: SsoDomainRow) {
  return { domain, verified: verifiedAt != null };
}

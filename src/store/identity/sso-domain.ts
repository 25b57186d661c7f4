import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "SsoDomain",
  tableName: "sso_domain",
  ...lookupTenantTable,
  uniques: [
    { name: "sso_domain_claim", properties: ["orgId", "domain"] },
    // Any number of organizations may claim a domain, but only one can have it verified, even when verifications race.
    { name: "sso_domain_verified", properties: ["domain"], where: "verified_at is not null" },
  ],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** ASCII form, lower case. */
    domain: p.text(),
    /** Text of the TXT record that proves whose the domain is. */
    challenge: p.text(),
    createdAt: p.datetime(3),
    verifiedAt: p.datetime(3).nullable(),
  },
});

/** A domain of e-mail addresses that an organization claims. */
export class SsoDomainRow extends schema.class {}
schema.setClass(SsoDomainRow);

/** The domain, or null when the organization has none with this id. */
export function findSsoDomain(tx: Transaction, id: string): Promise<SsoDomainRow | null> {
  return tx.em.findOne(SsoDomainRow, { orgId: tx.orgId, id });
}

/** A page of domains by name, and their count. */
export function listSsoDomains(tx: Transaction, page: Page): Promise<[SsoDomainRow[], number]> {
  return tx.em.findAndCount(SsoDomainRow, { orgId: tx.orgId }, { ...page, orderBy: { domain: "asc" } });
}

/**
 * How many domains the organization claims. Held until the commit, so that racing claims cannot pass a limit together.
 */
export async function countSsoDomainsLocked(tx: Transaction): Promise<number> {
  await tx.sql("select from organization where id = ? for no key update", [tx.orgId]);
  return tx.em.count(SsoDomainRow, { orgId: tx.orgId });
}

/** How many domains the organization has verified. */
export function countVerifiedDomains(tx: Transaction): Promise<number> {
  return tx.em.count(SsoDomainRow, { orgId: tx.orgId, verifiedAt: { $ne: null } });
}

/** Whether the organization has verified this domain. */
export async function isVerifiedDomain(tx: Transaction, domain: string): Promise<boolean> {
  return (await tx.em.count(SsoDomainRow, { orgId: tx.orgId, domain, verifiedAt: { $ne: null } })) > 0;
}

import { defineEntity, p } from "@mikro-orm/core";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";
import type { MemberRole } from "./member.ts";

const schema = defineEntity({
  name: "SsoConfiguration",
  tableName: "sso_configuration",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    issuer: p.text(),
    clientId: p.text(),
    /** Sealed; null for a public client. */
    clientSecret: p.blob().nullable(),
    enforced: p.boolean(),
    defaultRole: p.text().$type<ProvidedRole>(),
    join: p.text().$type<SsoJoin>(),
    roleClaim: p.text().nullable(),
    roleMapping: p.json<Record<string, ProvidedRole>>(),
    /** Sessions that began at the provider before this time are ended: the provider was another one. */
    sessionsSince: p.datetime(3),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A role that an identity provider can give: not owner. */
export type ProvidedRole = Exclude<MemberRole, "owner">;
/** What happens to a person who signs in and is not a member. */
export type SsoJoin = "member" | "request";

/** How the members of an organization sign in at its identity provider. */
export class SsoRow extends schema.class {}
schema.setClass(SsoRow);

/** The configuration of the transaction's organization, or null when it has none. */
export function findSso(tx: Transaction): Promise<SsoRow | null> {
  return tx.em.findOne(SsoRow, { orgId: tx.orgId });
}

/**
 * The same, locked until the commit. The organization is locked first, so that two that begin at once, and a domain
 * that goes meanwhile, wait for each other.
 */
export async function lockSso(tx: Transaction): Promise<SsoRow | null> {
  await tx.sql("select from organization where id = ? for no key update", [tx.orgId]);
  return findSso(tx);
}

/** Deletes the configuration and the identities at its provider. */
export async function deleteSso(tx: Transaction): Promise<void> {
  await deleteIdentities(tx);
  await tx.em.nativeDelete(SsoRow, { orgId: tx.orgId });
}

/** Deletes the identities at the provider. */
export async function deleteIdentities(tx: Transaction): Promise<void> {
  await tx.sql("delete from sso_identity where org_id = ?", [tx.orgId]);
  await tx.sql("delete from sso_login where org_id = ?", [tx.orgId]);
}

/** The organization that has verified this domain and has single sign-on. */
export async function lookUpSsoOrganization(database: Lookups, domain: string): Promise<string | undefined> {
  const rows = await database.lookup<{ org_id: string }>("find_sso_organization", [domain]);
  return rows[0]?.org_id;
}

import { defineEntity, p } from "@mikro-orm/core";
import { lookupRole } from "../core/roles.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "Organization",
  tableName: "organization",
  rowLevelSecurity: "force",
  policies: [
    {
      name: "tenant",
      using: "id = nullif(current_setting('app.org_id', true), '')::uuid",
      check: "id = nullif(current_setting('app.org_id', true), '')::uuid",
    },
    { name: "lookup", command: "select", roles: [lookupRole], using: "true" },
  ],
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    plan: p.text().$type<"free" | "growth" | "enterprise">().default("free"),
    /** Evaluations of a month when the operator has set a limit; null for that of the plan. */
    evaluationsLimit: p.bigint("number").nullable(),
    billingBlocked: p.boolean().default(false),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A customer. Its id is the org_id of every tenant table. */
export class OrganizationRow extends schema.class {}
schema.setClass(OrganizationRow);

/** The transaction's organization. Throws when it is gone. */
export function findOrganization(tx: Transaction): Promise<OrganizationRow> {
  return tx.em.findOneOrFail(OrganizationRow, { id: tx.orgId });
}

/** The transaction's organization, or null. */
export function findAnyOrganization(tx: Transaction): Promise<OrganizationRow | null> {
  return tx.em.findOne(OrganizationRow, { id: tx.orgId });
}

/** An organization as its members see it. */
export type OrganizationView = Pick<
  OrganizationRow,
  "id" | "name" | "plan" | "billingBlocked" | "createdAt" | "updatedAt"
>;

/** The organizations that the account is an active member of, by name. */
export async function lookUpOrganizationsOf(database: Lookups, accountId: string): Promise<OrganizationView[]> {
  const rows = await database.lookup<{
    id: string;
    name: string;
    plan: OrganizationView["plan"];
    billing_blocked: boolean;
    created_at: Date;
    updated_at: Date;
  }>("account_organizations", [accountId]);
  return rows.map(({ id, name, plan, ...row }) => ({
    ...{ id, name, plan },
    billingBlocked: row.billing_blocked,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

/** Deletes the transaction's organization and, by foreign keys, nearly all that belongs to it. */
export async function deleteOrganization(tx: Transaction): Promise<void> {
  await tx.em.nativeDelete(OrganizationRow, { id: tx.orgId });
}

/** Every organization's id and plan, for jobs that run for each in turn. */
export function lookUpOrganizations(
  database: Lookups,
): Promise<{ id: string; plan: "free" | "growth" | "enterprise" }[]> {
  return database.lookup("list_organizations", []);
}

/** The plan of an organization, and whether an unpaid bill blocks it. */
export interface Entitlements {
  readonly plan: string;
  readonly billingBlocked: boolean;
}

/** The plan of an organization, and whether an unpaid bill blocks it; one round trip, since every call asks. */
export async function lookUpEntitlements(database: Lookups, orgId: string): Promise<Entitlements> {
  const rows = await database.lookup<{ plan: string; billing_blocked: boolean }>("find_entitlements", [orgId]);
  const found = rows[0];
  return { plan: found?.plan ?? "free", billingBlocked: found?.billing_blocked ?? false };
}

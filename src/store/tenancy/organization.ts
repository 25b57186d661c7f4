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
    /** Days that traces are kept, and their text; null for those of the plan. */
    traceDays: p.integer().nullable(),
    textDays: p.integer().nullable(),
    /** Days that entries of the log of evidence are kept; null for those of the plan. */
    evidenceDays: p.integer().nullable(),
    /** The plan that the operator has set; null when nobody did. */
    operatorPlan: p.text().$type<"free" | "growth" | "enterprise">().nullable(),
    /** Until when it stands above what is bought; null: until something is bought. */
    operatorPlanUntil: p.datetime(3).nullable(),
    /** Why the operator has blocked the organization; null when it is not. */
    operatorBlockReason: p.text().nullable(),
    /** When a plan without a limit ended; null while there is none, or when there never was one. */
    unlimitedUntil: p.datetime(3).nullable(),
    /** Where mail about plans and payments goes too. */
    billingEmail: p.text().nullable(),
    /** Whom to tell of security matters. */
    securityEmail: p.text().nullable(),
    /** Whether members who sign in with a password need a second factor. */
    secondFactorRequired: p.boolean().default(false),
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
  "id" | "name" | "plan" | "billingBlocked" | "billingEmail" | "securityEmail" | "createdAt" | "updatedAt"
> & {
  /** Undefined in lists. */
  readonly secondFactorRequired?: boolean;
};

/** The organizations that the account is an active member of, by name. */
export async function lookUpOrganizationsOf(database: Lookups, accountId: string): Promise<OrganizationView[]> {
  const rows = await database.lookup<{
    id: string;
    name: string;
    plan: OrganizationView["plan"];
    billing_blocked: boolean;
    billing_email: string | null;
    security_email: string | null;
    created_at: Date;
    updated_at: Date;
  }>("account_organizations", [accountId]);
  return rows.map(({ id, name, plan, ...row }) => ({
    ...{ id, name, plan },
    billingBlocked: row.billing_blocked,
    billingEmail: row.billing_email,
    securityEmail: row.security_email,
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

/** What decides how many evaluations an organization may make. */
export interface QuotaTerms {
  readonly plan: OrganizationRow["plan"];
  readonly evaluationsLimit: number | null;
  readonly unlimitedUntil: Date | null;
}

/** The columns of an organization from which its terms are read. */
export const quotaColumns = "plan, evaluations_limit, unlimited_until";

/** These columns. */
export interface QuotaTermsRow {
  readonly plan: OrganizationRow["plan"];
  readonly evaluations_limit: string | number | null;
  readonly unlimited_until: Date | null;
}

/** The terms that these columns state. */
export function quotaTermsOf({ plan, evaluations_limit: limit, unlimited_until }: QuotaTermsRow): QuotaTerms {
  return { plan, evaluationsLimit: limit === null ? null : Number(limit), unlimitedUntil: unlimited_until };
}

/**
 * The terms as they are committed, or as this transaction has changed them. Whoever locked the month reads them here.
 */
export async function readQuotaTerms(tx: Transaction): Promise<QuotaTerms> {
  await tx.em.flush();
  const [row] = await tx.sql<QuotaTermsRow>(`select ${quotaColumns} from organization where id = ?`, [tx.orgId]);
  if (row === undefined) throw new Error("the transaction's organization is gone");
  return quotaTermsOf(row);
}

/** Makes changes of plans, blocks and subscriptions of the organization wait for each other until the commit. */
export async function lockBilling(tx: Transaction): Promise<void> {
  await tx.sql("select id from organization where id = ? for no key update", [tx.orgId]);
}

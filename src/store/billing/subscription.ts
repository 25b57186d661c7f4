import { defineEntity, p } from "@mikro-orm/core";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

/** How a subscription stands. "none" is one that has ended. */
export type SubscriptionStatus = "none" | "trialing" | "active" | "past_due" | "blocked" | "canceled";
/** Who takes the payments. */
export type BillingProvider = "stub" | "stripe";
/** A plan's identifier. */
export type SubscribedPlan = "free" | "growth" | "enterprise";

const schema = defineEntity({
  name: "Subscription",
  tableName: "subscription",
  ...lookupTenantTable,
  indexes: [{ name: "subscription_due", properties: ["dueAt"] }],
  uniques: [{ name: "subscription_customer", properties: ["customerId"] }],
  properties: {
    orgId: p.uuid().primary(),
    provider: p.text().$type<BillingProvider>(),
    status: p.text().$type<SubscriptionStatus>(),
    plan: p.text().$type<SubscribedPlan>(),
    periodStart: p.datetime(3).nullable(),
    periodEnd: p.datetime(3).nullable(),
    /** Day of the month on which periods begin: a period of the 31st ends with shorter months. */
    anchorDay: p.smallint(),
    cancelAtPeriodEnd: p.boolean(),
    /** The plan that begins with the next period. */
    pendingPlan: p.text().$type<SubscribedPlan>().nullable(),
    graceEndsAt: p.datetime(3).nullable(),
    /** When a trial ends; null when there is none. */
    trialEndsAt: p.datetime(3).nullable(),
    /** Who pays, and for what, in the provider's own ids. Once there, the customer stays. */
    customerId: p.text().nullable(),
    providerSubscriptionId: p.text().nullable(),
    /** The provider's id of the unpaid invoice that the grace time belongs to. */
    graceInvoice: p.text().nullable(),
    /** Counts what was read of the provider: what was read before another reading is stale. */
    readings: p.integer().default(0),
    readAt: p.datetime(3).nullable(),
    /** Whether the local pages decline the next payments. */
    paymentFails: p.boolean(),
    /** When the worker has to look at it next; null when nothing waits. */
    dueAt: p.datetime(3).nullable(),
    /** Counts changes. */
    revision: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** What an organization has bought; one row, kept when the subscription has ended. */
export class SubscriptionRow extends schema.class {}
schema.setClass(SubscriptionRow);

/** The organization's subscription; null when it never had one. */
export function findSubscription(tx: Transaction): Promise<SubscriptionRow | null> {
  return tx.em.findOne(SubscriptionRow, { orgId: tx.orgId });
}

/** The organization that a customer of the provider is; undefined for somebody else's. */
export async function lookUpCustomer(database: Lookups, customerId: string): Promise<string | undefined> {
  const rows = await database.lookup<{ org_id: string }>("find_customer", [customerId]);
  return rows[0]?.org_id;
}

/** Organizations whose subscription at the provider is live, or ended after this moment. */
export async function lookUpCustomers(database: Lookups, endedAfter: Date): Promise<string[]> {
  const rows = await database.lookup<{ org_id: string }>("list_customers", [endedAfter]);
  return rows.map((row) => row.org_id);
}

/** Organizations in which something is due: subscriptions, and plans of the operator that end. */
export async function lookUpDueBilling(database: Lookups, now: Date, limit: number): Promise<string[]> {
  const rows = await database.lookup<{ org_id: string }>("due_billing", [now, limit]);
  return rows.map((row) => row.org_id);
}

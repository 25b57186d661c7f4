import { defineEntity, p } from "@mikro-orm/core";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";
import type { SubscribedPlan } from "./subscription.ts";

/** What is wanted of the provider: a plan now or with the next period, nothing else to come, or an end. */
export type IntentKind = "switch" | "switch_later" | "keep" | "cancel" | "end";

const schema = defineEntity({
  name: "BillingIntent",
  tableName: "billing_intent",
  ...lookupTenantTable,
  indexes: [{ name: "billing_intent_due", properties: ["status", "dueAt"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text().$type<IntentKind>(),
    /** The subscription in the provider's id. */
    subscriptionId: p.text(),
    /** The plan to have; null when it stays. */
    plan: p.text().$type<SubscribedPlan>().nullable(),
    status: p.text().$type<"open" | "done" | "failed">(),
    /** In the idempotency keys of its calls. Grows when the provider's answer to a key is useless for good. */
    keyVersion: p.smallint(),
    /** Revision of the subscription that it was made at: no two intents have the same. */
    revision: p.integer(),
    attempts: p.integer(),
    /** Why it failed, or failed last. */
    error: p.text().nullable(),
    /** When the worker tries it, if nobody else has. */
    dueAt: p.datetime(3),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A change that was decided here and has to be made at the provider. */
export class BillingIntentRow extends schema.class {}
schema.setClass(BillingIntentRow);

/** The change that is not finished; null when there is none. An organization has one at a time. */
export function findOpenIntent(tx: Transaction): Promise<BillingIntentRow | null> {
  return tx.em.findOne(BillingIntentRow, { orgId: tx.orgId, status: "open" });
}

/** One intent; null when there is none. */
export function findIntent(tx: Transaction, id: string): Promise<BillingIntentRow | null> {
  return tx.em.findOne(BillingIntentRow, { orgId: tx.orgId, id });
}

/** Removes those that ended before a moment. */
export async function purgeIntents(tx: Transaction, before: Date): Promise<void> {
  await tx.sql("delete from billing_intent where org_id = ? and status <> 'open' and updated_at < ?", [
    tx.orgId,
    before,
  ]);
}

/** Open intents that are due. */
export async function lookUpDueIntents(
  database: Lookups,
  now: Date,
  limit: number,
): Promise<{ readonly orgId: string; readonly id: string }[]> {
  const rows = await database.lookup<{ org_id: string; id: string }>("due_intents", [now, limit]);
  return rows.map(({ org_id: orgId, id }) => ({ orgId, id }));
}

import { defineEntity, p } from "@mikro-orm/core";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";
import type { BillingProvider, SubscribedPlan } from "./subscription.ts";

const schema = defineEntity({
  name: "Checkout",
  tableName: "checkout",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text().$type<"checkout" | "portal">(),
    provider: p.text().$type<BillingProvider>(),
    /** The page of the provider; null for a local page, and until the provider has made it. */
    sessionId: p.text().nullable(),
    /** What is bought; null for a portal. */
    plan: p.text().$type<SubscribedPlan>().nullable(),
    status: p.text().$type<"open" | "paid" | "ended">(),
    /** SHA-256 of the key of the page. */
    keyDigest: p.blob(),
    wrongKeys: p.smallint(),
    /** Where the page leads when all went well, or back. */
    successUrl: p.text().nullable(),
    cancelUrl: p.text().nullable(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3),
  },
});

/** A page on which a person pays, or manages payments. */
export class CheckoutRow extends schema.class {}
schema.setClass(CheckoutRow);

/** The organization that a checkout or portal belongs to; undefined when there is none of this id. */
export async function lookUpCheckoutOwner(database: Lookups, id: string): Promise<string | undefined> {
  const rows = await database.lookup<{ org_id: string }>("find_checkout", [id]);
  return rows[0]?.org_id;
}

/** A checkout or portal; null when there is none. */
export function findCheckout(tx: Transaction, id: string): Promise<CheckoutRow | null> {
  return tx.em.findOne(CheckoutRow, { orgId: tx.orgId, id });
}

/** Pages of the provider that somebody might still pay on. */
export async function listPayable(tx: Transaction): Promise<string[]> {
  const rows = await tx.em.find(CheckoutRow, {
    orgId: tx.orgId,
    kind: "checkout",
    sessionId: { $ne: null },
    status: { $ne: "paid" },
    expiresAt: { $gt: tx.now },
  });
  return rows.flatMap(({ sessionId }) => sessionId ?? []);
}

/** Ends the open checkouts: an organization has one at a time. Removes those of long ago. */
export async function endCheckouts(tx: Transaction): Promise<void> {
  await tx.em.flush();
  await tx.sql("update checkout set status = 'ended' where org_id = ? and kind = 'checkout' and status = 'open'", [
    tx.orgId,
  ]);
  await tx.sql("delete from checkout where org_id = ? and expires_at < ?::timestamptz - interval '31 days'", [
    tx.orgId,
    tx.now,
  ]);
}

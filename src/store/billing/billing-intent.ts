import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import { newId } from "../../kit/process/id.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "BillingIntent",
  tableName: "billing_intent",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text().$type<"change" | "cancel">(),
    /** What the provider is asked for. */
    payload: p.json<JsonObject>(),
    /** The provider does the same thing once, however often it is asked with the same key. */
    idempotencyKey: p.text(),
    state: p.text().$type<"open" | "done" | "failed">(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A call to the payment provider that has to be made, or whose outcome has to be found out. */
export class BillingIntentRow extends schema.class {}
schema.setClass(BillingIntentRow);

/** Adds an intent; it is open until its result is known. */
export function addIntent(
  tx: Transaction,
  intent: Pick<BillingIntentRow, "kind" | "payload" | "idempotencyKey">,
): BillingIntentRow {
  const times = { createdAt: tx.now, updatedAt: tx.now };
  return tx.em.create(BillingIntentRow, { ...intent, ...times, orgId: tx.orgId, id: newId(), state: "open" });
}

/** The open intents of the organization, oldest first. */
export function listOpenIntents(tx: Transaction): Promise<BillingIntentRow[]> {
  return tx.em.find(BillingIntentRow, { orgId: tx.orgId, state: "open" }, { orderBy: { createdAt: "asc" } });
}

/** Notes what came of an intent. */
export async function settleIntent(tx: Transaction, id: string, state: "done" | "failed"): Promise<void> {
  await tx.sql("update billing_intent set state = ?, updated_at = ? where org_id = ? and id = ? and state = 'open'", [
    ...[state, tx.now, tx.orgId, id],
  ]);
}

/** Organizations with intents that have been open since before this moment. */
export async function lookUpOpenIntents(database: Lookups, before: Date): Promise<string[]> {
  const rows = await database.lookup<{ org_id: string }>("open_billing_intents", [before]);
  return rows.map((row) => row.org_id);
}

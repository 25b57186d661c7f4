import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "ProviderEvent",
  tableName: "provider_event",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** The provider's id. */
    id: p.text().primary(),
    type: p.text(),
    receivedAt: p.datetime(3),
  },
});

/** An event of the provider that was heard of. */
export class ProviderEventRow extends schema.class {}
schema.setClass(ProviderEventRow);

/** Notes an event. Returns false when it was heard of before. */
export async function noteProviderEvent(tx: Transaction, id: string, type: string): Promise<boolean> {
  const rows = await tx.sql(
    "insert into provider_event (org_id, id, type, received_at) values (?, ?, ?, ?) on conflict do nothing returning id",
    [tx.orgId, id, type, tx.now],
  );
  return rows.length > 0;
}

/** Removes events from before a moment: a signature is no longer good by then. */
export async function purgeProviderEvents(tx: Transaction, before: Date): Promise<void> {
  await tx.sql("delete from provider_event where org_id = ? and received_at < ?", [tx.orgId, before]);
}

import { defineEntity, p } from "@mikro-orm/core";
import { idArray } from "../core/bulk.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "Event",
  tableName: "event",
  ...lookupTenantTable,
  indexes: [{ name: "event_created", properties: ["createdAt"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.text().primary(),
    name: p.text(),
    /** The exact text that every delivery sends, and that signatures cover. */
    body: p.text(),
    createdAt: p.datetime(3),
  },
});

/** An event that webhooks may be told of. */
export class EventRow extends schema.class {}
schema.setClass(EventRow);

/** An event to write. */
export interface NewEvent {
  readonly id: string;
  readonly body: string;
}

// Rows of one statement: enough that its overhead is negligible, few enough that its text stays small.
const chunkRows = 500;

/** Writes events of one name, and for each of the webhooks a delivery that is due now. */
export async function insertEvents(
  tx: Transaction,
  name: string,
  events: readonly NewEvent[],
  webhookIds: readonly string[],
): Promise<void> {
  for (let from = 0; from < events.length; from += chunkRows) {
    const chunk = events.slice(from, from + chunkRows);
    const values = chunk.map(() => "(?, ?, ?, ?, ?)").join(", ");
    const parameters = chunk.flatMap(({ id, body }) => [tx.orgId, id, name, body, tx.now]);
    await tx.sql(
      `with added as (
         insert into event (org_id, id, name, body, created_at) values ${values} returning org_id, id, created_at)
       insert into webhook_delivery (org_id, id, webhook_id, event_id, event, state, attempts, next_attempt_at, created_at)
       select added.org_id, gen_random_uuid(), target.id, added.id, ?, 'pending', 0, added.created_at, added.created_at
       from added cross join unnest(?::uuid[]) as target(id)`,
      [...parameters, name, idArray(webhookIds)],
    );
  }
}

/** Organizations that have events older than the moment. */
export async function organizationsWithEventsBefore(database: Lookups, moment: Date): Promise<string[]> {
  const rows = await database.lookup<{ org_id: string }>("organizations_with_events_before", [moment]);
  return rows.map((row) => row.org_id);
}

/** Deletes at most this many events older than the moment, with their deliveries. Returns how many there were. */
export async function deleteEventsBefore(tx: Transaction, moment: Date, limit: number): Promise<number> {
  const rows = await tx.sql<{ id: string }>(
    "select id from event where org_id = ? and created_at < ? order by created_at limit ?",
    [tx.orgId, moment, limit],
  );
  // With the ids as literals: otherwise the planner would guess their number from old statistics
  // (store/webhook/delivery.ts).
  const ids = idArray(rows.map(({ id }) => id));
  if (rows.length > 0) await tx.sql("delete from event where org_id = ? and id = any(?::text[])", [tx.orgId, ids]);
  return rows.length;
}

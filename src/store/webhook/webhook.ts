import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { idArray } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "Webhook",
  tableName: "webhook",
  ...tenantTable,
  indexes: [{ name: "webhook_created", properties: ["orgId", "createdAt"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    url: p.text(),
    /** Names of the events, each once. */
    events: p.array(),
    isActive: p.boolean(),
    /** The signing secret, sealed. */
    secret: p.blob().nullable(),
    /** The former one, which signs too until previousExpiresAt. */
    previousSecret: p.blob().nullable(),
    previousExpiresAt: p.datetime(3).nullable(),
    /** When the present series of failures began; null after a success. */
    failingSince: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** An address that is told of events. */
export class WebhookRow extends schema.class {}
schema.setClass(WebhookRow);

/** The webhook, or null when the organization has none with this id. */
export function findWebhook(tx: Transaction, id: string): Promise<WebhookRow | null> {
  return tx.em.findOne(WebhookRow, { orgId: tx.orgId, id });
}

/**
 * The same, locked until the commit against changes and against claims of its deliveries. Transactions that add events,
 * which only need the webhook to stay, do not wait.
 */
export async function lockWebhook(tx: Transaction, id: string): Promise<WebhookRow | null> {
  await tx.sql("select from webhook where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return tx.em.findOne(WebhookRow, { orgId: tx.orgId, id }, { refresh: true });
}

/** The fields of a webhook that a delivery needs. */
export type DeliveryTarget = Pick<
  WebhookRow,
  "orgId" | "id" | "url" | "isActive" | "secret" | "previousSecret" | "previousExpiresAt" | "failingSince"
>;

/** The same as `lockWebhook`, for deliveries. */
export async function lockTarget(tx: Transaction, id: string): Promise<DeliveryTarget | undefined> {
  const rows = await tx.sql<DeliveryTarget>(
    `select org_id as "orgId", id, url, is_active as "isActive", secret, previous_secret as "previousSecret",
            previous_expires_at as "previousExpiresAt", failing_since as "failingSince"
     from webhook where org_id = ? and id = ? for no key update`,
    [tx.orgId, id],
  );
  return rows[0];
}

/** Records which webhooks began to fail, and which have had a success since. */
export async function markHealth(
  tx: Transaction,
  { failed, succeeded }: { readonly failed: readonly string[]; readonly succeeded: readonly string[] },
): Promise<void> {
  await tx.sql(
    `update webhook w set failing_since = case when w.id = any(?::uuid[]) then null else ?::timestamptz end
     from (
       select org_id, id from webhook
       where org_id = ? and (id = any(?::uuid[]) and failing_since is not null or id = any(?::uuid[]) and failing_since is null)
       order by id for no key update) as changed
     where w.org_id = changed.org_id and w.id = changed.id`,
    [idArray(succeeded), tx.now, tx.orgId, idArray(succeeded), idArray(failed.filter((id) => !succeeded.includes(id)))],
  );
}

/** A page of webhooks, newest first, and their count. */
export function listWebhooks(tx: Transaction, page: Page): Promise<[WebhookRow[], number]> {
  return tx.em.findAndCount(WebhookRow, { orgId: tx.orgId }, { ...page, orderBy: { createdAt: "desc", id: "asc" } });
}

/**
 * How many webhooks the organization has. Held until the commit, so that racing creations cannot pass a limit together.
 */
export async function countWebhooksLocked(tx: Transaction): Promise<number> {
  await tx.sql("select from organization where id = ? for no key update", [tx.orgId]);
  return tx.em.count(WebhookRow, { orgId: tx.orgId });
}

/** Deletes the webhook and, by its foreign key, its deliveries. */
export async function deleteWebhook(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(WebhookRow, { orgId: tx.orgId, id });
}

/**
 * Ids of the active webhooks that subscribe to the event. They cannot be deleted before the commit: a delivery to a
 * webhook that is gone would fail the transaction that publishes the event.
 */
export async function holdSubscribers(tx: Transaction, event: string): Promise<string[]> {
  const rows = await tx.sql<{ id: string }>(
    "select id from webhook where org_id = ? and is_active and ? = any(events) order by id for key share",
    [tx.orgId, event],
  );
  return rows.map(({ id }) => id);
}

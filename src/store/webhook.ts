import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../kit/page.ts";
import type { Transaction } from "./database.ts";
import { tenantTable } from "./tenant.ts";

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
    /** The one before it, which signs too until previousExpiresAt. */
    previousSecret: p.blob().nullable(),
    previousExpiresAt: p.datetime(3).nullable(),
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
 * The same, locked until the commit against changes, and against claims of its deliveries. Writers of events, who only
 * need it to stay, are not held up.
 */
export async function lockWebhook(tx: Transaction, id: string): Promise<WebhookRow | null> {
  await tx.sql("select from webhook where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return tx.em.findOne(WebhookRow, { orgId: tx.orgId, id }, { refresh: true });
}

/** A page of webhooks, newest first, and their count. */
export function listWebhooks(tx: Transaction, page: Page): Promise<[WebhookRow[], number]> {
  return tx.em.findAndCount(WebhookRow, { orgId: tx.orgId }, { ...page, orderBy: { createdAt: "desc", id: "asc" } });
}

/** How many webhooks the organization has. Held until the commit, so that racing creations cannot pass a limit together. */
export async function countWebhooksLocked(tx: Transaction): Promise<number> {
  await tx.sql("select from organization where id = ? for no key update", [tx.orgId]);
  return tx.em.count(WebhookRow, { orgId: tx.orgId });
}

/** Deletes the webhook and, by its foreign key, what is on the way to it. */
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

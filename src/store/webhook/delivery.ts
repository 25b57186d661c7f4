// Deliveries of events to webhooks. These rows are the truth; jobs only wake the dispatcher, which reads them.

import { defineEntity, p } from "@mikro-orm/core";
import { newId } from "../../kit/process/id.ts";
import type { Page } from "../../kit/rpc/page.ts";
import { idArray } from "../core/bulk.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "WebhookDelivery",
  tableName: "webhook_delivery",
  ...lookupTenantTable,
  // Of the indexes that hold every row, only the primary key begins with the organization. Another one that did could
  // be taken to look rows up by their ids, and all rows of the organization be read: right after a burst the planner's
  // statistics know nothing of it. For the same reason statements name the ids of rows as literals, and join with
  // nothing that must be found.
  indexes: [
    { name: "webhook_delivery_created", properties: ["webhookId", "createdAt"] },
    { name: "webhook_delivery_event", properties: ["eventId"] },
    { name: "webhook_delivery_next", properties: ["orgId", "webhookId", "nextAttemptAt"], where: "state = 'pending'" },
    { name: "webhook_delivery_dropped", properties: ["orgId", "finishedAt"], where: "state = 'dropped'" },
    {
      name: "webhook_delivery_claimed",
      properties: ["orgId", "webhookId", "claimedUntil"],
      where: "claim_id is not null",
    },
  ],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    webhookId: p.uuid(),
    eventId: p.text(),
    event: p.text(),
    state: p.text().$type<DeliveryState>(),
    /** Attempts whose result is known. */
    attempts: p.integer(),
    statusCode: p.integer().nullable(),
    error: p.text().nullable(),
    /** Null when the delivery is finished. */
    nextAttemptAt: p.datetime(3).nullable(),
    firstAttemptAt: p.datetime(3).nullable(),
    /** The process that makes an attempt holds a claim; after claimedUntil, any process may claim it again. */
    claimId: p.uuid().nullable(),
    claimedUntil: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
});

/** The state of a delivery. */
export type DeliveryState = "pending" | "delivered" | "dropped";

/** The delivery of one event to one webhook. */
export class WebhookDeliveryRow extends schema.class {}
schema.setClass(WebhookDeliveryRow);

/** An attempt that only the holder of the claim may make and record. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Shared by the deliveries that were claimed together. */
  readonly claim_id: string;
  readonly event_id: string;
  readonly event: string;
  readonly body: string;
  /** Attempts made before. */
  readonly attempts: number;
  readonly first_attempt_at: Date | null;
}

/** Which deliveries to list. */
export interface DeliveryFilter {
  readonly state?: DeliveryState;
  readonly event?: string;
  /** Earliest time at which they were queued. */
  readonly since?: Date;
  /** Time after the latest one. */
  readonly until?: Date;
}

/** A page of the webhook's deliveries that match, newest first, and their count. */
export function listDeliveries(
  tx: Transaction,
  webhookId: string,
  page: Page,
  { state, event, since, until }: DeliveryFilter = {},
): Promise<[WebhookDeliveryRow[], number]> {
  const createdAt = { ...(since && { $gte: since }), ...(until && { $lt: until }) };
  const where = {
    orgId: tx.orgId,
    webhookId,
    ...(state && { state }),
    ...(event && { event }),
    ...((since || until) && { createdAt }),
  };
  return tx.em.findAndCount(WebhookDeliveryRow, where, { ...page, orderBy: { createdAt: "desc", id: "asc" } });
}

/** The newest delivery of a webhook. */
export interface LastDelivery {
  readonly state: DeliveryState;
  /** When it was finished or, while it is pending, queued. */
  readonly at: Date;
}

/** The newest delivery of each of these webhooks that has one: one query, which reads one row of each. */
export async function lastDeliveries(
  tx: Transaction,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, LastDelivery>> {
  // As for claims: without a sort only an index can provide the order. Statistics from before a burst would make the
  // planner read all deliveries of each webhook, and all of the organization for each.
  await tx.sql("select set_config('enable_sort', 'off', true)");
  const rows = await tx.sql<LastDelivery & { readonly id: string }>(
    `select w.id, d.state, coalesce(d.finished_at, d.created_at) as at from unnest(?::uuid[]) as w(id)
     cross join lateral (
       select state, created_at, finished_at from webhook_delivery
       where org_id = ? and webhook_id = w.id order by created_at desc limit 1) d`,
    [idArray(webhookIds), tx.orgId],
  );
  return new Map(rows.map(({ id, state, at }) => [id, { state, at }]));
}

/** The delivery, or null when the webhook has none with this id. */
export function findDelivery(tx: Transaction, webhookId: string, id: string): Promise<WebhookDeliveryRow | null> {
  return tx.em.findOne(WebhookDeliveryRow, { orgId: tx.orgId, webhookId, id });
}

/**
 * Adds a delivery of the same event that is due now. Returns its id; undefined when the event happened before `oldest`
 * and may be purged at any time.
 */
export async function addRedelivery(tx: Transaction, id: string, oldest: Date): Promise<string | undefined> {
  const rows = await tx.sql<{ id: string }>(
    `insert into webhook_delivery (org_id, id, webhook_id, event_id, event, state, attempts, next_attempt_at, created_at)
     select d.org_id, gen_random_uuid(), d.webhook_id, d.event_id, d.event, 'pending', 0, ?, ?
     from webhook_delivery d join event e on e.org_id = d.org_id and e.id = d.event_id
     where d.org_id = ? and d.id = ? and e.created_at >= ? returning id`,
    [tx.now, tx.now, tx.orgId, id, oldest],
  );
  return rows[0]?.id;
}

/**
 * Adds a delivery for each event since `since` all of whose deliveries to the webhook were dropped: at most `limit`,
 * the oldest first. Returns how many there were.
 */
export async function addRedeliveries(
  tx: Transaction,
  webhookId: string,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<number> {
  const [row] = await tx.sql<{ added: number }>(
    `with failed as (
       select e.org_id, e.id, e.name from event e
       where e.org_id = ? and e.created_at >= ? and exists (
         select from webhook_delivery d where d.org_id = e.org_id and d.event_id = e.id and d.webhook_id = ?)
       and not exists (
         select from webhook_delivery d
         where d.org_id = e.org_id and d.event_id = e.id and d.webhook_id = ? and d.state <> 'dropped')
       order by e.created_at, e.id limit ?),
     added as (
       insert into webhook_delivery (org_id, id, webhook_id, event_id, event, state, attempts, next_attempt_at, created_at)
       select org_id, gen_random_uuid(), ?, id, name, 'pending', 0, ?, ? from failed returning id)
     select count(*)::int as added from added`,
    [tx.orgId, since, webhookId, webhookId, limit, webhookId, tx.now, tx.now],
  );
  return row?.added ?? 0;
}

/**
 * Claims due deliveries of the webhook, those that have been due longest first. Undefined when there is a live claim
 * besides `own`: another process is sending to the webhook.
 */
export async function claimDue(
  tx: Transaction,
  webhookId: string,
  { limit, until, own }: { readonly limit: number; readonly until: Date; readonly own: readonly string[] },
): Promise<ClaimedDelivery[] | undefined> {
  // Without a sort, only one index can provide the order. If the planner could sort, statistics from before a burst
  // would make it expect one row and read the whole backlog by another index.
  await tx.sql("select set_config('enable_sort', 'off', true)");
  if (await isClaimedByOthers(tx, webhookId, own)) return undefined;
  const due = await tx.sql<Omit<ClaimedDelivery, "claim_id" | "body">>(
    `select id, event_id, event, attempts, first_attempt_at from webhook_delivery
     where org_id = ? and webhook_id = ? and state = 'pending' and next_attempt_at <= ?
       and (claim_id is null or claimed_until <= ?)
     order by next_attempt_at limit ? for update skip locked`,
    [tx.orgId, webhookId, tx.now, tx.now, limit],
  );
  if (due.length === 0) return [];
  const claimId = newId();
  const events = await tx.sql<{ id: string; body: string }>(
    `with claimed as (
       update webhook_delivery set claim_id = ?, claimed_until = ? where org_id = ? and id = any(?::uuid[]))
     select id, body from event where org_id = ? and id = any(?::text[])`,
    [
      claimId,
      until,
      tx.orgId,
      idArray(due.map(({ id }) => id)),
      tx.orgId,
      idArray(due.map(({ event_id }) => event_id)),
    ],
  );
  const bodies = new Map(events.map(({ id, body }) => [id, body]));
  // A foreign key keeps each event while one of its deliveries exists.
  return due.map((delivery) => ({ ...delivery, claim_id: claimId, body: bodies.get(delivery.event_id) ?? "" }));
}

async function isClaimedByOthers(tx: Transaction, webhookId: string, own: readonly string[]): Promise<boolean> {
  const rows = await tx.sql(
    `select from webhook_delivery
     where org_id = ? and webhook_id = ? and claim_id is not null and claimed_until > ? and claim_id <> all(?::uuid[])
     order by claimed_until desc limit 1`,
    [tx.orgId, webhookId, tx.now, idArray(own)],
  );
  return rows.length > 0;
}

/** Releases claimed deliveries that were not sent. */
export async function releaseClaims(
  tx: Transaction,
  claims: readonly Pick<ClaimedDelivery, "id" | "claim_id">[],
): Promise<void> {
  await tx.sql(
    `update webhook_delivery d set claim_id = null, claimed_until = null
     from json_to_recordset(?::json) as given(id uuid, claim_id uuid)
     where d.org_id = ? and d.id = any(?::uuid[]) and d.id = given.id and d.claim_id is not distinct from given.claim_id`,
    [
      JSON.stringify(claims.map(({ id, claim_id }) => ({ id, claim_id }))),
      tx.orgId,
      idArray(claims.map(({ id }) => id)),
    ],
  );
}

/** Drops the pending deliveries of the webhook. An attempt that is being made now is still recorded. */
export async function dropPending(tx: Transaction, webhookId: string, error: string): Promise<void> {
  await tx.sql(
    `update webhook_delivery
     set state = 'dropped', error = ?, next_attempt_at = null, finished_at = ?, claim_id = null, claimed_until = null
     where org_id = ? and webhook_id = ? and state = 'pending' and (claim_id is null or claimed_until <= ?)`,
    [error, tx.now, tx.orgId, webhookId, tx.now],
  );
}

/**
 * Adds a wake-up for each webhook, of any organization, whose deliveries have been due for some time: their own jobs
 * were lost, or ran while the target was busy. Returns how many webhooks there were.
 */
export async function wakeOverdue(
  database: Lookups,
  { now, dueBefore, limit }: { readonly now: Date; readonly dueBefore: Date; readonly limit: number },
): Promise<number> {
  const rows = await database.lookup<{ added: string }>("wake_overdue_webhooks", [now, dueBefore, limit]);
  return Number(rows[0]?.added ?? 0);
}

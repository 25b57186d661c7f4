// What a payment provider tells, before it is known which organization it is about. Only functions of the look-up role
// reach these tables: they belong to no organization.

import { defineEntity, p } from "@mikro-orm/core";
import { applicationRole, lookupRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import type { Lookups } from "../core/transaction.ts";
import { counterTable } from "../identity/account-table.ts";

const eventSchema = defineEntity({
  name: "ProviderEvent",
  tableName: "provider_event",
  ...counterTable,
  properties: {
    /** The provider's id of the event. */
    id: p.text().primary(),
    type: p.text(),
    customerId: p.text().nullable(),
    createdAt: p.datetime(3),
    receivedAt: p.datetime(3),
    appliedAt: p.datetime(3).nullable(),
  },
});

/** An event of a payment provider. It is a wake-up: what it says is fetched, not believed. */
export class ProviderEventRow extends eventSchema.class {}
eventSchema.setClass(ProviderEventRow);

const customerSchema = defineEntity({
  name: "ProviderCustomer",
  tableName: "provider_customer",
  ...counterTable,
  properties: {
    customerId: p.text().primary(),
    orgId: p.uuid(),
  },
});

/** Which organization a provider's customer is. */
export class ProviderCustomerRow extends customerSchema.class {}
customerSchema.setClass(ProviderCustomerRow);

const definer = "security definer set search_path = pg_catalog, public";
const both = [applicationRole, workerRole];

/** Functions about events and customers of a provider, and about what is due. */
export const billingFunctions: readonly SqlFunction[] = [
  {
    // True for one that is new.
    signature: "note_provider_event(text, text, text, timestamptz, timestamptz)",
    owner: lookupRole,
    callers: both,
    create: `create or replace function app.note_provider_event(
        event_id text, event_type text, customer text, made timestamptz, present timestamptz)
      returns table (is_new boolean) language sql ${definer} as $$
        with added as (
          insert into public.provider_event (id, type, customer_id, created_at, received_at)
          values (event_id, event_type, customer, made, present) on conflict (id) do nothing returning id)
        select exists (select from added)
      $$`,
  },
  {
    signature: "waiting_provider_customers(timestamptz, int)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.waiting_provider_customers(since timestamptz, most int)
      returns table (customer_id text, org_id uuid) language sql stable ${definer} as $$
        select distinct e.customer_id, c.org_id
        from public.provider_event e join public.provider_customer c on c.customer_id = e.customer_id
        where e.applied_at is null or e.created_at >= since limit most
      $$`,
  },
  {
    signature: "settle_provider_events(text, timestamptz, timestamptz)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.settle_provider_events(customer text, up_to timestamptz, present timestamptz)
      returns void language sql ${definer} as $$
        update public.provider_event set applied_at = present
        where customer_id = customer and applied_at is null and received_at <= up_to;
        delete from public.provider_event where received_at < present - interval '90 days'
      $$`,
  },
  {
    signature: "keep_provider_customer(text, uuid)",
    owner: lookupRole,
    callers: both,
    create: `create or replace function app.keep_provider_customer(customer text, owner uuid)
      returns void language sql ${definer} as $$
        insert into public.provider_customer (customer_id, org_id) values (customer, owner)
        on conflict (customer_id) do nothing
      $$`,
  },
  {
    signature: "find_provider_customer(text)",
    owner: lookupRole,
    callers: both,
    create: `create or replace function app.find_provider_customer(customer text)
      returns table (org_id uuid) language sql stable ${definer} as $$
        select c.org_id from public.provider_customer c where c.customer_id = customer
      $$`,
  },
  {
    signature: "find_checkout(uuid)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_checkout(wanted uuid)
      returns table (org_id uuid) language sql stable ${definer} as $$
        select c.org_id from public.checkout c where c.id = wanted
      $$`,
  },
  {
    signature: "find_invoice(uuid)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_invoice(wanted uuid)
      returns table (org_id uuid) language sql stable ${definer} as $$
        select i.org_id from public.invoice i where i.id = wanted
      $$`,
  },
  {
    signature: "open_billing_intents(timestamptz)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.open_billing_intents(before timestamptz)
      returns table (org_id uuid) language sql stable ${definer} as $$
        select distinct i.org_id from public.billing_intent i where i.state = 'open' and i.created_at <= before
      $$`,
  },
  {
    signature: "due_billing(timestamptz, int)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.due_billing(present timestamptz, most int)
      returns table (org_id uuid) language sql stable ${definer} as $$
        select s.org_id from public.subscription s where s.due_at <= present
        union
        select o.id from public.organization o where o.operator_plan_until <= present
        limit most
      $$`,
  },
];

/** Notes an event. False when it was noted before. */
export async function noteProviderEvent(
  database: Lookups,
  event: { readonly id: string; readonly type: string; readonly customerId: string | null; readonly createdAt: Date },
  now: Date,
): Promise<boolean> {
  const { id, type, customerId, createdAt } = event;
  const rows = await database.lookup<{ is_new: boolean }>("note_provider_event", [
    ...[id, type, customerId, createdAt, now],
  ]);
  return rows[0]?.is_new === true;
}

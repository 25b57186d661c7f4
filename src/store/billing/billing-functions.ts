// Look-ups of billing before the organization is known: by the id of a page, and by what is due.

import { applicationRole, lookupRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";

const definer = "security definer set search_path = pg_catalog, public";

/** Functions about pages, invoices and what is due. */
export const billingFunctions: readonly SqlFunction[] = [
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
    signature: "find_customer(text)",
    owner: lookupRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.find_customer(wanted text)
      returns table (org_id uuid) language sql stable ${definer} as $$
        select s.org_id from public.subscription s where s.customer_id = wanted
      $$`,
  },
  {
    signature: "list_customers(timestamptz)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.list_customers(ended_after timestamptz)
      returns table (org_id uuid) language sql stable ${definer} as $$
        select s.org_id from public.subscription s
        where s.customer_id is not null and (s.status <> 'none' or s.updated_at > ended_after)
        order by s.org_id
      $$`,
  },
  {
    signature: "due_intents(timestamptz, int)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.due_intents(present timestamptz, most int)
      returns table (org_id uuid, id uuid) language sql stable ${definer} as $$
        select i.org_id, i.id from public.billing_intent i
        where i.status = 'open' and i.due_at <= present order by i.due_at limit most
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

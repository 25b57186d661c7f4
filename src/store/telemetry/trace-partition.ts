// Monthly partitions of the traces. Only the owner of the tables may create and drop them, so functions that the worker
// may call do it. A partition has row-level security without a policy and no grants: a query of the partition itself
// returns nothing, while the parent's policy applies to every query of the parent.

import type pg from "pg";
import { applicationRole, ownerRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import type { Lookups } from "../core/transaction.ts";

// Any number that nothing else in the database locks.
const partitionLock = 7_405_118;
const tables = "array['trace', 'trace_facet', 'trace_text']";
const definer = "security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '5s'";

/** Functions that create and drop partitions. */
export const partitionFunctions: readonly SqlFunction[] = [
  {
    // From two months ago, since runtimes report evaluations of up to 35 days ago. Rows that fell into the default
    // partition while no worker ran are moved, or the new partition could not be attached.
    signature: "create_trace_partitions(integer)",
    owner: ownerRole,
    callers: [workerRole],
    create: `create or replace function app.create_trace_partitions(months_ahead integer)
      returns table (name text) language plpgsql ${definer} as $$
      declare
        parent text;
        month_start timestamptz;
        month_end timestamptz;
      begin
        perform pg_advisory_xact_lock(${partitionLock});
        for i in -2 .. least(months_ahead, 24) loop
          month_start := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => i)) at time zone 'UTC';
          month_end := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => i + 1)) at time zone 'UTC';
          foreach parent in array ${tables} loop
            name := parent || to_char(month_start at time zone 'UTC', '"_p"YYYY_MM');
            continue when to_regclass('public.' || name) is not null;
            execute format('create table public.%I (like public.%I including defaults including storage)', name, parent);
            execute format('alter table public.%I no force row level security', parent || '_pdefault');
            execute format('with moved as (delete from public.%I where created_at >= %L and created_at < %L returning *)
              insert into public.%I select * from moved', parent || '_pdefault', month_start, month_end, name);
            execute format('alter table public.%I force row level security', parent || '_pdefault');
            execute format('alter table public.%I enable row level security, force row level security', name);
            execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
              parent, name, month_start, month_end);
            return next;
          end loop;
        end loop;
      end $$`,
  },
  {
    // Never the months that runtimes may still report.
    signature: "drop_trace_partitions(integer)",
    owner: ownerRole,
    callers: [workerRole],
    create: `create or replace function app.drop_trace_partitions(keep_months integer)
      returns table (name text) language plpgsql ${definer} as $$
      declare
        parent text;
        oldest text := to_char(date_trunc('month', now() at time zone 'UTC')
          - make_interval(months => greatest(keep_months, 2)), '"_p"YYYY_MM');
      begin
        perform pg_advisory_xact_lock(${partitionLock});
        foreach parent in array ${tables} loop
          for name in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = ('public.' || parent)::regclass and c.relname < parent || oldest
              and c.relname ~ '_p[0-9]{4}_[0-9]{2}$'
          loop
            execute format('drop table public.%I', name);
            return next;
          end loop;
        end loop;
      end $$`,
  },
];

/** Creates the partitions up to this many months ahead. Returns the names of the new ones. */
export async function createTracePartitions(database: Lookups, monthsAhead: number): Promise<string[]> {
  const rows = await database.lookup<{ name: string }>("create_trace_partitions", [monthsAhead]);
  return rows.map((row) => row.name);
}

/** Drops the partitions of all months except this one and a number of months before it. Returns their names. */
export async function dropTracePartitions(database: Lookups, keepMonths: number): Promise<string[]> {
  const rows = await database.lookup<{ name: string }>("drop_trace_partitions", [keepMonths]);
  return rows.map((row) => row.name);
}

/** Creates the partitions of the next months and closes every partition of every table to the logins. */
export async function migratePartitions(owner: pg.Client): Promise<void> {
  await owner.query("select * from app.create_trace_partitions(3)");
  const { rows } = await owner.query<{ name: string; open: boolean }>(
    `select format('%I.%I', n.nspname, c.relname) as name, not (c.relrowsecurity and c.relforcerowsecurity) as open
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relispartition and c.relkind in ('r', 'p') and n.nspname = 'public'`,
  );
  for (const { name, open } of rows) {
    if (open) await owner.query(`alter table ${name} enable row level security, force row level security`);
    await owner.query(`revoke all on ${name} from ${applicationRole}, ${workerRole}`);
  }
}

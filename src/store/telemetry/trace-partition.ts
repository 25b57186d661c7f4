// Partitions of the traces by month, or by day. Only the owner of the tables may create and drop them, so functions
// that the worker may call do it. A partition has row-level security without a policy and no grants: a query of the
// partition itself returns nothing, while the parent's policy applies to every query of the parent.

import type pg from "pg";
import { applicationRole, ownerRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import type { Lookups } from "../core/transaction.ts";

// Any number that nothing else in the database locks.
const partitionLock = 7_405_118;
const tables = "array['trace', 'trace_facet', 'trace_text']";
const definer = "security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '5s'";

/**
 * For how many seconds from now on the traces have partitions: `value`. Looked up in the catalog, which every login may
 * read. The partition that a moment without one falls into is left out.
 */
export const endOfPartitions = `with part as (
    select to_date(rpad(substring(c.relname from '_p([0-9_]+)$'), 10, '_01'), 'YYYY_MM_DD') as begins,
      case when c.relname ~ '_p[0-9]{4}_[0-9]{2}$' then interval '1 month' else interval '1 day' end as length
    from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where h.inhparent = 'public.trace'::regclass and c.relname ~ '_p[0-9]'
  ), reach as (
    select begins, (begins + length)::timestamp as ends,
      lead(begins) over (order by begins)::timestamp is distinct from (begins + length)::timestamp as is_last
    from part
  )
  select coalesce(extract(epoch from min(ends) at time zone 'UTC' - now()), 0) as value
  from reach where is_last and ends at time zone 'UTC' > now()`;

/** How long a partition is. */
export type PartitionLength = "month" | "day";

/** Functions that create and drop partitions. */
export const partitionFunctions: readonly SqlFunction[] = [
  {
    // Rows that fell into the default partition while no worker ran are moved, or the new partition could not be
    // attached.
    signature: "create_trace_partition(text, timestamptz, timestamptz)",
    owner: ownerRole,
    callers: [],
    create: `create or replace function app.create_trace_partition(partition_name text, range_start timestamptz, range_end timestamptz)
      returns void language plpgsql ${definer} as $$
      declare
        parent text := regexp_replace(partition_name, '_p[0-9_]+$', '');
      begin
        execute format('create table public.%I (like public.%I including defaults including storage)', partition_name, parent);
        execute format('alter table public.%I no force row level security', parent || '_pdefault');
        execute format('with moved as (delete from public.%I where created_at >= %L and created_at < %L returning *)
          insert into public.%I select * from moved', parent || '_pdefault', range_start, range_end, partition_name);
        execute format('alter table public.%I force row level security', parent || '_pdefault');
        execute format('alter table public.%I enable row level security, force row level security', partition_name);
        execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
          parent, partition_name, range_start, range_end);
      end $$`,
  },
  {
    // Rows that nobody has to see are what makes a partition stay; the owner sees them only while nothing forces the
    // row policies on it.
    signature: "drop_empty_trace_partition(text)",
    owner: ownerRole,
    callers: [],
    create: `create or replace function app.drop_empty_trace_partition(partition_name text)
      returns boolean language plpgsql ${definer} as $$
      declare
        is_used boolean;
      begin
        execute format('alter table public.%I no force row level security', partition_name);
        execute format('select exists (select from public.%I)', partition_name) into is_used;
        if is_used then
          execute format('alter table public.%I force row level security', partition_name);
        else
          execute format('drop table public.%I', partition_name);
        end if;
        return not is_used;
      end $$`,
  },
  {
    // From two months ago, or 36 days, since runtimes report evaluations of up to 35 days ago, until three months or 14
    // days ahead. A month that has begun keeps its length. After a change of the setting, later months are made anew if
    // they are empty.
    signature: "create_trace_partitions(text)",
    owner: ownerRole,
    callers: [workerRole],
    create: `create or replace function app.create_trace_partitions(unit text)
      returns table (name text) language plpgsql ${definer} as $$
      declare
        today timestamp := date_trunc('day', now() at time zone 'UTC');
        parent text;
        part text;
        month_start timestamp;
        day_start timestamp;
        month_name text;
        has_days boolean;
      begin
        if unit not in ('month', 'day') then raise exception 'a partition is a month or a day, not %', unit; end if;
        perform pg_advisory_xact_lock(${partitionLock});
        foreach parent in array ${tables} loop
          for i in -2 .. 3 loop
            month_start := date_trunc('month', today) + make_interval(months => i);
            month_name := parent || to_char(month_start, '"_p"YYYY_MM');
            if to_regclass('public.' || month_name) is not null then
              continue when unit = 'month' or month_start <= today or not app.drop_empty_trace_partition(month_name);
            end if;
            has_days := false;
            for part in select c.relname from pg_inherits h join pg_class c on c.oid = h.inhrelid
              where h.inhparent = ('public.' || parent)::regclass and c.relname ~ ('^' || month_name || '_[0-9]{2}$')
            loop
              has_days := has_days or unit = 'day' or month_start <= today or not app.drop_empty_trace_partition(part);
            end loop;
            if unit = 'month' and not has_days then
              name := month_name;
              perform app.create_trace_partition(name, month_start at time zone 'UTC',
                (month_start + interval '1 month') at time zone 'UTC');
              return next;
              continue;
            end if;
            for day_start in select generate_series(month_start, month_start + interval '1 month - 1 day', interval '1 day') loop
              continue when unit = 'day' and (day_start < today - interval '36 days' or day_start > today + interval '14 days');
              name := parent || to_char(day_start, '"_p"YYYY_MM_DD');
              continue when to_regclass('public.' || name) is not null;
              perform app.create_trace_partition(name, day_start at time zone 'UTC',
                (day_start + interval '1 day') at time zone 'UTC');
              return next;
            end loop;
          end loop;
        end loop;
      end $$`,
  },
  {
    // Never what runtimes may still report.
    signature: "drop_trace_partitions(date)",
    owner: ownerRole,
    callers: [workerRole],
    create: `create or replace function app.drop_trace_partitions(before date)
      returns table (name text) language plpgsql ${definer} as $$
      declare
        parent text;
        range_end timestamp;
      begin
        perform pg_advisory_xact_lock(${partitionLock});
        foreach parent in array ${tables} loop
          for name in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = ('public.' || parent)::regclass and c.relname ~ '_p[0-9]{4}_[0-9]{2}(_[0-9]{2})?$' order by 1
          loop
            range_end := case when name ~ '_p[0-9]{4}_[0-9]{2}$'
              then to_timestamp(right(name, 7), 'YYYY_MM')::timestamp + interval '1 month'
              else to_timestamp(right(name, 10), 'YYYY_MM_DD')::timestamp + interval '1 day' end;
            continue when range_end > least(before::timestamp, (now() at time zone 'UTC') - interval '62 days');
            execute format('drop table public.%I', name);
            return next;
          end loop;
        end loop;
      end $$`,
  },
];

/** Creates the partitions that are missing, some time ahead. Returns their names. */
export async function createTracePartitions(database: Lookups, length: PartitionLength): Promise<string[]> {
  const rows = await database.lookup<{ name: string }>("create_trace_partitions", [length]);
  return rows.map((row) => row.name);
}

/** Drops the partitions that end before this day (UTC). Returns their names. */
export async function dropTracePartitions(database: Lookups, beforeDay: string): Promise<string[]> {
  const rows = await database.lookup<{ name: string }>("drop_trace_partitions", [beforeDay]);
  return rows.map((row) => row.name);
}

/** Creates the partitions that are missing and closes every partition of every table to the logins. */
export async function migratePartitions(owner: pg.Client, length: PartitionLength): Promise<void> {
  await owner.query("select * from app.create_trace_partitions($1)", [length]);
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

// Counts authentication requests by address, for all processes together. The count is exact: no span of a minute or an
// hour contains more requests than the limit. Refused requests do not count, so that a caller who waits gets through.

import { defineEntity, p } from "@mikro-orm/core";
import { applicationRole, lookupRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import type { Lookups } from "../core/transaction.ts";
import { counterTable } from "./account-table.ts";

const schema = defineEntity({
  name: "AddressLimit",
  tableName: "address_limit",
  ...counterTable,
  properties: {
    /** The key of the counter: an IPv4 address, the /64 of an IPv6 address, or something else that has a limit. */
    key: p.text().primary(),
    /** Times of the requests of the last hour, oldest first. */
    hits: p.array().columnType("timestamptz[]"),
  },
});

/** The requests of one address. */
export class AddressLimitRow extends schema.class {}
schema.setClass(AddressLimitRow);

/** Functions that count requests, and the one that clears counters away. */
export const addressLimitFunctions: readonly SqlFunction[] = [
  {
    signature: "count_hit(text, timestamptz, integer, integer)",
    owner: lookupRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.count_hit(wanted text, present timestamptz, most_a_minute int, most_an_hour int)
      returns table (free_at timestamptz) language plpgsql security definer set search_path = pg_catalog, public as $$
      declare
        recent timestamptz[];
        n int;
      begin
        -- The update changes nothing; it locks the row.
        insert into public.address_limit as l (key, hits) values (wanted, '{}')
          on conflict (key) do update set key = excluded.key returning l.hits into recent;
        recent := array(select h from unnest(recent) h where h > present - interval '1 hour' order by h);
        n := cardinality(recent);
        free_at := nullif(greatest(
          case when n >= most_an_hour then recent[n - most_an_hour + 1] + interval '1 hour' else '-infinity' end,
          case when n >= most_a_minute then recent[n - most_a_minute + 1] + interval '1 minute' else '-infinity' end
        ), '-infinity');
        if free_at > present then
          return next;
          return;
        end if;
        update public.address_limit l set hits = recent || present where l.key = wanted;
        free_at := null;
        return next;
      end $$`,
  },
  {
    signature: "purge_counters(timestamptz)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.purge_counters(present timestamptz)
      returns void language sql security definer set search_path = pg_catalog, public as $$
        delete from public.address_limit l
          where coalesce(l.hits[cardinality(l.hits)], '-infinity') < present - interval '1 hour';
        delete from public.login_failure f where greatest(f.last_at, f.locked_until) < present - interval '24 hours'
      $$`,
  },
];

/** Limits of one key. */
export interface HitLimits {
  readonly aMinute: number;
  readonly anHour: number;
}

/** Counts a request. Returns when the next one is allowed if this one is over a limit. */
export async function countHit(
  database: Lookups,
  key: string,
  now: Date,
  { aMinute, anHour }: HitLimits,
): Promise<Date | undefined> {
  const rows = await database.lookup<{ free_at: Date | null }>("count_hit", [key, now, aMinute, anHour]);
  return rows[0]?.free_at ?? undefined;
}

/** Deletes counters without requests in the last hour. */
export async function purgeCounters(database: Lookups, now: Date): Promise<void> {
  await database.lookup("purge_counters", [now]);
}

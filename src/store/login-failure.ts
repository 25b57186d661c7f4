// Failed sign-ins of an address, known or not. A try is counted before the password is looked at, so that tries that come at
// the same time cannot all slip in under the limit; what turns out right is taken back.

import { defineEntity, p } from "@mikro-orm/core";
import { counterTable } from "./account-table.ts";
import type { Database } from "./database.ts";
import type { SqlFunction } from "./functions.ts";
import { applicationRole, lookupRole } from "./roles.ts";

const schema = defineEntity({
  name: "LoginFailure",
  tableName: "login_failure",
  ...counterTable,
  properties: {
    /** SHA-256 of the normalised address. */
    key: p.blob().primary(),
    count: p.integer(),
    lockedUntil: p.datetime(3).nullable(),
    lastAt: p.datetime(3),
  },
});

/** Failures in a row of one address. */
export class LoginFailureRow extends schema.class {}
schema.setClass(LoginFailureRow);

/** Failures in a row from which on an address is locked; each further one doubles the time. */
export const failuresBeforeLock = 5;
const firstLock = "interval '1 minute'";
const longestLock = "interval '24 hours'";

const definer = "security definer set search_path = pg_catalog, public";

/** Functions that count tries. They belong to the look-up role, which alone reaches the table. */
export const loginFailureFunctions: readonly SqlFunction[] = [
  {
    signature: "begin_try(bytea, timestamptz)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.begin_try(wanted bytea, present timestamptz)
      returns table (refused_until timestamptz, lock timestamptz) language plpgsql ${definer} as $$
      declare
        f public.login_failure;
        failures int;
      begin
        -- The update changes nothing; it locks the row.
        insert into public.login_failure as l (key, count, last_at) values (wanted, 0, present)
          on conflict (key) do update set key = excluded.key returning l.* into f;
        if f.locked_until > present then
          return query select f.locked_until, null::timestamptz;
          return;
        end if;
        failures := case when greatest(f.last_at, f.locked_until) < present - ${longestLock} then 1 else f.count + 1 end;
        lock := case when failures >= ${failuresBeforeLock}
          then present + least(${firstLock} * power(2, least(failures - ${failuresBeforeLock}, 16)), ${longestLock}) end;
        update public.login_failure l set count = failures, last_at = present, locked_until = lock where l.key = wanted;
        return query select null::timestamptz, lock;
      end $$`,
  },
  {
    // Only the lock of this very try is lifted: another one may have failed meanwhile.
    signature: "take_back_try(bytea, timestamptz)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.take_back_try(wanted bytea, lock timestamptz)
      returns void language sql ${definer} as $$
        update public.login_failure l set count = greatest(l.count - 1, 0),
          locked_until = case when l.locked_until is distinct from lock then l.locked_until end where l.key = wanted
      $$`,
  },
  {
    signature: "forget_tries(bytea)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.forget_tries(wanted bytea)
      returns void language sql ${definer} as $$ delete from public.login_failure l where l.key = wanted $$`,
  },
];

/** A try that was counted: refused until a moment, or allowed, with the lock that it leaves if it fails. */
export interface Try {
  readonly refused_until: Date | null;
  readonly lock: Date | null;
}

/** Counts a try before it is made. */
export async function beginTry(database: Database, key: Uint8Array, now: Date): Promise<Try> {
  const rows = await database.lookup<Try>("begin_try", [key, now]);
  const begun = rows[0];
  if (begun === undefined) throw new Error("begin_try returns a row");
  return begun;
}

/** Takes a try back that was neither right nor wrong. */
export async function takeBackTry(database: Database, key: Uint8Array, { lock }: Try): Promise<void> {
  await database.lookup("take_back_try", [key, lock]);
}

/** Forgets every failure: the address has shown who it is. */
export async function forgetTries(database: Database, key: Uint8Array): Promise<void> {
  await database.lookup("forget_tries", [key]);
}

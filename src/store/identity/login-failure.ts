// Failed sign-ins of an address, known or not. An attempt is counted before the password is checked, so that attempts
// at the same time cannot exceed the limit together; a successful one is taken back.

import { createHash } from "node:crypto";
import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { applicationRole, lookupRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import type { AccountTransaction, Lookups } from "../core/transaction.ts";
import { counterTable } from "./account-table.ts";

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

/** Failures in a row that lock an address; each further one doubles the time. */
export const failuresBeforeLock = 5;
const firstLock = "interval '1 minute'";
const maxLock = "interval '24 hours'";

const definer = "security definer set search_path = pg_catalog, public";

/** Functions that count attempts. They belong to the look-up role, the only one with access to the table. */
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
        failures := case when greatest(f.last_at, f.locked_until) < present - ${maxLock} then 1 else f.count + 1 end;
        lock := case when failures >= ${failuresBeforeLock}
          then present + least(${firstLock} * power(2, least(failures - ${failuresBeforeLock}, 16)), ${maxLock}) end;
        update public.login_failure l set count = failures, last_at = present, locked_until = lock where l.key = wanted;
        return query select null::timestamptz, lock;
      end $$`,
  },
  {
    // Only the lock of this attempt is lifted: another one may have failed meanwhile.
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
  {
    signature: "lift_lock(bytea)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.lift_lock(wanted bytea)
      returns table (locked_until timestamptz) language sql ${definer} as $$
        delete from public.login_failure l where l.key = wanted returning l.locked_until
      $$`,
  },
];

/** The key under which an address is counted. */
export function emailDigest(emailKey: string): Buffer {
  return createHash("sha256").update(emailKey).digest();
}

/** A counted attempt: refused until a time, or allowed, with the lock that its failure causes. */
export interface Try {
  readonly refused_until: Date | null;
  readonly lock: Date | null;
}

/** Counts an attempt before it is made. */
export async function beginTry(database: Lookups, key: Uint8Array, now: Date): Promise<Try> {
  const rows = await database.lookup<Try>("begin_try", [key, now]);
  const begun = rows[0];
  if (begun === undefined) throw new Error("begin_try returns a row");
  return begun;
}

/** Takes an attempt back that was neither right nor wrong. */
export async function takeBackTry(database: Lookups, key: Uint8Array, { lock }: Try): Promise<void> {
  await database.lookup("take_back_try", [key, lock]);
}

/** Deletes all failures of the address after a successful sign-in. */
export async function forgetTries(database: Lookups, key: Uint8Array): Promise<void> {
  await database.lookup("forget_tries", [key]);
}

/** The same within the account's transaction. Returns the end of the lock that there was, which may have passed. */
export async function liftLock(tx: Pick<AccountTransaction, "em">, key: Uint8Array): Promise<Date | null> {
  const rows = await runBound<{ until_ms: number | null }>(
    tx,
    "select (extract(epoch from locked_until) * 1000)::float8 as until_ms from app.lift_lock($1)",
    [key],
  );
  const until = rows[0]?.until_ms ?? null;
  return until === null ? null : new Date(Math.round(until));
}

// Which database this is: the cluster, its timeline, and the database's number in it. A dump is loaded into another
// cluster, or into a database that was made anew and has another number. A recovery to a point in time begins a new
// timeline (https://www.postgresql.org/docs/18/continuous-archiving.html), as the promotion of a replica does. All of
// them may have fewer rows than their readers remember.

import { hash } from "node:crypto";
import { applicationRole, lookupRole, workerRole } from "./roles.ts";
import type { SqlFunction } from "./sql-function.ts";
import type { Lookups } from "./transaction.ts";

/** Functions about the database's identity. */
export const identityFunctions: readonly SqlFunction[] = [
  {
    // Null where the server does not tell, as some services that only speak its protocol.
    signature: "database_identity()",
    owner: lookupRole,
    callers: [],
    create: `create or replace function app.database_identity() returns text
      language plpgsql stable set search_path = pg_catalog as $$
      begin
        return (select system_identifier from pg_control_system())
          || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
          || '/' || (select oid from pg_database where datname = current_database());
      exception when insufficient_privilege or undefined_function or feature_not_supported
        or object_not_in_prerequisite_state then
        return null;
      end $$`,
  },
  {
    signature: "database_state()",
    owner: lookupRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.database_state() returns table (known text, present text)
      language sql stable security definer set search_path = pg_catalog, public as $$
        select i.database_identity, app.database_identity() from public.installation i
      $$`,
  },
  {
    signature: "accept_database()",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.accept_database() returns setof text
      language sql volatile security definer set search_path = pg_catalog, public as $$
        update public.installation set database_identity = app.database_identity() returning database_identity
      $$`,
  },
];

/**
 * Written by each migration run: the first one that finds nothing there takes the database as it is, and the first one
 * that finds a name without the database's number, as earlier processes wrote it, adds that.
 */
export const noteIdentitySql: readonly string[] = [
  `set role ${lookupRole}`,
  `update public.installation set database_identity = app.database_identity()
    where database_identity is null or app.database_identity() like database_identity || '/%'`,
  "reset role",
];

/** What there is to know about a database's identity. */
export interface DatabaseIdentity {
  /** What the installation worked on last; undefined when nobody could tell. */
  readonly known: Identity | undefined;
  readonly present: Identity | undefined;
}

/** A cluster, a timeline of it, and a database in it. */
export interface Identity {
  readonly cluster: string;
  readonly timeline: string;
  /** Undefined where an earlier process wrote it down, which did not ask for it. */
  readonly number: string | undefined;
}

/** Asks for it. */
export async function readIdentity(database: Lookups): Promise<DatabaseIdentity> {
  const [row] = await database.lookup<{ known: string | null; present: string | null }>("database_state", []);
  return { known: identityOf(row?.known), present: identityOf(row?.present) };
}

/** What a new timeline of the same cluster means: a recovery to an earlier moment, or a replica that lacks nothing. */
export type NewTimeline = "stop" | "follow";

/**
 * Which other database this is than the one that the installation worked on last, and what to do about it; undefined
 * where it is the same, or nobody can tell.
 */
export async function restoredDatabase(database: Lookups, newTimeline: NewTimeline): Promise<string | undefined> {
  const { known, present } = await readIdentity(database);
  if (known === undefined || present === undefined) return undefined;
  const what = differenceOf(known, present, newTimeline);
  if (what === undefined) return undefined;
  return `this is ${what}: if it was restored from a backup, run \`npm run operator -- after-restore --reason <text>\`; if nothing was lost, \`… after-restore --nothing-lost\``;
}

function differenceOf(known: Identity, present: Identity, newTimeline: NewTimeline): string | undefined {
  if (known.cluster !== present.cluster) return "another cluster";
  const isKnown = known.number !== undefined && present.number !== undefined;
  if (isKnown && known.number !== present.number) return "another database of the cluster, such as one made anew";
  if (newTimeline === "follow" || known.timeline === present.timeline) return undefined;
  return `timeline ${present.timeline} of the database, and it was ${known.timeline}`;
}

/** Names the restore that made the database another one; undefined where nobody can tell. */
export async function restoreName(database: Lookups): Promise<string | undefined> {
  const { known, present } = await readIdentity(database);
  if (known === undefined || present === undefined) return undefined;
  return `restore-${hash("sha256", JSON.stringify([known, present])).slice(0, 16)}`;
}

/** Takes the database as the one to work on from here. With the worker's login. */
export async function acceptDatabase(worker: Lookups): Promise<void> {
  await worker.lookup("accept_database", []);
}

function identityOf(text: string | null | undefined): Identity | undefined {
  const [cluster = "", timeline = "", number] = text?.split("/") ?? [];
  return cluster === "" ? undefined : { cluster, timeline, number };
}

// Brings a database to the schema of this version: generated migrations first, then what is declared as a whole and
// compared or made anew: foreign keys, functions, grants, the job queue's own schema.

import { setTimeout as sleep } from "node:timers/promises";
import { MikroORM } from "@mikro-orm/postgresql";
import { runMigrations } from "graphile-worker";
import pg from "pg";
import { type BackOff, backOffMs } from "../../kit/process/back-off.ts";
import { isOlderVersion } from "../../kit/process/version.ts";
import { noteIdentitySql } from "../core/database-identity.ts";
import { livingProcesses } from "../core/process-heartbeat.ts";
import { applicationRole, lookupRole, workerRole } from "../core/roles.ts";
import { addForeignKeySql, foreignKeyName, foreignKeys } from "../schema/foreign-keys.ts";
import { counterTables, createFunctionSql, functions, lookupTables } from "../schema/functions.ts";
import { migrations } from "../schema/migrations/index.ts";
import type { PhasedMigration } from "../schema/phase.ts";
import { entryTriggerSql } from "../telemetry/audit-entry.ts";
import { migratePartitions, type PartitionLength } from "../telemetry/trace-partition.ts";
import { isLockTimeout } from "./driver-error.ts";
import { ormOptions } from "./orm.ts";

// Any number that nothing else in the database uses as a lock.
const migrationLock = 7_405_117;

/** How long a statement waits for a lock, and so how long others may have to wait behind it. */
const lockTimeoutMs = 2_000;
/** Some two minutes. */
const lockAttempts = 30;
const lockBackOff: BackOff = { baseMs: 250, maxMs: 4_000, jitter: "equal" };

/** What to migrate, and to what. */
export interface MigrateInput {
  readonly migrationUrl: string;
  /** Default: month. */
  readonly tracePartition?: PartitionLength;
}

/** Whose tables to migrate, and to what. */
export interface TablesInput {
  readonly url: string;
  readonly migrations: readonly PhasedMigration[];
}

/**
 * Migrates. Safe to run at any time, beside processes of the last release and of this one, and by several at once: the
 * second waits for the first.
 */
export async function migrateDatabase({ migrationUrl, tracePartition = "month" }: MigrateInput): Promise<void> {
  const client = new pg.Client({ connectionString: migrationUrl });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    await client.query(`set lock_timeout = ${lockTimeoutMs}`);
    await migrateTables(client, { url: migrationUrl, migrations });
    await migrateForeignKeys(client);
    await migrateQueue(client, migrationUrl);
    await inTurn(client, functions.flatMap(createFunctionSql));
    await inTurn(client, entryTriggerSql);
    await inTurn(client, grants());
    await inTurn(client, noteIdentitySql);
    await patiently("the partitions of traces", () => migratePartitions(client, tracePartition));
  } finally {
    await client.end();
  }
}

/** Runs the migrations that the database lacks, each in a transaction of its own. */
export async function migrateTables(owner: pg.Client, { url, migrations }: TablesInput): Promise<void> {
  const open = (timeoutMs: number) =>
    MikroORM.init(ormOptions({ url, poolSize: 2, migrating: { migrations, lockTimeoutMs: timeoutMs } }));
  const orm = await open(lockTimeoutMs);
  let patient: MikroORM | undefined;
  try {
    const pending = new Set((await orm.migrator.getPending()).map(({ name }) => name));
    for (const migration of migrations.filter(({ name }) => pending.has(name))) {
      await assertNobodyOlder(owner, migration);
      // An index that is built concurrently waits for transactions that are under way, and makes nobody wait.
      if (migration.isConcurrent === true) patient ??= await open(0);
      const { migrator } = (migration.isConcurrent === true ? patient : undefined) ?? orm;
      await patiently(`the migration ${migration.name}`, () => migrator.up({ migrations: [migration.name] }));
    }
  } finally {
    await Promise.all([orm.close(true), patient?.close(true)]);
  }
}

async function assertNobodyOlder(owner: pg.Client, migration: PhasedMigration): Promise<void> {
  if (migration.phase !== "contract") return;
  const { name, oldestVersion } = migration;
  const older = (await livingProcesses(owner)).filter(({ version }) => isOlderVersion(version, oldestVersion));
  if (older.length === 0) return;
  const who = older.map((one) => `a ${one.process} of ${one.version}, seen ${one.seenSeconds} s ago`).join("; ");
  throw new Error(
    `${name} takes away what processes before ${oldestVersion} need, and some live: ${who}. Upgrade or end them; one ` +
      "that was killed is forgotten after a minute",
  );
}

/** Does it again when a lock could not be had soon: whoever waits for a lock of a table makes all others wait. */
async function patiently<T>(what: string, work: () => Promise<T>): Promise<T> {
  for (let step = 0; ; step++) {
    try {
      return await work();
    } catch (cause) {
      if (!isLockTimeout(cause)) throw cause;
      if (step === lockAttempts - 1) {
        throw new Error(`${what} got no lock in ${lockAttempts} attempts: end long transactions, and run it again`, {
          cause,
        });
      }
      await sleep(backOffMs(step, lockBackOff));
    }
  }
}

async function inTurn(owner: pg.Client, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await patiently(statement.slice(0, 80), () => owner.query(statement));
}

async function migrateForeignKeys(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; table: string; isValid: boolean }>(
    `select c.conname as name, c.conrelid::regclass::text as table, c.convalidated as "isValid" from pg_constraint c
     join pg_namespace n on n.oid = c.connamespace
     where c.contype = 'f' and n.nspname = 'public' and c.conparentid = 0`,
  );
  const wanted = new Map(foreignKeys.map((key) => [foreignKeyName(key), key]));
  for (const { name, table, isValid } of rows) {
    // One that an interrupted migration has not validated is made anew.
    if (!isValid || !wanted.delete(name)) await inTurn(client, [`alter table ${table} drop constraint "${name}"`]);
  }
  for (const key of wanted.values()) await inTurn(client, addForeignKeySql(key));
}

// graphile-worker puts row-level security without policies on its tables, so that only their owner reads them: the
// worker has to be that owner.
async function migrateQueue(client: pg.Client, migrationUrl: string): Promise<void> {
  await client.query("create schema if not exists app");
  for (const role of [lookupRole, workerRole]) await client.query(`grant usage, create on schema app to ${role}`);
  const url = new URL(migrationUrl);
  url.searchParams.set("options", `-c role=${workerRole} -c lock_timeout=${lockTimeoutMs}`);
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  // graphile-worker asks for these: a connection that fails while idle would end the process.
  const ignore = () => undefined;
  pool.on("error", ignore).on("connect", (connection) => connection.on("error", ignore));
  try {
    await patiently("the job queue", () => runMigrations({ pgPool: pool, logger: undefined }));
  } finally {
    await pool.end();
  }
}

function grants(): string[] {
  const logins = `${applicationRole}, ${workerRole}`;
  return [
    `grant usage on schema public, app to ${logins}`,
    `grant select, insert, update, delete on all tables in schema public to ${logins}`,
    `grant usage on all sequences in schema public to ${logins}`,
    `revoke all on schema_migration from ${logins}`,
    // Entries of the audit log are only ever added.
    `revoke update, delete on audit_entry, audit_opening, audit_checkpoint, audit_epoch from ${logins}`,
    `revoke all on installation from ${logins}`,
    `grant usage on schema public to ${lookupRole}`,
    `grant select on schema_migration to ${lookupRole}`,
    `grant update on installation to ${lookupRole}`,
    `grant select on ${lookupTables.join(", ")} to ${lookupRole}`,
    `grant select, insert, update, delete on ${counterTables.join(", ")} to ${lookupRole}`,
    `revoke all on ${counterTables.join(", ")} from ${logins}`,
  ];
}

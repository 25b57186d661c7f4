// Brings a database to the schema of this version: generated migrations first, then what is declared as a whole and
// compared or made anew: foreign keys, functions, grants, the job queue's own schema.

import { MikroORM } from "@mikro-orm/postgresql";
import { runMigrations } from "graphile-worker";
import pg from "pg";
import { applicationRole, lookupRole, workerRole } from "../core/roles.ts";
import { addForeignKeySql, foreignKeyName, foreignKeys } from "../schema/foreign-keys.ts";
import { counterTables, createFunctionSql, functions, lookupTables } from "../schema/functions.ts";
import { entryTriggerSql } from "../telemetry/audit-entry.ts";
import { migratePartitions, type PartitionLength } from "../telemetry/trace-partition.ts";
import { ormOptions } from "./orm.ts";

// Any number that nothing else in the database uses as a lock.
const migrationLock = 7_405_117;

/** What to migrate, and to what. */
export interface MigrateInput {
  readonly migrationUrl: string;
  /** Default: month. */
  readonly tracePartition?: PartitionLength;
}

/** Migrates. Safe to run at any time and by several processes at once: the second waits for the first. */
export async function migrateDatabase({ migrationUrl, tracePartition = "month" }: MigrateInput): Promise<void> {
  const client = new pg.Client({ connectionString: migrationUrl });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    await migrateTables(migrationUrl);
    await migrateForeignKeys(client);
    await migrateQueue(client, migrationUrl);
    await migrateFunctions(client);
    for (const statement of entryTriggerSql) await client.query(statement);
    for (const statement of grants()) await client.query(statement);
    await migratePartitions(client, tracePartition);
  } finally {
    await client.end();
  }
}

async function migrateTables(url: string): Promise<void> {
  const orm = await MikroORM.init(ormOptions({ url, poolSize: 2 }));
  try {
    await orm.migrator.up();
  } finally {
    await orm.close(true);
  }
}

async function migrateForeignKeys(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; table: string }>(
    `select c.conname as name, c.conrelid::regclass::text as table from pg_constraint c
     join pg_namespace n on n.oid = c.connamespace
     where c.contype = 'f' and n.nspname = 'public' and c.conparentid = 0`,
  );
  const wanted = new Map(foreignKeys.map((key) => [foreignKeyName(key), key]));
  for (const { name, table } of rows) {
    if (!wanted.delete(name)) await client.query(`alter table ${table} drop constraint "${name}"`);
  }
  for (const key of wanted.values()) await client.query(addForeignKeySql(key));
}

// graphile-worker puts row-level security without policies on its tables, so that only their owner reads them: the
// worker has to be that owner.
async function migrateQueue(client: pg.Client, migrationUrl: string): Promise<void> {
  await client.query("create schema if not exists app");
  for (const role of [lookupRole, workerRole]) await client.query(`grant usage, create on schema app to ${role}`);
  const url = new URL(migrationUrl);
  url.searchParams.set("options", `-c role=${workerRole}`);
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  // graphile-worker asks for these: a connection that fails while idle would end the process.
  const ignore = () => undefined;
  pool.on("error", ignore).on("connect", (connection) => connection.on("error", ignore));
  try {
    await runMigrations({ pgPool: pool, logger: undefined });
  } finally {
    await pool.end();
  }
}

async function migrateFunctions(client: pg.Client): Promise<void> {
  for (const statement of functions.flatMap(createFunctionSql)) await client.query(statement);
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
    `grant select on ${lookupTables.join(", ")} to ${lookupRole}`,
    `grant select, insert, update, delete on ${counterTables.join(", ")} to ${lookupRole}`,
    `revoke all on ${counterTables.join(", ")} from ${logins}`,
  ];
}

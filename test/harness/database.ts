// A database of its own for each test file.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { type DatabaseUrls, databaseUrls } from "../../scripts/postgres/urls.ts";
import { prepareDatabaseSql } from "../../src/store/roles.ts";

/** A migrated, empty database. */
export interface TestDatabase extends DatabaseUrls {
  /** Ends the sessions and removes the database. */
  drop(): Promise<void>;
}

/** Any number; what counts is that every process takes the same one. */
const copyLock = 7_301_942;

/** Copies the migrated template. Takes about 0.1 s. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { port, passwords, template } = inject("postgres");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await asSuperuser(async (client) => {
    // Copies at the same time are slower than one after the other.
    await client.query("select pg_advisory_lock($1)", [copyLock]);
    await client.query(`create database ${name} template ${template} strategy file_copy`);
    // A copy has the template's contents, but neither its owner nor the privileges on the database itself.
    await client.query(prepareDatabaseSql(name));
  });
  return {
    ...databaseUrls(port, name, passwords),
    drop: () => asSuperuser(async (client) => void (await client.query(`drop database ${name} with (force)`))),
  };
}

async function asSuperuser(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgres").superuserUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

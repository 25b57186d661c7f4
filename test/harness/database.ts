// A database of its own for each test file.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { type DatabaseUrls, databaseUrls } from "../../scripts/postgres/urls.ts";
import { prepareDatabaseSql } from "../../src/store/core/roles.ts";

/** A migrated, empty database. */
export interface TestDatabase extends DatabaseUrls {
  /** A connection that sees the rows of every organization, to look at what calls left behind. */
  openWitness(): Promise<pg.Client>;
  /** Ends the sessions and removes the database. */
  drop(): Promise<void>;
}

/** Any number; what counts is that every process takes the same one. */
const copyLock = 7_301_942;

/** Copies the migrated template. Takes about 0.1 s. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { port, passwords, superuserUrl, template } = inject("postgres");
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
    async openWitness() {
      const url = new URL(superuserUrl);
      url.pathname = name;
      const witness = new pg.Client({
        connectionString: url.href,
        // It asks the same few questions thousands of times: each is planned once.
        options: "-c plan_cache_mode=force_generic_plan",
      });
      await witness.connect();
      return witness;
    },
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

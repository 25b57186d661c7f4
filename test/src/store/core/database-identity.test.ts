// Whether a database is known again: what stays the same in a cluster when its database was made anew.

import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { migrateDatabase } from "../../../../src/store/connection/migrate.ts";
import { acceptDatabase, readIdentity, restoredDatabase } from "../../../../src/store/core/database-identity.ts";
import { prepareDatabaseSql } from "../../../../src/store/core/roles.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";

let urls: TestDatabase;

beforeAll(async () => {
  urls = await createTestDatabase();
});

afterAll(() => urls.drop());

async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url: urls.workerUrl, poolSize: 1 });
  return work(database).finally(() => database.close());
}

/** Puts a copy in the place of the database, as loading a dump into the same server does. */
async function replaceByCopy(): Promise<void> {
  const name = new URL(urls.workerUrl).pathname.slice(1);
  const client = new pg.Client({ connectionString: inject("postgres").superuserUrl });
  await client.connect();
  try {
    await client.query(`create database ${name}_copy template ${name} strategy file_copy`);
    await client.query(`drop database ${name}`);
    await client.query(`alter database ${name}_copy rename to ${name}`);
    await client.query(prepareDatabaseSql(name));
  } finally {
    await client.end();
  }
}

const restored = () => withDatabase((database) => restoredDatabase(database, "follow"));

it("knows a database that was made anew in the same cluster, as a dump is restored, for another one", async () => {
  await withDatabase(acceptDatabase);
  expect(await restored()).toBeUndefined();
  await replaceByCopy();
  expect(await restored()).toContain("this is another database of the cluster");
  await withDatabase(acceptDatabase);
  expect(await restored()).toBeUndefined();
});

it("takes a name that an earlier process wrote for the same database, and completes it when it migrates", async () => {
  const witness = await urls.openWitness();
  const { present } = await withDatabase(readIdentity);
  await witness
    .query("update installation set database_identity = $1", [`${present?.cluster}/${present?.timeline}`])
    .finally(() => witness.end());
  expect(await restored()).toBeUndefined();
  expect((await withDatabase(readIdentity)).known).toMatchObject({ number: undefined });
  await migrateDatabase({ migrationUrl: urls.migrationUrl });
  expect((await withDatabase(readIdentity)).known).toEqual(present);
});

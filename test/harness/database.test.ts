import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "./database.ts";

let first: TestDatabase;
let second: TestDatabase;

beforeAll(async () => {
  [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});

afterAll(async () => {
  await Promise.all([first.drop(), second.drop()]);
});

test("each login of the product gets into the copy under its own name", async () => {
  const users = await Promise.all(
    [first.applicationUrl, first.migrationUrl, first.workerUrl].map((url) => one(url, "select current_user as it")),
  );
  expect(users).toEqual(["policy_guard_app", "policy_guard_owner", "policy_guard_worker"]);
});

test("the owner may create tables, the application may not", async () => {
  await one(first.migrationUrl, "create table only_here (id int)");
  await expect(one(first.applicationUrl, "create table another (id int)")).rejects.toThrow(/permission denied/);
});

test("what one copy contains the other does not", async () => {
  await one(first.migrationUrl, "create table if not exists only_here (id int)");
  expect(await one(second.migrationUrl, "select to_regclass('only_here') as it")).toBeNull();
});

test("no login of the product is a superuser or passes by row-level security", async () => {
  const sql =
    "select count(*)::int as it from pg_roles where rolname like 'policy_guard_%' and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)";
  expect(await one(first.applicationUrl, sql)).toBe(0);
});

async function one(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows[0]?.it;
  } finally {
    await client.end();
  }
}

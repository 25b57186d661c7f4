import { randomUUID } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import pg from "pg";
import { expect, it } from "vitest";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import { openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase } from "../../../harness/database.ts";
import { adminCaller } from "../../../harness/vector/world.ts";

it("a read sees the state of one moment, without later commits", async () => {
  const urls = await createTestDatabase();
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  const organizations = new Organizations(database);
  const { id } = await organizations.create({ name: "Acme" });
  const named = `select count(*)::int as n from audit_entry`;
  const counts = await database.read(id, async (tx) => {
    const before = await tx.sql<{ n: number }>(named);
    await database.transaction(adminCaller(id), async (other) => {
      other.changed({ resource: "organization", before: null, after: null });
    });
    return [before, await tx.sql<{ n: number }>(named)].map((rows) => rows[0]?.n);
  });
  expect(counts[0]).toBe(counts[1]);
  const after = await database.read(id, (tx) => tx.sql<{ n: number }>(named));
  expect(after[0]?.n).toBe((counts[0] ?? 0) + 1);
  await database.close();
  await urls.drop();
});

it("a database that ends every connection in mid-transaction costs the pool none of its places", async () => {
  const urls = await createTestDatabase();
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  const killer = new pg.Client({ connectionString: urls.applicationUrl });
  await killer.connect();
  const others =
    "from pg_stat_activity where usename = current_user and datname = current_database() and pid <> pg_backend_pid()";
  for (let round = 0; round < 3; round += 1) {
    const sleeping = [1, 2].map(() =>
      database.systemTransaction(randomUUID(), (tx) => tx.sql("select pg_sleep(10)")).catch(String),
    );
    const asleep = `select count(*)::int as n ${others} and wait_event = 'PgSleep'`;
    await expect.poll(async () => (await killer.query<{ n: number }>(asleep)).rows[0]?.n, { interval: 10 }).toBe(2);
    await killer.query(`select pg_terminate_backend(pid) ${others}`);
    for (const outcome of await Promise.all(sleeping)) expect(outcome).toContain("the database is not available");
  }
  await expect(database.isWritable()).resolves.toBe(true);
  await killer.end();
  await database.close();
  await urls.drop();
});

it("tells its own process what it notified once that is committed, and once only", async () => {
  const urls = await createTestDatabase();
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  const orgId = randomUUID();
  const heard: JsonObject[] = [];
  database.onNotified("news", (payload) => heard.push(payload));
  let attempts = 0;
  await database.systemTransaction(orgId, async (tx) => {
    attempts += 1;
    await tx.notify("news", { attempts });
    await tx.notify("other news", { attempts });
    expect(heard).toEqual([]);
    if (attempts === 1) await tx.sql("do $$ begin raise exception using errcode = 'serialization_failure'; end $$");
  });
  expect(heard).toEqual([{ org_id: orgId, attempts: 2 }]);
  const failing = database.systemTransaction(orgId, async (tx) => {
    await tx.notify("news", { attempts: 0 });
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect(heard).toHaveLength(1);
  await database.close();
  await urls.drop();
});

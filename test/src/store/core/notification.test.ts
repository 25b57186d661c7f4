import { randomUUID } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { Notifications } from "../../../../src/store/core/notification.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { startPostgresProxy } from "../../../harness/net/postgres-proxy.ts";

const within = { timeout: 30_000, interval: 10 };
const log = createLog({ name: "test", level: "silent" });

describe("Notifications", () => {
  let urls: TestDatabase;
  let database: Database;
  const opened: Notifications[] = [];

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((notifications) => notifications.close()));
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  const listen = async (options: { url?: string; heartbeatMs?: number; answerMs?: number } = {}) => {
    const notifications = new Notifications({ url: urls.applicationUrl, log, reconnectMs: 10, ...options });
    opened.push(notifications);
    const heard: JsonObject[] = [];
    let resyncs = 0;
    notifications.on("news", (payload) => heard.push(payload));
    notifications.onResync(() => {
      resyncs += 1;
    });
    await notifications.start();
    return { notifications, heard, resyncs: () => resyncs };
  };
  const orgId = randomUUID();
  const tell = (value: number) => database.systemTransaction(orgId, (tx) => tx.notify("news", { value }));

  it("hears committed changes only, none that are rolled back", async () => {
    const { heard } = await listen();
    const failing = database.systemTransaction(orgId, async (tx) => {
      await tx.notify("news", { value: 1 });
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    await tell(2);
    await expect.poll(() => heard, within).toEqual([{ org_id: orgId, value: 2 }]);
  });

  it("connects again after the server ended its connection, says so, and hears what follows", async () => {
    const { heard, resyncs, notifications } = await listen();
    const client = new pg.Client({ connectionString: urls.applicationUrl });
    await client.connect();
    for (let round = 1; round <= 3; round += 1) {
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'policy-guard-notifications'",
      );
      await expect.poll(resyncs, within).toBe(round);
      expect(notifications.isListening).toBe(true);
      await tell(round);
      await expect.poll(() => heard.at(-1), within).toMatchObject({ value: round });
    }
    await client.end();
  });

  it("notices a connection on which nothing comes through any more", async () => {
    const proxy = await startPostgresProxy(urls.applicationUrl);
    const { heard, resyncs } = await listen({ url: proxy.url, heartbeatMs: 50, answerMs: 3_000 });
    proxy.stall();
    await expect.poll(resyncs, within).toBe(1);
    await tell(7);
    await expect.poll(() => heard.at(-1), within).toMatchObject({ value: 7 });
    proxy.close();
  });

  it("tries again when a server takes its connection and then says nothing", async () => {
    const proxy = await startPostgresProxy(urls.applicationUrl);
    const { heard, resyncs, notifications } = await listen({ url: proxy.url, answerMs: 3_000 });
    proxy.silence();
    await expect.poll(() => proxy.made, within).toBeGreaterThan(2);
    expect([notifications.isListening, resyncs()]).toEqual([false, 0]);
    proxy.speak();
    await expect.poll(resyncs, within).toBe(1);
    await tell(8);
    await expect.poll(() => heard.at(-1), within).toMatchObject({ value: 8 });
    proxy.close();
  });

  it("goes on when a listener fails or a payload is no object", async () => {
    const { notifications, heard } = await listen();
    notifications.on("news", () => {
      throw new Error("broken listener");
    });
    const client = new pg.Client({ connectionString: urls.applicationUrl });
    await client.connect();
    for (const payload of ["", "[1]", "null", "{", '{"value":1}']) {
      await client.query("select pg_notify('news', $1)", [payload]);
    }
    await tell(2);
    await expect.poll(() => heard.map(({ value }) => value), within).toEqual([1, 2]);
    await client.end();
  });

  it("does not start without a database, and stays closed once closed", async () => {
    const unreachable = new Notifications({ url: "postgres://nobody@127.0.0.1:1/none", log });
    await expect(unreachable.start()).rejects.toThrow("ECONNREFUSED");
    const { notifications, resyncs } = await listen();
    await notifications.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([notifications.isListening, resyncs()]).toEqual([false, 0]);
  });
});

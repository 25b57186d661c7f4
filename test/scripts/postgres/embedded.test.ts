import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "../../../scripts/postgres/embedded.ts";
import { adoptServer, processesIn } from "../../../scripts/postgres/server.ts";

const isRoot = process.getuid?.() === 0;
const stopLimitMs = 10_000;

let dataFolder: string;
let cluster: string;

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "embedded-"));
  chmodSync(dataFolder, 0o755);
  cluster = join(dataFolder, "postgres");
  const server = await (await open()).start();
  await query("create table kept (id int)");
  await query("insert into kept values (7)");
  await server.stop(stopLimitMs);
});

afterAll(async () => {
  await (await adoptServer(cluster))?.stop(stopLimitMs);
  rmSync(dataFolder, { recursive: true, force: true });
});

test("a start after an orderly stop finds all data", async () => {
  const server = await (await open()).start();
  expect(await query("select id as it from kept")).toBe(7);
  await server.stop(stopLimitMs);
  expect(processesIn(cluster)).toEqual([]);
  expect(existsSync(join(cluster, "postmaster.pid"))).toBe(false);
});

test("writes are flushed to disk, and passwords are asked for", async () => {
  const server = await (await open()).start();
  expect(await query("select current_setting('fsync') as it")).toBe("on");
  const { urls } = await open();
  const wrong = new URL(urls.applicationUrl);
  wrong.password = "guess";
  const client = new pg.Client({ connectionString: wrong.href });
  await expect(client.connect()).rejects.toThrow(/password authentication failed/);
  await server.stop(stopLimitMs);
});

test("a live server of the same cluster is taken over, not started twice", async () => {
  const first = await (await open()).start();
  const second = await (await open()).start();
  expect(second.pid).toBe(first.pid);
  await second.stop(stopLimitMs);
  await first.exited;
});

test("after kill -9 the next start recovers what was committed", async () => {
  const server = await (await open()).start();
  await query("insert into kept values (8)");
  process.kill(server.pid, "SIGKILL");
  await server.exited;
  const next = await (await open()).start();
  expect(await query("select count(*)::int as it from kept")).toBe(2);
  await next.stop(stopLimitMs);
});

test("a pid file whose number now belongs to another program does not stop the start", async () => {
  const { uid, gid } = statSync(cluster);
  const stranger = spawn("sleep", ["60"], { uid, gid, cwd: "/" });
  try {
    const lines = [stranger.pid, cluster, 1, 5432, "", "127.0.0.1", "1 1", "ready"];
    writeFileSync(join(cluster, "postmaster.pid"), `${lines.join("\n")}\n`);
    const server = await (await open()).start();
    expect(server.pid).not.toBe(stranger.pid);
    await server.stop(stopLimitMs);
  } finally {
    stranger.kill();
  }
});

test("only the owner can read the passwords and the address of the cluster", () => {
  expect(statSync(join(dataFolder, "postgres.json")).mode & 0o777).toBe(0o600);
  expect(statSync(cluster).mode & 0o777).toBe(0o700);
});

test.runIf(isRoot)(
  "as root, the cluster of a closed data folder lies where the server's user can reach it",
  async () => {
    const closed = mkdtempSync(join(tmpdir(), "embedded-closed-"));
    chmodSync(closed, 0o700);
    const database = await openEmbeddedDatabase(closed, join(closed, "postgres.log"));
    const record: { cluster: string } = JSON.parse(readFileSync(join(closed, "postgres.json"), "utf8"));
    try {
      expect(record.cluster).toMatch(/^\/var\/lib\/policy-guard\/[0-9a-f]{12}\/postgres$/);
      const server = await database.start();
      expect(statSync(record.cluster).uid).not.toBe(0);
      await server.stop(stopLimitMs);
    } finally {
      rmSync(dirname(record.cluster), { recursive: true, force: true });
      rmSync(closed, { recursive: true, force: true });
    }
  },
);

function open(): Promise<EmbeddedDatabase> {
  return openEmbeddedDatabase(dataFolder, join(dataFolder, "postgres.log"));
}

/** The column `it` of the first row, as the owner of the database. */
async function query(sql: string): Promise<unknown> {
  const { urls } = await open();
  const client = new pg.Client({ connectionString: urls.migrationUrl });
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows[0]?.it;
  } finally {
    await client.end();
  }
}

// Reads that may lag, with a real streaming replica: they go there while it is not behind, and nothing else does.

import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import { lagging } from "../../../../src/kit/process/may-lag.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { migrateDatabase } from "../../../../src/store/connection/migrate.ts";
import { eventually } from "../../../harness/eventually.ts";
import { startTestControlPlane } from "../../../harness/process/control-plane.ts";
import { type OwnReplica, type OwnServer, startOwnServer } from "../../../harness/process/own-server.ts";
import { createWorld } from "../../../harness/vector/world.ts";

const orgId = newId();
const log = createLog({ name: "test", level: "silent" });
const places: string[] = [];
let server: OwnServer;
let replica: OwnReplica;
let database: Database;

beforeAll(async () => {
  server = await startOwnServer();
  await migrateDatabase(server.urls);
  replica = await server.startReplica();
  database = await openDatabase({ url: server.urls.applicationUrl, poolSize: 3 });
  const onRead = (place: string) => void places.push(place);
  await database.readFrom({ url: replica.urls.applicationUrl, poolSize: 2, log, onRead });
}, 300_000);

afterAll(async () => {
  await database?.close();
  await server?.stop();
}, 120_000);

/** Whether a read was answered by the replica. */
async function isThere(): Promise<boolean> {
  const [row] = await database.read(orgId, (tx) => tx.sql<{ there: boolean }>("select pg_is_in_recovery() as there"));
  return row?.there === true;
}

const mayBeThere = () => lagging(isThere);

it("reads that may lag go to the replica, and others never do", async () => {
  await eventually(async () => expect(await mayBeThere()).toBe(true));
  expect(places.at(-1)).toBe("replica");
  expect(await isThere()).toBe(false);
  const changed = await lagging(() =>
    database.systemTransaction(orgId, async (tx) => (await tx.sql("select pg_is_in_recovery() as there"))[0]),
  );
  expect(changed).toEqual({ there: false });
});

it("methods that say so read there, and no other does", async () => {
  const urls = { ...server.urls, openWitness: () => Promise.reject(), drop: async () => {} };
  const plane = await startTestControlPlane({ urls, env: { DATABASE_READ_URL: replica.urls.applicationUrl } });
  try {
    const { orgId: own, tokens } = await createWorld(plane.database);
    const headers = { authorization: `Bearer ${tokens.admin}` };
    const count = async () => {
      const text = await (await fetch(`${plane.managementUrl}/metrics`)).text();
      return Number(/^replica_reads_total\{result="replica"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    const get = async (path: string) => {
      const response = await fetch(`${plane.baseUrl}/v1/orgs/${own}${path}`, { headers });
      await response.text();
      return response.status;
    };
    // The organization has to arrive there first.
    await eventually(async () => {
      expect(await get("/traces")).toBe(200);
      expect(await count()).toBeGreaterThan(0);
    });
    for (const path of ["/traces", "/traces/analytics", "/traces/export?format=jsonl", "/evidence"]) {
      const before = await count();
      expect([path, await get(path)]).toEqual([path, 200]);
      expect([path, (await count()) > before]).toEqual([path, true]);
    }
    const before = await count();
    for (const path of ["", "/policies", "/projects", "/usage", "/tokens"]) {
      expect([path, await get(path)]).toEqual([path, 200]);
    }
    expect(await count()).toBe(before);
  } finally {
    await plane.stop();
  }
});

it("what the replica does not know for five seconds is read from the primary, until it has caught up", async () => {
  const there = new pg.Client({ connectionString: replica.superuserUrl });
  await there.connect();
  await there.query("select pg_wal_replay_pause()");
  const here = new pg.Client({ connectionString: server.urls.migrationUrl });
  await here.connect();
  await here.query("create table held_up (id int)");
  await eventually(async () => expect(await mayBeThere()).toBe(false));
  expect(places.at(-1)).toBe("lagging");
  await there.query("select pg_wal_replay_resume()");
  await eventually(async () => expect(await mayBeThere()).toBe(true));
  await here.query("drop table held_up");
  await Promise.all([here.end(), there.end()]);
});

it("a server that is no replica is not read", async () => {
  const other = await openDatabase({ url: server.urls.applicationUrl, poolSize: 2 });
  const told: string[] = [];
  const onRead = (place: string) => void told.push(place);
  await other.readFrom({ url: server.urls.applicationUrl, poolSize: 1, log, onRead });
  try {
    for (let i = 0; i < 3; i++) await lagging(() => other.read(orgId, (tx) => tx.sql("select 1")));
    expect(new Set(told)).toEqual(new Set(["lagging"]));
  } finally {
    await other.close();
  }
});

it("a replica that goes fails no read", async () => {
  await eventually(async () => expect(await mayBeThere()).toBe(true));
  await replica.stop();
  for (let i = 0; i < 5; i++) expect(await mayBeThere()).toBe(false);
  await eventually(async () => {
    await mayBeThere();
    expect(places.at(-1)).toBe("lagging");
  });
});

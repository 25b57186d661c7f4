import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { holdPool, poolLockClass, unlockDeadPools } from "../../../../src/store/core/worker-pool.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";

const silentMs = 60_000;
const log = pino({ level: "silent" });

let urls: TestDatabase;
let database: Database;
let client: pg.Client;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
  client = new pg.Client({ connectionString: urls.workerUrl });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.close();
  await urls.drop();
});

beforeEach(async () => {
  await client.query("delete from graphile_worker._private_jobs; delete from worker_pool");
});

/** A job that the pool locked some time ago, and, unless null, the age of the pool's heartbeat. */
async function lockedJob(poolId: string, lockedSecondsAgo: number, heartbeatSecondsAgo: number | null): Promise<void> {
  await client.query(
    `with added as (select (graphile_worker.add_job('sweep-deliveries', '{}'::json)).id)
     update graphile_worker._private_jobs j set locked_by = $1, locked_at = now() - $2 * interval '1 second'
     where j.id in (select id from added)`,
    [poolId, lockedSecondsAgo],
  );
  await client.query(
    "update graphile_worker._private_jobs set locked_by = $1, locked_at = now() - $2 * interval '1 second' where locked_by is null",
    [poolId, lockedSecondsAgo],
  );
  if (heartbeatSecondsAgo === null) return;
  await client.query("insert into worker_pool values ($1, now() - $2 * interval '1 second')", [
    poolId,
    heartbeatSecondsAgo,
  ]);
}

// Of this database: other test files have theirs on the same server.
const locks = `from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.locktype = 'advisory' and l.classid = $1 and l.granted`;

async function lockedBy(): Promise<string[]> {
  const { rows } = await client.query(
    "select locked_by from graphile_worker._private_jobs where locked_by is not null",
  );
  return rows.map((row) => row.locked_by).sort();
}

describe("unlockDeadPools()", () => {
  it("frees the jobs of pools whose session has ended and whose heartbeat is old, and of no others", async () => {
    await lockedJob("pool-dead", 300, 120);
    await lockedJob("pool-dead-before-its-first-heartbeat", 300, null);
    await lockedJob("pool-starting", 5, null);
    await lockedJob("pool-reconnecting", 300, 30);
    await lockedJob("pool-with-session", 300, 3_000);
    await client.query("select pg_advisory_lock($1, hashtext($2))", [poolLockClass, "pool-with-session"]);
    const dead = await unlockDeadPools(database, { silentMs });
    expect(dead.sort()).toEqual(["pool-dead", "pool-dead-before-its-first-heartbeat"]);
    expect(await lockedBy()).toEqual(["pool-reconnecting", "pool-starting", "pool-with-session"]);
    expect(await unlockDeadPools(database, { silentMs })).toEqual([]);
    await client.query("select pg_advisory_unlock_all()");
    expect(await unlockDeadPools(database, { silentMs })).toEqual(["pool-with-session"]);
  });

  it("is not for the application, which does not see pools at all", async () => {
    await lockedJob("pool-a", 300, 120);
    const application = await openDatabase({ url: urls.applicationUrl, poolSize: 1 });
    try {
      await expect(unlockDeadPools(application, { silentMs })).rejects.toThrow(/permission denied/);
      const organization = "00000000-0000-4000-8000-000000000000";
      expect(await application.read(organization, (tx) => tx.sql("select * from worker_pool"))).toEqual([]);
    } finally {
      await application.close();
    }
  });
});

describe("holdPool()", () => {
  it("keeps a pool alive, also over the loss of its session, until it is released", async () => {
    const hold = await holdPool({ url: urls.workerUrl, poolId: "pool-held", log });
    await lockedJob("pool-held", 300, null);
    const isAlive = async () => {
      // Even with the oldest heartbeat the session speaks for the pool.
      await client.query("update worker_pool set heartbeat_at = now() - interval '1 hour'");
      return (await unlockDeadPools(database, { silentMs })).length === 0;
    };
    expect(await isAlive()).toBe(true);
    const { rows } = await client.query(`select pid, pg_terminate_backend(pid) as ended ${locks}`, [poolLockClass]);
    expect(rows).toEqual([{ pid: rows[0]?.pid, ended: true }]);
    // The session that is ended holds its lock for another moment; what counts is that a new one has it.
    const otherHolders = `select pid ${locks} and pid <> $2`;
    await expect
      .poll(async () => (await client.query(otherHolders, [poolLockClass, rows[0]?.pid])).rowCount, { timeout: 30_000 })
      .toBe(1);
    expect(await isAlive()).toBe(true);
    await hold.release();
    expect((await client.query("select from worker_pool where id = 'pool-held'")).rowCount).toBe(0);
    expect(await unlockDeadPools(database, { silentMs })).toEqual(["pool-held"]);
  });
});

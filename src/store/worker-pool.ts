// Which pools of workers live. graphile-worker keeps the jobs of a pool that died locked for four hours; here a pool holds
// an advisory lock for as long as its session lasts, and a heartbeat for when the session breaks but the process does not.
// A pool whose lock is free and whose heartbeat is old is dead: its jobs are unlocked.

import { defineEntity, p } from "@mikro-orm/core";
import pg from "pg";
import type { Logger } from "../kit/log.ts";
import type { Database } from "./database.ts";
import { workerRole } from "./roles.ts";

const schema = defineEntity({
  name: "WorkerPool",
  tableName: "worker_pool",
  rowLevelSecurity: "force",
  policies: [{ name: "worker", roles: [workerRole], using: "true", check: "true" }],
  properties: {
    id: p.text().primary(),
    heartbeatAt: p.datetime(3),
  },
});

/** A pool of workers, of no organization. */
export class WorkerPoolRow extends schema.class {}
schema.setClass(WorkerPoolRow);

/** First half of the advisory locks of pools; the second is the hash of the pool's id. */
export const poolLockClass = 7_405_118;

const heartbeatMs = 15_000;
const reconnectMs = 1_000;

/** Unlocks the jobs of dead pools. `silentMs` is the age from which a heartbeat counts as old. */
export async function unlockDeadPools(
  database: Database,
  { silentMs }: { readonly silentMs: number },
): Promise<string[]> {
  const rows = await database.lookup<{ pool_id: string }>("unlock_dead_pools", [silentMs]);
  return rows.map((row) => row.pool_id);
}

/** What says that a pool lives. */
export interface PoolHold {
  /** The pool has ended in order: nothing is locked by it any more. */
  release(): Promise<void>;
}

/** Says that the pool lives, until released or until the process dies. Connects again when the connection breaks. */
export async function holdPool({
  url,
  poolId,
  log,
}: {
  readonly url: string;
  readonly poolId: string;
  readonly log: Logger;
}): Promise<PoolHold> {
  let isReleased = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  const connect = async () => {
    const fresh = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5_000 });
    fresh.on("error", (err) => log.warn({ err, poolId }, "the worker pool's session failed"));
    fresh.once("end", () => {
      if (client === fresh) client = undefined;
      reconnectLater();
    });
    await fresh.connect();
    client = fresh;
    await fresh.query("select pg_advisory_lock($1, hashtext($2))", [poolLockClass, poolId]);
    await beat(fresh, poolId);
  };
  const reconnectLater = () => {
    if (isReleased || retry !== undefined) return;
    retry = setTimeout(() => {
      retry = undefined;
      connect().catch((err: unknown) => {
        log.warn({ err, poolId }, "the worker pool could not renew its session");
        reconnectLater();
      });
    }, reconnectMs);
  };
  const timer = setInterval(() => {
    if (client !== undefined) beat(client, poolId).catch((err: unknown) => log.warn({ err, poolId }, "no heartbeat"));
  }, heartbeatMs);

  await connect();
  return {
    async release() {
      isReleased = true;
      clearInterval(timer);
      clearTimeout(retry);
      await client?.query("delete from worker_pool where id = $1", [poolId]);
      await client?.end();
    },
  };
}

async function beat(client: pg.Client, poolId: string): Promise<void> {
  await client.query(
    `insert into worker_pool (id, heartbeat_at) values ($1, now())
     on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`,
    [poolId],
  );
}

// Knows which pools of workers live. graphile-worker keeps the jobs of a dead pool locked for four hours. Here a pool
// holds an advisory lock while its session lasts, and writes a heartbeat in case the session breaks but the process
// lives. A pool whose lock is free and whose heartbeat is old is dead: its jobs are unlocked.

import { defineEntity, p } from "@mikro-orm/core";
import pg from "pg";
import type { Logger } from "../../kit/observability/log.ts";
import { workerRole } from "./roles.ts";
import type { Lookups } from "./transaction.ts";

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
  database: Lookups,
  { silentMs }: { readonly silentMs: number },
): Promise<string[]> {
  const rows = await database.lookup<{ pool_id: string }>("unlock_dead_pools", [silentMs]);
  return rows.map((row) => row.pool_id);
}

/** The sign that a pool lives. */
export interface PoolHold {
  /** The pool has ended in order: nothing is locked by it any more. */
  release(): Promise<void>;
}

/** The pool that lives. */
export interface HoldOptions {
  /** A database URL of the worker's login. */
  readonly url: string;
  readonly poolId: string;
  readonly log: Logger;
}

/** Says that the pool lives, until released or until the process dies. Connects again when the connection breaks. */
export async function holdPool(options: HoldOptions): Promise<PoolHold> {
  const session = new PoolSession(options);
  await session.start();
  return session;
}

class PoolSession implements PoolHold {
  readonly #options: HoldOptions;
  #client: pg.Client | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isReleased = false;

  constructor(options: HoldOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#heartbeat = setInterval(() => {
      if (this.#client !== undefined) this.#beat(this.#client).catch((err: unknown) => this.#warn(err, "no heartbeat"));
    }, heartbeatMs);
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#retry);
    const client = this.#client;
    if (client === undefined) return;
    // A remaining row does no harm: a pool that has locked nothing has nothing to unlock.
    await client
      .query("delete from worker_pool where id = $1", [this.#options.poolId])
      .catch((err: unknown) => this.#warn(err, "the worker pool could not sign off"));
    await client.end();
  }

  async #connect(): Promise<void> {
    const { url, poolId } = this.#options;
    const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5_000 });
    client.on("error", (err) => this.#warn(err, "the session of the worker pool failed"));
    client.once("end", () => {
      if (this.#client === client) this.#client = undefined;
      this.#reconnectLater();
    });
    await client.connect();
    if (this.#isReleased) return void (await client.end());
    this.#client = client;
    await client.query("select pg_advisory_lock($1, hashtext($2))", [poolLockClass, poolId]);
    await this.#beat(client);
  }

  #reconnectLater(): void {
    if (this.#isReleased || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#connect().catch((err: unknown) => {
        this.#warn(err, "the worker pool could not renew its session");
        this.#reconnectLater();
      });
    }, reconnectMs);
  }

  async #beat(client: pg.Client): Promise<void> {
    await client.query(
      `insert into worker_pool (id, heartbeat_at) values ($1, now())
       on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`,
      [this.#options.poolId],
    );
  }

  #warn(err: unknown, message: string): void {
    this.#options.log.warn({ err, poolId: this.#options.poolId }, message);
  }
}

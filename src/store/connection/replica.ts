// A read replica, and how old what it knows is. The primary is asked every second how far its log is, and the replica how
// far it has replayed it: so it is known of which moment at least the replica knows everything, also while nothing is
// written, and after its connection to the primary broke, which the replica itself cannot tell.

import type { MikroORM, SqlEntityManager } from "@mikro-orm/postgresql";
import { MikroORM as Orm } from "@mikro-orm/postgresql";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Logger } from "../../kit/observability/log.ts";
import { assertSubjectToRowLevelSecurity } from "./login.ts";
import { ormOptions } from "./orm.ts";

/** Where reads went that may lag: to the replica, or to the primary since the replica was behind or failed. */
export type ReadPlace = "replica" | "lagging" | "failed";

/** What a replica needs. */
export interface ReplicaOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly log: Logger;
  readonly onRead: (place: ReadPlace) => void;
}

/** A moment, and how far the primary's log was then. */
interface Sample {
  readonly atMs: number;
  readonly position: bigint;
}

const lookEveryMs = 1_000;
/** What is older is read from the primary. */
const maxLagMs = 5_000;

/** A read replica. */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #primary: MikroORM;
  readonly #orm: MikroORM;
  readonly #timer: NodeJS.Timeout;
  #samples: readonly Sample[] = [];
  /** The replica knows everything of before. */
  #knownMs = Number.NEGATIVE_INFINITY;
  #isLoginChecked = false;
  #looking: Promise<void> | undefined;
  #isBehind = false;

  constructor(primary: MikroORM, orm: MikroORM, options: ReplicaOptions) {
    this.#primary = primary;
    this.#orm = orm;
    this.#options = options;
    this.#timer = setInterval(() => this.#lookAgain(), lookEveryMs).unref();
    this.#lookAgain();
  }

  /** Reads from the replica if it is not behind, and from the primary when that fails for a reason of its own. */
  async read<T>(fromReplica: (orm: MikroORM) => Promise<T>, fromPrimary: () => Promise<T>): Promise<T> {
    const { onRead, log } = this.#options;
    if (performance.now() - this.#knownMs > maxLagMs) {
      onRead("lagging");
      return fromPrimary();
    }
    try {
      const found = await fromReplica(this.#orm);
      onRead("replica");
      return found;
    } catch (err) {
      // What the caller did wrong is wrong there too. Everything else may be the replica's: it is away, it ended the
      // query to replay what conflicts with it, or it lacks a table of the newest migration.
      if (err instanceof Fault && err.reason !== Reason.UNAVAILABLE) throw err;
      log.warn({ err }, "a read at the replica failed; the primary is read");
      onRead("failed");
      return fromPrimary();
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#orm.close(true);
  }

  #lookAgain(): void {
    // One look at a time: a replica that hangs is behind after a while.
    this.#looking ??= this.#look()
      .catch((err: unknown) => this.#tell("the replica does not answer; the primary is read", { err }))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(): Promise<void> {
    const atMs = performance.now();
    const position = await positionOf(this.#primary.em.fork(), "pg_current_wal_lsn()");
    if (position === undefined) return;
    this.#samples = [...this.#samples.filter((each) => atMs - each.atMs <= maxLagMs), { atMs, position }];
    if (!this.#isLoginChecked) await assertSubjectToRowLevelSecurity(this.#orm, "DATABASE_READ_URL");
    this.#isLoginChecked = true;
    // A server that is no replica has a log of its own.
    const replayed = await positionOf(
      this.#orm.em.fork(),
      "case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end",
    );
    if (replayed === undefined) return this.#tell("DATABASE_READ_URL leads to no replica; the primary is read", {});
    const known = this.#samples.findLast((sample) => sample.position <= replayed);
    if (known === undefined) return this.#tell("the replica is behind; the primary is read", {});
    this.#knownMs = known.atMs;
    if (this.#isBehind) this.#options.log.info("the replica is read again");
    this.#isBehind = false;
  }

  #tell(message: string, facts: object): void {
    if (!this.#isBehind) this.#options.log.warn(facts, message);
    this.#isBehind = true;
  }
}

async function positionOf(em: SqlEntityManager, expression: string): Promise<bigint | undefined> {
  const [row] = await em.execute<{ position: string | null }[]>(
    `select pg_wal_lsn_diff(${expression}, '0/0')::text as position`,
  );
  return row?.position == null ? undefined : BigInt(row.position);
}

/** Opens a replica of a primary. It need not answer yet. */
export async function openReplica(primary: MikroORM, options: ReplicaOptions): Promise<Replica> {
  const orm = await Orm.init(ormOptions({ url: options.url, poolSize: options.poolSize }));
  return new Replica(primary, orm, options);
}

// How long traces are kept, and the partitions that they are kept in.

import type { Clock } from "../kit/clock.ts";
import type { Database } from "../store/database.ts";
import { deleteKeysBefore } from "../store/evaluation-key.ts";
import { lookUpOrganizations } from "../store/organization.ts";
import { deleteTraces } from "../store/trace.ts";
import { createTracePartitions, dropTracePartitions } from "../store/trace-partition.ts";
import { deleteRollups, listExpiredDays } from "../store/trace-rollup.ts";
import { ageLimitMs } from "./trace-record.ts";
import { dayOf } from "./trace-tally.ts";

const dayMs = 86_400_000;

/** Days that traces are kept, by plan. */
export const retentionDays = { free: 30, growth: 90, enterprise: 365 } as const;

/** Months of partitions that hold the longest retention. */
const keptMonths = 13;

/** Months for which partitions are made ahead: time enough to notice that the job does not run. */
const monthsAhead = 3;

/** Keys that one transaction deletes: short enough that no ingest waits for it. */
const keyBatch = 5_000;

/** What a purge removed. */
export interface Purged {
  readonly traces: number;
  readonly keys: number;
  readonly partitions: readonly string[];
}

/** Makes partitions ahead of time and removes what is no longer kept. */
export class TraceRetention {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Makes the partitions of the next months. Returns the names of the new ones. */
  createPartitions(): Promise<string[]> {
    return createTracePartitions(this.#database, monthsAhead);
  }

  /** Removes, in every organization, traces past the plan's retention, those of deleted projects, and old keys. */
  async purge(): Promise<Purged> {
    let traces = 0;
    let keys = 0;
    for (const { id, plan } of await lookUpOrganizations(this.#database)) {
      traces += await this.purgeTraces(id, retentionDays[plan]);
      keys += await this.#purgeKeys(id);
    }
    return { traces, keys, partitions: await dropTracePartitions(this.#database, keptMonths) };
  }

  /**
   * Removes an organization's traces of before this many days, and those of deleted projects. A day goes in one
   * transaction with its counts, so that totals stay exact throughout.
   */
  async purgeTraces(orgId: string, keptDays: number): Promise<number> {
    const beforeDay = dayOf(new Date(this.#clock.now().getTime() - keptDays * dayMs));
    const days = await this.#database.read(orgId, (tx) => listExpiredDays(tx, beforeDay));
    let purged = 0;
    for (const day of days) {
      purged += await this.#database.systemTransaction(orgId, async (tx) => {
        await deleteRollups(tx, day);
        return deleteTraces(tx, day);
      });
    }
    return purged;
  }

  /** Removes all that a deleted organization has left in tables without a foreign key. It takes no more evaluations in. */
  async purgeOrganization(orgId: string): Promise<{ readonly traces: number; readonly keys: number }> {
    // Its projects are gone, and those days are removed whatever their age.
    const traces = await this.purgeTraces(orgId, 0);
    return { traces, keys: await this.#purgeKeys(orgId, new Date(this.#clock.now().getTime() + dayMs)) };
  }

  // A day more than evaluations are accepted, for clocks that disagree.
  async #purgeKeys(
    orgId: string,
    before = new Date(this.#clock.now().getTime() - ageLimitMs - dayMs),
  ): Promise<number> {
    let purged = 0;
    for (let deleted = keyBatch; deleted === keyBatch; purged += deleted) {
      deleted = await this.#database.systemTransaction(orgId, (tx) => deleteKeysBefore(tx, before, keyBatch));
    }
    return purged;
  }
}

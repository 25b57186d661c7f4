// What keeps deliveries going and their table small, over all organizations.

import type { Clock } from "../kit/clock.ts";
import type { Database } from "../store/database.ts";
import { deleteEventsBefore, organizationsWithEventsBefore } from "../store/event.ts";
import { wakeOverdue } from "../store/webhook-delivery.ts";
import { keptMs } from "./delivery.ts";

/** What has been due for less than this has a wake-up of its own that is about to run. */
const graceMs = 10_000;

/** Webhooks that one sweep wakes; the next one follows soon. */
const mostWebhooks = 1_000;

/** Events that one transaction deletes: short enough that nobody waits for it. */
const purgeBatch = 2_000;

/** Sweeps and purges. */
export class DeliveryUpkeep {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Wakes webhooks whose deliveries have been due for some time. Returns how many there were. */
  sweep(): Promise<number> {
    const now = this.#clock.now();
    return wakeOverdue(this.#database, { now, dueBefore: new Date(now.getTime() - graceMs), most: mostWebhooks });
  }

  /** Deletes events older than five days, with their deliveries. Returns how many events there were. */
  async purge(): Promise<number> {
    const before = new Date(this.#clock.now().getTime() - keptMs);
    let purged = 0;
    for (const orgId of await organizationsWithEventsBefore(this.#database, before)) {
      for (let deleted = purgeBatch; deleted === purgeBatch; purged += deleted) {
        deleted = await this.#database.systemTransaction(orgId, (tx) => deleteEventsBefore(tx, before, purgeBatch));
      }
    }
    return purged;
  }
}

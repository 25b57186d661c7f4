// Keeps deliveries going and their table small, over all organizations.

import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import { deleteEventsBefore, organizationsWithEventsBefore } from "../../store/event/event.ts";
import { wakeOverdue } from "../../store/webhook/delivery.ts";
import { isRemovalNoted, removeInBatches } from "../removal.ts";
import { keptMs } from "./delivery.ts";

/** Deliveries that have been due for less than this have a wake-up of their own that is about to run. */
const graceMs = 10_000;

/** Webhooks that one sweep wakes; the next one follows soon. */
const maxWebhooks = 1_000;

/** Events that one transaction deletes: few enough that nobody has to wait long. */
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
    return wakeOverdue(this.#database, { now, dueBefore: new Date(now.getTime() - graceMs), limit: maxWebhooks });
  }

  /** Deletes events older than five days, with their deliveries. Returns how many events there were. */
  async purge(): Promise<number> {
    const before = new Date(this.#clock.now().getTime() - keptMs);
    const until = { made_until: before.toISOString().slice(0, 10) };
    let purged = 0;
    for (const orgId of await organizationsWithEventsBefore(this.#database, before)) {
      // The job comes each hour, and the log of evidence gets one entry a day.
      const isToldToday = await this.#database.read(orgId, (tx) => isRemovalNoted(tx, "events", until));
      purged += await removeInBatches(this.#database, orgId, {
        atOnce: purgeBatch,
        remove: (tx) => deleteEventsBefore(tx, before, purgeBatch),
        entry: isToldToday ? undefined : { resource: "events", removed: until },
      });
    }
    return purged;
  }
}

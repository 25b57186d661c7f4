// What is over: sessions, tokens and links that ended, and counters that say nothing any more.

import type { Clock } from "../kit/clock.ts";
import { purgeCounters } from "../store/address-limit.ts";
import type { Database } from "../store/database.ts";
import { accountsWithExpired, deleteExpired } from "../store/session.ts";

/** How long what has ended is kept, for whoever asks what happened. */
const keptMs = 24 * 3_600_000;
const accountsAtOnce = 500;

/** Purges. */
export class AccountUpkeep {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Deletes what ended a day ago. Returns of how many accounts there was some. */
  async purge(): Promise<number> {
    const now = this.#clock.now();
    await purgeCounters(this.#database, now);
    const before = new Date(now.getTime() - keptMs);
    let purged = 0;
    for (let found = accountsAtOnce; found === accountsAtOnce; purged += found) {
      const accounts = await accountsWithExpired(this.#database, before, accountsAtOnce);
      for (const id of accounts) await this.#database.accountTransaction(id, (tx) => deleteExpired(tx, before));
      found = accounts.length;
    }
    return purged;
  }
}

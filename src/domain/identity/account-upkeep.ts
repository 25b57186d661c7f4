// Deletes what is over: sessions, tokens and links that have ended, and counters that no longer count.

import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import { purgeCounters } from "../../store/identity/address-limit.ts";
import { accountsWithExpired, deleteExpired } from "../../store/identity/session.ts";

/** How long ended sessions, tokens and links are kept, to answer questions about them. */
const keptMs = 24 * 3_600_000;
const accountsAtOnce = 500;

/** Deletes expired rows. */
export class AccountUpkeep {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Deletes everything that ended at least a day ago. Returns the number of accounts that had any. */
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

// How long the content of bundles is kept: as long as it is active, may be activated soon, is compared, or was active in the last 90
// days. What remains of an older version is its row: what it was, who published it, and its signed manifest.

import type { Clock } from "../kit/clock.ts";
import { tryEach } from "../kit/try-each.ts";
import { deleteUnusedParts, purgeBundles } from "../store/bundle-retention.ts";
import type { Database } from "../store/database.ts";
import { listEnvironmentIds, lockEnvironmentById } from "../store/environment.ts";
import { lookUpOrganizations } from "../store/organization.ts";

/** Days after which the content of a version goes that was neither published nor active meanwhile. */
export const bundleRetentionDays = 90;

const dayMs = 86_400_000;

/** What a purge removed. */
export interface PurgedBundles {
  readonly bundles: number;
  readonly parts: number;
}

/** Removes the content of old bundles. */
export class BundleRetention {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Removes it in every organization, also after one has failed: in the end, an AggregateError says what went wrong. */
  async purge(): Promise<PurgedBundles> {
    const total = { bundles: 0, parts: 0 };
    await tryEach(await lookUpOrganizations(this.#database), {
      nameOf: ({ id }) => `organization ${id}`,
      work: async ({ id }) => {
        const { bundles, parts } = await this.purgeOrganization(id);
        total.bundles += bundles;
        total.parts += parts;
      },
    });
    return total;
  }

  /** Removes it in one organization. */
  async purgeOrganization(orgId: string): Promise<PurgedBundles> {
    // An activation says when it was signed last, which is at most a day before it ended.
    const before = new Date(this.#clock.now().getTime() - (bundleRetentionDays + 1) * dayMs);
    let bundles = 0;
    for (const id of await this.#database.read(orgId, listEnvironmentIds)) {
      bundles += await this.#database.systemTransaction(orgId, async (tx) => {
        // Nobody activates or promotes in the environment meanwhile.
        const environment = await lockEnvironmentById(tx, id);
        return environment === null ? 0 : purgeBundles(tx, environment, before);
      });
    }
    const parts = await this.#database.systemTransaction(orgId, (tx) => deleteUnusedParts(tx, before));
    return { bundles, parts };
  }
}

// How long the content of bundles is kept: while a version is active, the newest or a candidate, and for 90 days after
// it was published or active. After that its row remains: its description, who published it, and its signed manifest.

import type { Clock } from "../../kit/process/clock.ts";
import { tryEach } from "../../platform/try-each.ts";
import { deleteGateResultsBefore } from "../../store/bundle/gate-result.ts";
import { deleteUnusedParts, purgeBundles } from "../../store/bundle/retention.ts";
import type { Database } from "../../store/connection/database.ts";
import { listEnvironmentIds, lockEnvironmentById } from "../../store/project/environment.ts";
import { lookUpOrganizations } from "../../store/tenancy/organization.ts";
import { noteRemoval } from "../removal.ts";

/** Days after its publication or last activity after which the content of a version is removed. */
const bundleRetentionDays = 90;

const dayMs = 86_400_000;

/** How much a purge removed. */
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

  /**
   * Removes it in every organization. A failure in one does not stop the others: at the end, an AggregateError contains
   * the failures.
   */
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
    // An activation says when it was last signed, which is at most a day before it ended.
    const before = new Date(this.#clock.now().getTime() - (bundleRetentionDays + 1) * dayMs);
    let bundles = 0;
    for (const id of await this.#database.read(orgId, listEnvironmentIds)) {
      bundles += await this.#database.systemTransaction(orgId, async (tx) => {
        // The lock keeps others from activating or promoting in the environment meanwhile.
        const environment = await lockEnvironmentById(tx, id);
        if (environment === null) return 0;
        const versions = await purgeBundles(tx, environment, before);
        if (versions > 0) await noteRemoval(tx, `environment/${id}`, { versions, unused_since: before.toISOString() });
        return versions;
      });
    }
    const parts = await this.#database.systemTransaction(orgId, async (tx) => {
      // Content that gates ask about had its parts stored then, so they are no older.
      await deleteGateResultsBefore(tx, before);
      return deleteUnusedParts(tx, before);
    });
    return { bundles, parts };
  }
}

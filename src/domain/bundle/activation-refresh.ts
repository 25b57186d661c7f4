// Signs activations anew long before they expire, whatever else happens in their organizations.

import { tryEach } from "../../platform/try-each.ts";
import { activationsIssuedBefore } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import { findEnvironmentById, lockEnvironment } from "../../store/project/environment.ts";
import { refreshActiveBundle } from "./activation.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** Refreshes activations. */
export class ActivationRefresh {
  readonly #database: Database;
  readonly #keys: SigningKeys;

  constructor(database: Database, keys: SigningKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  /**
   * Signs every activation anew that was issued before this moment. Returns how many. One that cannot be signed does
   * not stop the others: at the end, an AggregateError contains the failures.
   */
  async refresh(issuedBefore: Date): Promise<number> {
    const due = await activationsIssuedBefore(this.#database, issuedBefore);
    await tryEach(due, {
      nameOf: ({ org_id, environment_id }) => `environment ${environment_id} of organization ${org_id}`,
      work: ({ org_id, environment_id }) =>
        this.#database.systemTransaction(org_id, async (tx) => {
          const found = await findEnvironmentById(tx, environment_id);
          const environment = found && (await lockEnvironment(tx, found.projectId, found.name));
          if (environment != null) await refreshActiveBundle(tx, this.#keys, environment);
        }),
    });
    return due.length;
  }
}

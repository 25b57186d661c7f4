// Makes the keys of erasures' hashes before they are needed: a ledger can be repeated only in a backup that has its key.

import type { Sealer } from "../../platform/seal.ts";
import { tryEach } from "../../platform/try-each.ts";
import type { Database } from "../../store/connection/database.ts";
import { lookUpOrganizations } from "../../store/tenancy/organization.ts";
import { digestKeyId, hasDigestKey } from "./erased-subject.ts";

/** Keeps the keys. */
export class ErasureKeys {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** Makes those that organizations lack. Returns how many. */
  async makeAll(): Promise<number> {
    let made = 0;
    await tryEach(await lookUpOrganizations(this.#database), {
      nameOf: ({ id }) => `organization ${id}`,
      work: async ({ id }) => {
        if (await this.#database.read(id, hasDigestKey)) return;
        await this.#database.systemTransaction(id, (tx) => digestKeyId(tx, this.#sealer));
        made++;
      },
    });
    return made;
  }
}

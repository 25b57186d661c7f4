// Rotates and revokes signing keys. The change of the key set and the new signatures of everything that is active are
// one transaction, so that no runtime ever gets a bundle that none of its known keys has signed.

import type { Caller } from "../../kit/rpc/context.ts";
import type { SigningKeyRow } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { activeEnvironments, lockEnvironment } from "../../store/project/environment.ts";
import { refreshActiveBundle } from "./activation.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** Lists, rotates and revokes the keys of an organization. */
export class KeyRotation {
  readonly #database: Database;
  readonly #keys: SigningKeys;

  constructor(database: Database, keys: SigningKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** Every key, newest first. */
  list(caller: Caller): Promise<SigningKeyRow[]> {
    return this.#keys.list(caller);
  }

  /** Makes a new key that signs from now on. */
  rotate(caller: Caller): Promise<SigningKeyRow> {
    return this.#change(caller, async (tx) => {
      const row = await this.#keys.rotate(tx);
      tx.changed({ resource: resourceOf(row), before: null, after: { state: row.state } });
      return row;
    });
  }

  /** Revokes a key for good. */
  revoke(caller: Caller, kid: string): Promise<SigningKeyRow> {
    return this.#change(caller, async (tx) => {
      const row = await this.#keys.revoke(tx, kid);
      tx.changed({ resource: resourceOf(row), before: { state: "live" }, after: { state: row.state } });
      return row;
    });
  }

  // Environments are locked before the keys, as in every publish, so that two transactions never wait for each other.
  #change(caller: Caller, work: (tx: Transaction) => Promise<SigningKeyRow>): Promise<SigningKeyRow> {
    return this.#database.transaction(caller, async (tx) => {
      const active = await activeEnvironments(tx);
      const locked = [];
      for (const { projectId, name } of active) locked.push(await lockEnvironment(tx, projectId, name));
      const row = await work(tx);
      for (const environment of locked)
        if (environment !== null) await refreshActiveBundle(tx, this.#keys, environment);
      return row;
    });
  }
}

function resourceOf({ kid }: SigningKeyRow): string {
  return `signing_key/${kid}`;
}

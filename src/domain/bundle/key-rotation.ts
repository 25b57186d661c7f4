// Rotates and revokes signing keys, those of the log of evidence too. The change of the key set and the new signatures
// of everything that is active are one transaction, so that no runtime ever gets a bundle that none of its known keys
// has signed.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Caller } from "../../kit/rpc/context.ts";
import type { KeyUse, SigningKeyRow } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Change, Transaction } from "../../store/core/transaction.ts";
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

  /** Every key of a use, newest first. */
  list(caller: Caller, use: KeyUse): Promise<SigningKeyRow[]> {
    return this.#keys.list(caller, use);
  }

  /** Makes a new key that signs from now on. */
  rotate(caller: Caller, use: KeyUse): Promise<SigningKeyRow> {
    return this.#change(caller, async (tx) => {
      const row = await this.#keys.rotate(tx, use);
      tx.changed({
        resource: resourceOf(row),
        before: null,
        after: { state: row.state, use: row.use, ...publicHalf(row) },
      });
      return row;
    });
  }

  /** Revokes a key for good. */
  revoke(caller: Caller, kid: string): Promise<SigningKeyRow> {
    return this.#change(caller, async (tx) => {
      const row = await this.#keys.revoke(tx, kid);
      tx.changed(revocationOf(row));
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

/** What the log of evidence has about a key that was revoked. */
export function revocationOf(row: SigningKeyRow): Change {
  return { resource: resourceOf(row), before: { state: "live" }, after: { state: row.state } };
}

// The leaf of the entry names it in the open, so whoever trusts the log up to here knows its next key by the
// thumbprint.
function resourceOf({ kid, use }: SigningKeyRow): string {
  return `${use === "log" ? "log_key" : "signing_key"}/${kid}`;
}

/** The public half of a key of the log, by which verifiers follow a rotation. */
function publicHalf({ use, publicJwk }: SigningKeyRow): JsonObject {
  return use === "log" ? { x: publicJwk.x ?? null } : {};
}

// The keys of logs of evidence, as the log needs them. The room of bundles keeps them, beside those of bundles.

import type { PublicJwk, SigningKey } from "../../kit/crypto/signing-key.ts";
import type { RemoteKey, SignedStatement } from "../../kit/crypto/statement.ts";
import type { Transaction } from "../../store/core/transaction.ts";

/** A key of the log of evidence. */
export interface LogKey {
  readonly jwk: PublicJwk;
  readonly key: SigningKey | RemoteKey;
}

/** Keeps them. */
export interface LogKeys {
  /** The public keys; none before the first checkpoint. */
  logKeys(tx: Transaction): Promise<PublicJwk[]>;
  /** The signed key set, which names them. Throws before the first key. */
  keySet(tx: Transaction): Promise<SignedStatement>;
  /** The keys that sign checkpoints in this transaction; makes the first when there is none. */
  signingLog(tx: Transaction): Promise<LogKey[]>;
}

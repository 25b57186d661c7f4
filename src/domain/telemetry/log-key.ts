// The keys of logs of evidence, as the log needs them. The room of bundles keeps them, beside those of bundles.

import type { EpochPayload } from "../../kit/bundle/statement-payload.ts";
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
  /** The public keys that ever signed checkpoints, the revoked ones too. */
  allLogKeys(tx: Transaction): Promise<PublicJwk[]>;
  /** Signs a statement about an epoch of the log, with the keys of bundles: those of the log sign checkpoints only. */
  signEpoch(tx: Transaction, payload: EpochPayload): Promise<SignedStatement>;
  /** The keys that sign checkpoints in this transaction; makes the first when there is none. */
  signingLog(tx: Transaction): Promise<LogKey[]>;
}

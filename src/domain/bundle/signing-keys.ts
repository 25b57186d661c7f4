// Signing keys: Ed25519 key pairs of an organization, made when the first is needed. One is active and signs. Keys that
// it replaced are retiring and sign too, so that verifiers that know only them still accept. A revoked key is not
// trusted. The key set is itself a statement with a serial number, signed by every key that it names, like the root
// role of The Update Framework. A verifier that trusts any of these keys can follow a rotation or a revocation. The
// serial number keeps it from going back to an older set. The key of the log of evidence signs checkpoints and nothing
// else: the set names it apart from the others, so that nobody ever takes it for a key of bundles.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import type { EpochPayload, KeySetEntry, KeySetPayload } from "../../kit/bundle/statement-payload.ts";
import {
  exportSigningKey,
  importSigningKey,
  newSigningKey,
  type PrivateJwk,
  type PublicJwk,
  publicJwkOf,
  type SigningKey,
} from "../../kit/crypto/signing-key.ts";
import { type RemoteKey, type SignedStatement, signStatement } from "../../kit/crypto/statement.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { SealBinding, Sealer } from "../../platform/seal.ts";
import {
  findKeySet,
  KeySetRow,
  type KeyUse,
  listSigningKeys,
  lockSigningKeys,
  SigningKeyRow,
  shareSigningKeys,
} from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import { type NewTimeline, restoredDatabase } from "../../store/core/database-identity.ts";
import { lookupsWithin, type Transaction } from "../../store/core/transaction.ts";
import { numberAfterRestore } from "../number-after-restore.ts";
import type { LogKey } from "../telemetry/log-key.ts";
import type { ExternalSigner } from "./external-signer.ts";

/** Keys of an organization that are not revoked. */
const liveLimit = 4;
/** Signatures of a statement that verifiers accept. */
const signatureLimit = 8;

/** The public keys of an organization, for verifiers. */
export interface PublishedKeys {
  /** The trusted keys, newest first. */
  readonly keys: readonly PublicJwk[];
  readonly revokedKids: readonly string[];
  /** The keys of the log of evidence; none before its first checkpoint. */
  readonly logKeys: readonly PublicJwk[];
  /** The signed key set. */
  readonly statement: SignedStatement;
}

/** The keys after a restore. */
export interface RenewedKeys {
  /** The key that signs bundles from now on. */
  readonly made: SigningKeyRow;
  /** The key that made room for it, if there were as many as there may be. */
  readonly madeRoom: SigningKeyRow | undefined;
}

/** Keeps the organizations' signing keys. */
export class SigningKeys {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #signer: ExternalSigner | undefined;
  readonly #newTimeline: NewTimeline | "any";

  /**
   * With a `signer`, new keys are made by it. Nothing is signed on a database that was restored, whoever was connected
   * to it before, until the operator has said how to go on; "any" is for saying that.
   */
  constructor(
    database: Database,
    sealer: Sealer,
    signer?: ExternalSigner,
    { newTimeline = "stop" }: { readonly newTimeline?: NewTimeline | "any" } = {},
  ) {
    this.#database = database;
    this.#sealer = sealer;
    this.#signer = signer;
    this.#newTimeline = newTimeline;
  }

  /** The public keys; makes the first key when there is none. */
  published(orgId: string): Promise<PublishedKeys> {
    return this.#database.systemTransaction(orgId, async (tx) => {
      const rows = await this.#ensured(tx);
      const set = await requireKeySet(tx);
      const live = rows.filter(isLive);
      const revoked = rows.filter((row) => !isLive(row));
      const logKeys = (await listSigningKeys(tx, "log")).filter(isLive).map(jwkOf);
      return { keys: live.map(jwkOf), revokedKids: revoked.map(({ kid }) => kid), logKeys, statement: set.statement };
    });
  }

  /** The public keys of the log of evidence; none before its first checkpoint. */
  async logKeys(tx: Transaction): Promise<PublicJwk[]> {
    return (await listSigningKeys(tx, "log")).filter(isLive).map(jwkOf);
  }

  /** The public keys that ever signed checkpoints of the log of evidence, the revoked ones too. */
  async allLogKeys(tx: Transaction): Promise<PublicJwk[]> {
    return (await listSigningKeys(tx, "log")).map(jwkOf);
  }

  /** Signs a statement about an epoch of the log of evidence. */
  async signEpoch(tx: Transaction, payload: EpochPayload): Promise<SignedStatement> {
    return signStatement("epoch", payload, await this.signing(tx));
  }

  /** The signed key set. Throws before the first key. */
  async keySet(tx: Transaction): Promise<SignedStatement> {
    return (await requireKeySet(tx)).statement;
  }

  /** The keys that sign checkpoints in this transaction; makes the first when there is none. */
  async signingLog(tx: Transaction): Promise<LogKey[]> {
    await this.#assertNotRestored(tx);
    let rows = await listSigningKeys(tx, "log");
    if (rows.length === 0) {
      await this.#ensured(tx);
      await lockSigningKeys(tx);
      rows = await listSigningKeys(tx, "log");
      if (rows.length === 0) {
        rows = [await this.#make(tx, "log")];
        await this.#signSet(tx);
      }
    }
    return rows.filter(isLive).map((row) => ({ jwk: jwkOf(row), key: this.#open(row) }));
  }

  /** Every key of a use, newest first; empty until the first is needed. */
  list(caller: Caller, use: KeyUse): Promise<SigningKeyRow[]> {
    return this.#database.read(caller.orgId, (tx) => listSigningKeys(tx, use));
  }

  /** The keys that sign in this transaction: the active one and the retiring ones. */
  async signing(tx: Transaction): Promise<(SigningKey | RemoteKey)[]> {
    await this.#assertNotRestored(tx);
    await this.#ensured(tx);
    // This transaction commits before the next change of keys, which then signs its statements anew.
    await shareSigningKeys(tx);
    return (await listSigningKeys(tx, "bundle")).filter(isLive).map((row) => this.#open(row));
  }

  /** Serial of the newest key set. */
  async serial(tx: Transaction): Promise<number> {
    await this.#ensured(tx);
    return (await requireKeySet(tx)).serial;
  }

  /** Makes a new key; the active one retires. */
  async rotate(tx: Transaction, use: KeyUse): Promise<SigningKeyRow> {
    await this.#ensured(tx);
    await lockSigningKeys(tx);
    const live = (await listSigningKeys(tx, use)).filter(isLive);
    if (live.length === 0) {
      const message =
        "the log has no key yet: its first is made with its first checkpoint, within a minute of an entry";
      throw new Fault(Reason.CONFLICT, message);
    }
    if (live.length >= liveLimit) {
      const message = `an organization has at most ${liveLimit} keys that are not revoked; revoke the oldest first`;
      throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit: liveLimit } });
    }
    for (const row of live) {
      row.state = "retiring";
      row.retiringAt ??= tx.now;
    }
    const made = await this.#make(tx, use);
    await this.#signSet(tx);
    return made;
  }

  /**
   * Makes a new key after a restore. The serial of the key set leaves out those that verifiers may have seen; where
   * there are as many keys as there may be, the oldest is revoked.
   */
  async renew(tx: Transaction): Promise<RenewedKeys> {
    await this.#ensured(tx);
    await lockSigningKeys(tx);
    const set = await requireKeySet(tx);
    set.serial = numberAfterRestore(set.serial, tx.now);
    const live = (await listSigningKeys(tx, "bundle")).filter(isLive);
    const oldest = live.length < liveLimit ? undefined : live.at(-1);
    if (oldest !== undefined) Object.assign(oldest, { state: "revoked", revokedAt: tx.now });
    await tx.em.flush();
    return { made: await this.rotate(tx, "bundle"), madeRoom: oldest };
  }

  /** Every key of either use that is not revoked: those of bundles, then those of the log, newest first. */
  async live(tx: Transaction): Promise<SigningKeyRow[]> {
    const rows = [...(await listSigningKeys(tx, "bundle")), ...(await listSigningKeys(tx, "log"))];
    return rows.filter(isLive);
  }

  /** Revokes a key. When it was the active one, a new one takes over. */
  async revoke(tx: Transaction, kid: string): Promise<SigningKeyRow> {
    await this.#ensured(tx);
    await lockSigningKeys(tx);
    const rows = [...(await listSigningKeys(tx, "bundle")), ...(await listSigningKeys(tx, "log"))];
    const row = rows.find((each) => each.kid === kid);
    if (row === undefined) throw notFound("signing key");
    if (row.state === "revoked") throw new Fault(Reason.CONFLICT, "this key is already revoked");
    const wasActive = row.state === "active";
    row.state = "revoked";
    row.revokedAt = tx.now;
    if (wasActive) await this.#make(tx, row.use);
    await tx.em.flush();
    await this.#signSet(tx);
    return row;
  }

  async #ensured(tx: Transaction): Promise<SigningKeyRow[]> {
    const existing = await listSigningKeys(tx, "bundle");
    if (existing.length > 0) return existing;
    // Two calls that both find none must not make two keys.
    await lockSigningKeys(tx);
    const made = await listSigningKeys(tx, "bundle");
    if (made.length > 0) return made;
    const first = await this.#make(tx, "bundle");
    await this.#signSet(tx);
    return [first];
  }

  async #make(tx: Transaction, use: KeyUse): Promise<SigningKeyRow> {
    const { jwk, privateSealed } = await this.#newKey(tx.orgId);
    const row = tx.em.create(SigningKeyRow, {
      orgId: tx.orgId,
      kid: jwk.kid,
      publicJwk: { ...jwk },
      privateSealed,
      use,
      state: "active",
      createdAt: tx.now,
      retiringAt: null,
      revokedAt: null,
    });
    await tx.em.flush();
    return row;
  }

  async #newKey(orgId: string): Promise<{ jwk: PublicJwk; privateSealed: Buffer | null }> {
    if (this.#signer !== undefined) return { jwk: await this.#signer.createKey(orgId), privateSealed: null };
    const key = newSigningKey();
    const secret = Buffer.from(JSON.stringify(exportSigningKey(key)), "utf8");
    const sealed = this.#sealer.seal(secret, signingKeyBinding(orgId, key.kid));
    return { jwk: key.publicJwk, privateSealed: Buffer.from(sealed) };
  }

  // Asked in the transaction that signs: a process that was ready outlives a restore in place, and its connections are
  // then to another history of the database.
  async #assertNotRestored(tx: Transaction): Promise<void> {
    if (this.#newTimeline === "any") return;
    const restored = await restoredDatabase(lookupsWithin(tx), this.#newTimeline);
    if (restored !== undefined) throw new Fault(Reason.UNAVAILABLE, `nothing is signed: ${restored}`);
  }

  #open(row: SigningKeyRow): SigningKey | RemoteKey {
    const { orgId, kid, privateSealed } = row;
    if (privateSealed == null) {
      if (this.#signer === undefined) throw signerMissing(kid);
      return this.#signer.keyOf(jwkOf(row));
    }
    const bytes = this.#sealer.open(privateSealed, signingKeyBinding(orgId, kid));
    const jwk: PrivateJwk = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return importSigningKey(jwk);
  }

  /** Signs the key set anew, with the revoked keys too: a verifier may know none of the others. */
  async #signSet(tx: Transaction): Promise<void> {
    await this.#assertNotRestored(tx);
    const rows = await listSigningKeys(tx, "bundle");
    const logRows = await listSigningKeys(tx, "log");
    const known = await findKeySet(tx);
    const serial = (known?.serial ?? 0) + 1;
    const payload: KeySetPayload = {
      org_id: tx.orgId,
      serial,
      issued_at: tx.now.toISOString(),
      keys: rows.map(entryOf),
      ...(logRows.length === 0 ? {} : { log_keys: logRows.map(entryOf) }),
    };
    const signers = rows.slice(0, signatureLimit).map((row) => this.#open(row));
    const statement = await signStatement("keys", payload, signers);
    if (known === null) tx.em.create(KeySetRow, { orgId: tx.orgId, serial, statement, issuedAt: tx.now });
    else Object.assign(known, { serial, statement, issuedAt: tx.now });
    await tx.em.flush();
  }
}

function entryOf(row: SigningKeyRow): KeySetEntry {
  return { kid: row.kid, x: jwkOf(row).x, state: row.state };
}

function isLive({ state }: SigningKeyRow): boolean {
  return state !== "revoked";
}

/** What the secret half of a signing key is sealed for. */
export function signingKeyBinding(orgId: string, kid: string): SealBinding {
  return { purpose: "signing_key.private", orgId, rowId: kid };
}

function jwkOf(row: SigningKeyRow): PublicJwk {
  const { x } = row.publicJwk;
  if (typeof x !== "string") throw new Error(`the public key ${row.kid} has no coordinate`);
  return publicJwkOf(x);
}

async function requireKeySet(tx: Transaction): Promise<KeySetRow> {
  const set = await findKeySet(tx);
  if (set === null) throw new Error("an organization with a key has a key set");
  return set;
}

function signerMissing(kid: string): Fault {
  return new Fault(Reason.UNAVAILABLE, `the key ${kid} is in an external signer, and none is configured`);
}

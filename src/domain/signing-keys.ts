// Signing keys: one Ed25519 key pair for each organization, made when it is first needed, sealed at rest.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Sealer } from "../kit/seal.ts";
import {
  exportSigningKey,
  importSigningKey,
  newSigningKey,
  type PrivateJwk,
  type PublicJwk,
  type SigningKey,
} from "../kit/signing-key.ts";
import { listSigningKeys, SigningKeyRow } from "../store/bundle.ts";
import type { Database, Transaction } from "../store/database.ts";

const purpose = "signing_key.private";

/** Keeps the organizations' signing keys. */
export class SigningKeys {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** The public keys that sign the organization's bundles, newest first; makes the first one when there is none. */
  publicKeys(orgId: string): Promise<PublicJwk[]> {
    return this.#database.systemTransaction(orgId, async (tx) => {
      const rows = await this.#ensured(tx);
      return rows.map((row) => publicJwkOf(row));
    });
  }

  /** The keys that sign in this transaction. */
  async signing(tx: Transaction): Promise<SigningKey[]> {
    const [newest] = await this.#ensured(tx);
    if (newest === undefined) throw new Error("an organization has at least one signing key");
    const { orgId, kid } = newest;
    const bytes = this.#sealer.open(newest.privateSealed, { purpose, orgId, rowId: kid });
    const jwk: PrivateJwk = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return [importSigningKey(jwk)];
  }

  async #ensured(tx: Transaction): Promise<SigningKeyRow[]> {
    const existing = await listSigningKeys(tx);
    if (existing.length > 0) return existing;
    // Two calls that both find none must not make two keys.
    await tx.sql("select pg_advisory_xact_lock(hashtextextended('signing_key:' || ?, 0))", [tx.orgId]);
    const made = await listSigningKeys(tx);
    return made.length > 0 ? made : [await this.#make(tx)];
  }

  async #make(tx: Transaction): Promise<SigningKeyRow> {
    const key = newSigningKey();
    const { orgId } = tx;
    const secret = Buffer.from(JSON.stringify(exportSigningKey(key)), "utf8");
    const row = tx.em.create(SigningKeyRow, {
      orgId,
      kid: key.kid,
      publicJwk: { ...key.publicJwk },
      privateSealed: Buffer.from(this.#sealer.seal(secret, { purpose, orgId, rowId: key.kid })),
      createdAt: tx.now,
    });
    await tx.em.flush();
    return row;
  }
}

function publicJwkOf(row: SigningKeyRow): PublicJwk {
  const { x } = row.publicJwk as JsonObject & { x: string };
  return { kty: "OKP", crv: "Ed25519", x, kid: row.kid, alg: "EdDSA", use: "sig" };
}

// Texts at rest. Each organization has a key of its own for a purpose, sealed under the installation's master key; so
// its texts can be read only with the master key.
//
//   sealed text = seal (platform/seal.ts) of the packed text (analysis/packed-text.ts)

import { BoundedCache } from "../kit/process/bounded-cache.ts";
import { createSealer, type SealBinding, type Sealer } from "../platform/seal.ts";
import type { Transaction } from "../store/core/transaction.ts";
import { readSecret } from "../store/tenancy/organization-secret.ts";
import { packText, unpackText } from "./analysis/packed-text.ts";
import { organizationKey, organizationSecretBinding } from "./organization-key.ts";

const keyId = "1";

/** Keys that are kept open. */
const maxOpenKeys = 1_000;

/** What a text is for. */
export interface TextPurpose {
  /** The name of the key among the organization's secrets. */
  readonly secretName: string;
  /** Such as "trace.text". */
  readonly purpose: string;
  /** Texts of fewer bytes are not deflated. Default: that of traces, which are many more. */
  readonly minDeflatedBytes?: number;
}

/** Seals and opens the texts of one organization. */
export interface TextSeal {
  readonly key: Uint8Array;
  readonly seal: (rowId: string, text: Uint8Array) => Uint8Array;
  readonly open: (rowId: string, sealed: Uint8Array) => Uint8Array;
  /** The text as it was packed: whoever only passes it on need not unpack it. */
  readonly openPacked: (rowId: string, sealed: Uint8Array) => Uint8Array;
}

/** Opens the keys of organizations for a purpose. */
export class TextSeals {
  readonly #sealer: Sealer;
  readonly #purpose: TextPurpose;
  readonly #open = new BoundedCache<string, TextSeal>({ maxEntries: maxOpenKeys });

  constructor(sealer: Sealer, purpose: TextPurpose) {
    this.#sealer = sealer;
    this.#purpose = purpose;
  }

  /** The organization's key, which is made when there is none. When two make it at the same time, both get one. */
  async forWriting(tx: Transaction): Promise<TextSeal> {
    const known = await this.forReading(tx);
    if (known !== undefined) return known;
    // One that is made here is not kept: the transaction may be rolled back, and with it the key.
    const key = await organizationKey(tx, this.#sealer, this.#purpose.secretName);
    return textSeal(tx.orgId, key, this.#purpose);
  }

  /** The organization's key; undefined as long as nothing was sealed. */
  async forReading(tx: Transaction): Promise<TextSeal | undefined> {
    const known = this.#open.get(tx.orgId);
    if (known !== undefined) return known;
    const { secretName } = this.#purpose;
    const sealed = await readSecret(tx, secretName);
    if (sealed === undefined) return undefined;
    const key = this.#sealer.open(sealed, organizationSecretBinding(tx.orgId, secretName));
    const seal = textSeal(tx.orgId, key, this.#purpose);
    this.#open.set(tx.orgId, seal);
    return seal;
  }
}

function textSeal(orgId: string, key: Uint8Array, { purpose, minDeflatedBytes }: TextPurpose): TextSeal {
  const sealer = createSealer({ masterKeys: [{ id: keyId, key }] });
  const binding = (rowId: string): SealBinding => ({ purpose, orgId, rowId });
  const openPacked = (rowId: string, sealed: Uint8Array) => sealer.open(sealed, binding(rowId));
  return {
    key,
    seal: (rowId, text) => sealer.seal(packText(text, minDeflatedBytes), binding(rowId)),
    open: (rowId, sealed) => unpackText(openPacked(rowId, sealed)),
    openPacked,
  };
}

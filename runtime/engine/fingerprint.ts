// Keyed hashes of found text: equal for equal text, and not to be reversed without the organization's key.

import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

// Making a key costs more than hashing with it, and an organization's key seldom changes.
const keys = new WeakMap<Uint8Array, KeyObject>();

/** Makes fingerprints with one key. A text that is found again is not hashed again. */
export class Fingerprints {
  readonly #key: KeyObject;
  readonly #known = new Map<string, string>();

  constructor(key: Uint8Array) {
    this.#key = keys.get(key) ?? createSecretKey(key);
    keys.set(key, this.#key);
  }

  /** "hmac:" and 32 hexadecimal digits of HMAC-SHA256 (RFC 2104). */
  of(text: string): string {
    let fingerprint = this.#known.get(text);
    if (fingerprint === undefined) {
      fingerprint = `hmac:${createHmac("sha256", this.#key).update(text).digest("hex").slice(0, 32)}`;
      this.#known.set(text, fingerprint);
    }
    return fingerprint;
  }
}

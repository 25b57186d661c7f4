// Keyed hashes of found text: equal for equal text, and not to be reversed without the organization's key.

import { createHmac } from "node:crypto";

/** Makes fingerprints with one key. A text that is found again is not hashed again. */
export class Fingerprints {
  readonly #key: Uint8Array;
  readonly #known = new Map<string, string>();

  constructor(key: Uint8Array) {
    this.#key = key;
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

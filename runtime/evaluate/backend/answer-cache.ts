// Caches the answers of a backend by the hash of the text, so that the same text is not asked about twice in a row. The
// text itself is not kept.

import { createHash } from "node:crypto";
import { BoundedCache } from "../../../src/kit/process/bounded-cache.ts";
import type { BackendFindings } from "../../engine/backend/backend.ts";

interface Entry {
  readonly answer: BackendFindings;
  readonly untilMs: number;
}

/** Keeps the newest answers for a while. */
export class AnswerCache {
  readonly #entries: BoundedCache<string, Entry>;
  readonly #ttlMs: number;

  constructor(limits: { readonly count: number; readonly ttlMs: number }) {
    this.#entries = new BoundedCache({ maxEntries: limits.count });
    this.#ttlMs = limits.ttlMs;
  }

  /** The answer for a text; undefined when it is not known any more. */
  get(text: string, nowMs: number): BackendFindings | undefined {
    const key = keyOf(text);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.untilMs > nowMs) return entry.answer;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps an answer; beyond the max count the oldest goes. */
  set(text: string, answer: BackendFindings, nowMs: number): void {
    this.#entries.set(keyOf(text), { answer, untilMs: nowMs + this.#ttlMs });
  }
}

function keyOf(text: string): string {
  // The hash is of code units, since lone surrogates have no UTF-8.
  return createHash("sha256").update(text, "utf16le").digest("base64");
}

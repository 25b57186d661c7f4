// Answers of a backend by the hash of the text: the same text is not asked about twice in a row. The text itself is not kept.

import { createHash } from "node:crypto";
import type { BackendFinding } from "../engine/backend.ts";

interface Entry {
  readonly findings: readonly BackendFinding[];
  readonly untilMs: number;
}

/** Keeps the newest answers for a while. */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>();
  readonly #limits: { readonly count: number; readonly ttlMs: number };

  constructor(limits: { readonly count: number; readonly ttlMs: number }) {
    this.#limits = limits;
  }

  /** The answer for a text; undefined when it is not known any more. */
  get(text: string, nowMs: number): readonly BackendFinding[] | undefined {
    const key = keyOf(text);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.untilMs > nowMs) return entry.findings;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps an answer; beyond the limit the oldest goes. */
  set(text: string, findings: readonly BackendFinding[], nowMs: number): void {
    const key = keyOf(text);
    this.#entries.delete(key);
    this.#entries.set(key, { findings, untilMs: nowMs + this.#limits.ttlMs });
    if (this.#entries.size <= this.#limits.count) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}

function keyOf(text: string): string {
  // Of the units, since lone surrogates have no UTF-8 of their own.
  return createHash("sha256").update(text, "utf16le").digest("base64");
}

// Puts originals back in place of the placeholders that redaction made in a session.

import type { JsonValue } from "@bufbuild/protobuf";

const placeholder = /\[[A-Z0-9_]{1,80}_\d{1,9}\]/;
// What the end of a text may be that becomes a placeholder when more comes.
const begun = /\[[A-Z0-9_]{0,90}$/;

/** The texts with their originals, in their order. */
export type RestoreTexts = (texts: readonly string[]) => Promise<readonly string[]>;

/** A copy of the value with originals in all of its strings. Asks for nothing when no string has a placeholder. */
export async function restoreValue(value: JsonValue, restore: RestoreTexts): Promise<JsonValue> {
  const found = new Set<string>();
  eachString(value, (text) => {
    if (placeholder.test(text)) found.add(text);
    return text;
  });
  if (found.size === 0) return value;
  const texts = [...found];
  const originals = await restore(texts);
  const byText = new Map(texts.map((text, index) => [text, originals[index] ?? text]));
  return eachString(value, (text) => byText.get(text) ?? text);
}

function eachString(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => eachString(item, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, eachString(item, change)]));
}

/** Restores a text that comes in pieces, which may cut placeholders. */
export class RestoringText {
  readonly #restore: RestoreTexts;
  #held = "";

  constructor(restore: RestoreTexts) {
    this.#restore = restore;
  }

  /** What may go on of the text so far. */
  async push(piece: string): Promise<string> {
    const text = this.#held + piece;
    const cut = begun.exec(text)?.index ?? text.length;
    this.#held = text.slice(cut);
    const [restored = ""] = await this.#of(text.slice(0, cut));
    return restored;
  }

  /** The rest, which is no placeholder. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  async #of(text: string): Promise<readonly string[]> {
    return placeholder.test(text) ? this.#restore([text]) : [text];
  }
}

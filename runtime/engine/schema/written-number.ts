// Numbers of a JSON text that a double cannot hold exactly, such as 9007199254740993 and 1e400.

import type { JsonValue } from "@bufbuild/protobuf";

/**
 * The numbers of a text that a double may not hold, as the text spells them: by the object or array that contains them
 * (undefined for the whole text) and by their key ("" for the whole text). Example: {"a":1e400} gives {"a":1e400} → "a"
 * → "1e400".
 */
export type WrittenNumbers = ReadonlyMap<unknown, ReadonlyMap<string, string>>;

/** The value of a JSON text, with the spelling of its numbers. */
export interface ReadJson {
  readonly value: JsonValue;
  readonly written: WrittenNumbers;
  /** Whether a number exceeds the range of a double. */
  readonly hasInfinite: boolean;
}

/** Fifteen digits always fit into a double. A digit sequence within a string may match too, which only costs time. */
const mayNotFit = /\d[\d.]{15}|\d[eE]/;

/** Reads a JSON text. Throws a SyntaxError when it is not JSON. */
export function readJson(text: string): ReadJson {
  if (!mayNotFit.test(text)) return { value: JSON.parse(text), written: none, hasInfinite: false };
  const written = new Map<unknown, Map<string, string>>();
  let hasInfinite = false;
  const note = function (this: unknown, key: string, value: unknown, context?: { readonly source?: string }): unknown {
    if (typeof value !== "number") return value;
    if (!Number.isFinite(value)) hasInfinite = true;
    const source = context?.source;
    if (source === undefined || source === String(value)) return value;
    const here = written.get(this) ?? new Map<string, string>();
    written.set(this, here.set(key, source));
    return value;
  };
  const value = parsed(text, note);
  // The reviver of JSON.parse wraps the whole text into an object of its own.
  const whole = typeof value === "number" ? [...written.values()][0] : undefined;
  return { value, written: whole === undefined ? written : new Map([[undefined, whole]]), hasInfinite };
}

// With a reviver JSON.parse is recursive; a text that is nested too deep for that is read without it.
function parsed(text: string, note: (this: unknown, key: string, value: unknown) => unknown): JsonValue {
  try {
    return JSON.parse(text, note);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.parse(text);
  }
}

const none: WrittenNumbers = new Map();

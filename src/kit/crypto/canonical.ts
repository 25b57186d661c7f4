// Canonical JSON after RFC 8785 (JCS): the one form of a value that is hashed and signed.
// https://www.rfc-editor.org/rfc/rfc8785

import { createHash } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";

const maxDepth = 128;

/** The canonical text of a JSON value. Throws for whatever JSON or Unicode cannot carry, rather than dropping it. */
export function canonicalText(value: JsonValue): string {
  return write(value, 0);
}

/** The canonical bytes of a JSON value: its canonical text in UTF-8. */
export function canonicalBytes(value: JsonValue): Uint8Array {
  return Buffer.from(canonicalText(value), "utf8");
}

/**
 * The digest of bytes in the form that manifests and activations use: "sha256:" and 64 lowercase hexadecimal digits.
 */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Whether the text has the form of a digest. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

function write(value: unknown, depth: number): string {
  if (depth > maxDepth) throw new RangeError(`canonical JSON is at most ${maxDepth} levels deep`);
  switch (typeof value) {
    case "string":
      return writeString(value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      // ECMAScript's own number form is the one that RFC 8785 section 3.2.2.3 prescribes.
      if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no ${value}`);
      return JSON.stringify(value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? writeList(value, depth) : writeObject(value, depth);
    default:
      throw new TypeError(`canonical JSON has no ${typeof value}`);
  }
}

function writeString(text: string): string {
  if (!text.isWellFormed()) throw new TypeError("canonical JSON has no lone surrogates");
  return JSON.stringify(text);
}

function writeList(list: readonly unknown[], depth: number): string {
  let text = "[";
  for (let i = 0; i < list.length; i++) text += (i === 0 ? "" : ",") + write(list[i], depth + 1);
  return `${text}]`;
}

function writeObject(object: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError("canonical JSON takes plain objects only");
  // The default order of sort() is by UTF-16 code units, as RFC 8785 section 3.2.3 prescribes.
  const entries = Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, value]) => `${writeString(key)}:${write(value, depth + 1)}`).join(",")}}`;
}

// Entries of a log as exports and their verifier read them: the leaf is parsed and hashed once, whatever is made of it.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type CommittedField, leafHash } from "./leaf.ts";
import type { LogEntry } from "./log-file.ts";

/** An entry, what its leaf says, and the leaf's hash. */
export interface KnownEntry extends LogEntry {
  readonly members: JsonObject;
  readonly hash: Uint8Array;
}

/** The entry, with its leaf read. */
export function knownEntry(entry: LogEntry): KnownEntry {
  return { ...entry, members: JSON.parse(entry.leaf), hash: leafHash(entry.leaf) };
}

/** The value that a commitment stands for; undefined where it was erased. */
export function openedValue({ openings }: LogEntry, field: CommittedField): JsonValue | undefined {
  const value = openings[field]?.value;
  return value === undefined ? undefined : JSON.parse(value);
}

/** A member of the leaf as text. */
export function memberText({ members }: KnownEntry, name: string): string {
  return String(members[name]);
}

/** Whether a value is an object of JSON. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Entries of a log as exports and their verifier read them: the leaf is parsed and hashed once, whatever is made of it.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type CommittedField, leafHashText } from "./leaf.ts";
import type { LogEntry } from "./log-file.ts";

/** An entry, what its leaf says, and the leaf's hash. */
export interface KnownEntry extends LogEntry {
  readonly members: JsonObject;
  /** In hexadecimal digits. */
  readonly hash: string;
}

/** The action of entries about entries whose retention is over. */
export const forgetAction = "evidence.forget";

/** Before which number an entry says that every other one was forgotten; 0 where it says nothing of it. */
export function forgottenBefore(entry: KnownEntry): number {
  if (entry.members.action !== forgetAction || entry.members.resource !== "evidence") return 0;
  const after = openedValue(entry, "after");
  const first = isJsonObject(after) ? after.first_kept : undefined;
  return typeof first === "number" && Number.isSafeInteger(first) && first >= 0 && first <= entry.seq ? first : 0;
}

/** The entry, with its leaf read. */
export function knownEntry(entry: LogEntry): KnownEntry {
  return { ...entry, members: JSON.parse(entry.leaf), hash: leafHashText(entry.leaf) };
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

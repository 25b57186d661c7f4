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

/** What a leaf says; nothing when it is no object of JSON. */
export function leafMembers(leaf: string): JsonObject {
  try {
    const value: JsonValue = JSON.parse(leaf);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Where a leaf stands. */
export interface LeafPlace {
  readonly seq: number;
  /** Whose log it is. */
  readonly orgId: string | undefined;
}

/**
 * Why a leaf cannot be what a log of ours has at this place; undefined when it can. Where such a leaf is signed, that
 * is a fault of the log itself.
 */
export function leafFault({ v, seq, org_id }: JsonObject, place: LeafPlace): string | undefined {
  if (v !== 2) return "its leaf has another form than 2";
  if (seq !== place.seq) return "its leaf has another number";
  return org_id === place.orgId ? undefined : "it is of another organization";
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

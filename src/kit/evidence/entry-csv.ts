// The entries of a log as a table, for people. A verifier makes the table anew from the log that it verified, so the
// two can be compared byte by byte.

import { csvLine } from "../archive/csv.ts";
import { type KnownEntry, memberText } from "./known-entry.ts";
import { committedFields } from "./leaf.ts";

const open = ["seq", "created_at", "action", "resource", "credential", "request_id"] as const;

/** The first line. */
export function entryCsvHeader(): string {
  return csvLine([...open, ...committedFields, "erased", "leaf_hash"]);
}

/**
 * The line of an entry. `before` and `after` are JSON; a cell whose value was erased is empty, and named in `erased`.
 */
export function entryCsvLine(entry: KnownEntry): string {
  const { openings, hash } = entry;
  const values = committedFields.map((field) => {
    const value = openings[field]?.value;
    if (value === undefined) return "";
    return field === "actor" || field === "address" ? stringIn(value) : value;
  });
  const erased = committedFields.filter((field) => openings[field] === undefined).join(" ");
  const members = open.map((name) => memberText(entry, name));
  return csvLine([...members, ...values, erased, hash]);
}

/** The string that JSON stands for. */
function stringIn(json: string): string {
  return plainString.test(json) ? json.slice(1, -1) : String(JSON.parse(json));
}

/** A string of JSON that says what it stands for. */
const plainString = /^"[^"\\]*"$/;

// The entries of a log as a table, for people. A verifier makes the table anew from the log that it verified, so the
// two can be compared byte by byte.

import { csvLine } from "../archive/csv.ts";
import { committedFields, leafHash } from "./leaf.ts";
import type { LogEntry } from "./log-file.ts";

const open = ["seq", "created_at", "action", "resource", "credential", "request_id"] as const;

/** The first line. */
export function entryCsvHeader(): string {
  return csvLine([...open, ...committedFields, "erased", "leaf_hash"]);
}

/**
 * The line of an entry. `before` and `after` are JSON; a cell whose value was erased is empty, and named in `erased`.
 */
export function entryCsvLine({ leaf, openings }: LogEntry): string {
  const members: Readonly<Record<string, unknown>> = JSON.parse(leaf);
  const values = committedFields.map((field) => {
    const value = openings[field]?.value;
    if (value === undefined) return "";
    return field === "actor" || field === "address" ? String(JSON.parse(value)) : value;
  });
  const erased = committedFields.filter((field) => openings[field] === undefined).join(" ");
  const hash = leafHash(leaf).toString("hex");
  return csvLine([...open.map((name) => String(members[name])), ...values, erased, hash]);
}

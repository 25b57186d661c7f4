// The digest of a pack, over JSON with sorted keys, so that the order of keys and the comments in its file do not
// matter.

import { createHash } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";

/** "sha256:…" over the value. */
export function digestOf(value: JsonValue): string {
  return `sha256:${createHash("sha256")
    .update(JSON.stringify(sorted(value)))
    .digest("hex")}`;
}

/** Whether two values are equal, whatever the order of their keys. */
export function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

// A three-way merge of policies by id: the author's changes since a pack was applied stay, the pack's changes are
// added, and where both changed the same part, the author's version stays and the conflict is listed.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isSameJson } from "./digest.ts";
import { objectOf } from "./pack.ts";

/** A merged document. */
export interface MergedDocument {
  readonly document: JsonObject;
  /** Paths where author and pack disagree and the author's version was kept, such as "rules[pii.email]". */
  readonly skipped: readonly string[];
}

/** Parts that are lists whose items have a key. */
const listKeys = new Map([
  ["rules", "id"],
  ["exemptions", "id"],
  ["tests", "name"],
]);
/** Parts that are maps by name. */
const mapKeys: ReadonlySet<string> = new Set(["lists", "detectors"]);

/**
 * Applies the changes from `base` to the pack's `next` document to the author's `current` one. `base` is the pack's
 * earlier document; empty when there was none.
 */
export function mergeDocuments(base: JsonObject, current: JsonObject, next: JsonObject): MergedDocument {
  const skipped: string[] = [];
  const document: JsonObject = {};
  for (const key of new Set([...Object.keys(next), ...Object.keys(current)])) {
    const merged = mergePart(key, [base[key], current[key], next[key]], skipped);
    if (merged !== undefined) document[key] = merged;
  }
  return { document, skipped };
}

type Sides = readonly [JsonValue | undefined, JsonValue | undefined, JsonValue | undefined];

function mergePart(key: string, sides: Sides, skipped: string[]): JsonValue | undefined {
  const itemKey = listKeys.get(key);
  if (itemKey !== undefined) {
    const merged = mergeMaps(
      key,
      sides.map((side) => byKey(side, itemKey)) as [JsonObject, JsonObject, JsonObject],
      skipped,
    );
    const items = Object.values(merged);
    return items.length === 0 ? undefined : items.map((item) => item ?? null);
  }
  if (!mapKeys.has(key)) return mergeValue(key, sides, skipped);
  const merged = mergeMaps(key, sides.map(objectOf) as [JsonObject, JsonObject, JsonObject], skipped);
  return Object.keys(merged).length === 0 ? undefined : merged;
}

function mergeMaps(
  part: string,
  [base, current, next]: readonly [JsonObject, JsonObject, JsonObject],
  skipped: string[],
): JsonObject {
  const entries: [string, JsonValue][] = [];
  // Authors choose ids freely, so "__proto__" may be one.
  const own = (side: JsonObject, name: string) => (Object.hasOwn(side, name) ? side[name] : undefined);
  for (const name of new Set([...Object.keys(next), ...Object.keys(current)])) {
    const value = mergeValue(`${part}[${name}]`, [own(base, name), own(current, name), own(next, name)], skipped);
    if (value !== undefined) entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

function mergeValue(path: string, [base, current, next]: Sides, skipped: string[]): JsonValue | undefined {
  if (isSameJson(current, next) || isSameJson(current, base)) return next;
  if (!isSameJson(next, base)) skipped.push(path);
  return current;
}

function byKey(list: JsonValue | undefined, key: string): JsonObject {
  if (!Array.isArray(list)) return {};
  return Object.fromEntries(list.map((item) => [String(objectOf(item)[key]), item]));
}

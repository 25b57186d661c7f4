// How far something reaches: lists of globs or names, where nothing written means everything.

import { matchesGlob } from "../../../runtime/engine/glob.ts";
import { type Change, type Effect, opposite, setDifference } from "./change.ts";

/** A list of globs or names that stands for a set; undefined for everything. */
export type Extent = readonly string[] | undefined;

/** The differences of two extents, where reaching further is `direction`. */
export function extentChanges(
  before: Extent,
  after: Extent,
  { on, name, label }: { readonly on: string; readonly name: string; readonly label: string },
  direction: Effect,
): Change[] {
  const at = (what: string, effect: Effect): Change => ({ on, name, what, effect });
  if (before === undefined && after === undefined) return [];
  if (after === undefined) return [at(`${label}: no longer limited`, direction)];
  if (before === undefined) return [at(`${label}: limited to ${after.join(", ")}`, opposite(direction))];
  const { added, removed } = setDifference(before, after);
  return [
    ...added.map((item) => at(`${label}: ${item} added`, isCovered(item, before) ? "none" : direction)),
    ...removed.map((item) => at(`${label}: ${item} removed`, isCovered(item, after) ? "none" : opposite(direction))),
  ];
}

/** Whether another glob takes in all that this one does. Globs with "?" are not looked at: "*" as a text is no "?". */
function isCovered(item: string, globs: readonly string[]): boolean {
  return globs.some((glob) => !glob.includes("?") && matchesGlob(glob, item));
}

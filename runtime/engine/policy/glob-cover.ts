// Whether one set of globs covers another. The test is conservative: it may return false for a covering set, but never
// true for another.

import { matchesGlob } from "../text/glob.ts";
import type { Effect } from "./change.ts";

/** True when everything that matches `inner` matches `outer`. */
export function coversGlob(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  // "?" matches one character, while "*" of the other glob may match many.
  if (outer.includes("?") && inner.includes("*")) return false;
  return matchesGlob(outer, inner);
}

/** The effect of changed globs when more of them are stricter; undefined stands for all. */
export function globGrowth(before: readonly string[] | undefined, after: readonly string[] | undefined): Effect {
  const grows = coversAll(after, before);
  const shrinks = coversAll(before, after);
  if (grows && shrinks) return "neutral";
  if (grows) return "stricter";
  return shrinks ? "weaker" : "unknown";
}

function coversAll(outer: readonly string[] | undefined, inner: readonly string[] | undefined): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return outer.includes("*");
  return inner.every((glob) => outer.some((each) => coversGlob(each, glob)));
}

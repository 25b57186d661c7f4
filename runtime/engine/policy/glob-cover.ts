// Whether one set of globs covers another. It may say no where the answer is yes, never the other way round.

import { matchesGlob } from "../glob.ts";
import type { Effect } from "./change.ts";

/** True when everything that fits `inner` fits `outer`. */
export function coversGlob(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  // A "?" is one character, a "*" of the other glob may be many.
  if (outer.includes("?") && inner.includes("*")) return false;
  return matchesGlob(outer, inner);
}

/** The effect of other globs where more of them are stricter; undefined stands for all. */
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
  return inner.every((glob) => outer.some((candidate) => coversGlob(candidate, glob)));
}

// What a replay begins with, as the address of its page says it.

import { textsIn } from "../../data/search.ts";

const names = [
  ...(["project", "environment", "rule", "agent", "outcome", "stage"] as const),
  ...(["policy", "detector", "category", "version", "days"] as const),
  ...(["unjudged", "would", "language", "least", "most"] as const),
] as const;

/** The filter that a new replay begins with, and whether its dialog is open. */
export type ReplaySearch = { readonly [name in (typeof names)[number] | "new"]?: string };

/** Reads the search parameters. */
export function replaySearch(search: Readonly<Record<string, unknown>>): ReplaySearch {
  return textsIn(search, "new", ...names);
}

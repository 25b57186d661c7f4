// What a replay begins with, as the address of its page says it.

import { environmentsIn, projectIn, textsIn } from "../../data/search.ts";

const names = [
  ...(["rule", "agent", "outcome", "stage"] as const),
  ...(["policy", "detector", "category", "version", "days"] as const),
  ...(["unjudged", "would", "language", "least", "most"] as const),
] as const;

/** The filter that a new replay begins with, and whether its dialog is open. */
export type ReplaySearch = {
  readonly [name in (typeof names)[number] | "project" | "environment" | "new"]?: string;
};

/** Reads the search parameters. */
export function replaySearch(search: Readonly<Record<string, unknown>>): ReplaySearch {
  return { ...projectIn(search), ...environmentsIn(search, "environment"), ...textsIn(search, "new", ...names) };
}

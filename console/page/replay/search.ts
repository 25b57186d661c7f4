// What a replay begins with, as the address of its page says it.

import { environmentsIn, momentsIn, projectIn, textsIn } from "../../data/search.ts";

const names = [
  ...(["rule", "agent", "outcome", "stage"] as const),
  ...(["policy", "detector", "category", "version", "mark"] as const),
  // The filters of a list that a replay cannot have, by name.
  ...(["unjudged", "would", "language", "least", "most", "without"] as const),
] as const;

/** The filter that a new replay begins with, and whether its dialog is open. */
export type ReplaySearch = {
  readonly [name in (typeof names)[number] | "project" | "environment" | "since" | "until" | "new"]?: string;
};

/** Reads the search parameters. */
export function replaySearch(search: Readonly<Record<string, unknown>>): ReplaySearch {
  const where = { ...projectIn(search), ...environmentsIn(search, "environment") };
  return { ...where, ...momentsIn(search, "since", "until"), ...textsIn(search, "new", ...names) };
}

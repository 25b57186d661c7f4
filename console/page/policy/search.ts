// What the list of policies looks at, as its address says it.

import { textsIn } from "../../data/search.ts";

/** The value of `scope` for policies of all projects. */
export const allProjects = "*";

/** The text that policies contain, and the project that they are for. */
export interface PolicySearch {
  readonly q?: string;
  readonly scope?: string;
}

/** Reads the search parameters; unknown values are dropped. */
export function policySearch(search: Readonly<Record<string, unknown>>): PolicySearch {
  const { scope, ...text } = textsIn(search, "q", "scope");
  const isKnown = scope === allProjects || /^[0-9a-f-]{36}$/i.test(scope ?? "");
  return { ...text, ...(scope !== undefined && isKnown ? { scope } : {}) };
}

// What the page of traces looks at, as its address says it.

import { type OutcomeName, outcomes } from "../../part/outcome-name.ts";

/** The filters and the open trace. Absent ones are left out of the address. */
export interface TraceSearch {
  readonly range?: TraceRange;
  readonly outcome?: OutcomeName;
  readonly environment?: string;
  readonly rule?: string;
  readonly trace?: string;
}

/** The ranges, in hours. */
export const ranges = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 } as const;
/** One of them. */
export type TraceRange = keyof typeof ranges;
/** What is shown when the address says nothing. */
export const defaultRange: TraceRange = "24h";

/** Reads the search parameters; unknown values are dropped. */
export function traceSearch(search: Readonly<Record<string, unknown>>): TraceSearch {
  const range = (Object.keys(ranges) as TraceRange[]).find((each) => each === search.range && each !== defaultRange);
  const outcome = outcomes.find((each) => each === search.outcome);
  return {
    ...(range === undefined ? {} : { range }),
    ...(outcome === undefined ? {} : { outcome }),
    ...text(search, "environment"),
    ...text(search, "rule"),
    ...text(search, "trace"),
  };
}

function text<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [key in Name]?: string } {
  const value = search[name];
  return typeof value === "string" && value !== "" ? ({ [name]: value } as { [key in Name]: string }) : {};
}

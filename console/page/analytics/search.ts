// What the page of analytics looks at, as its address says it.

import { textsIn } from "../../data/search.ts";

/** The ranges, in hours. */
export const ranges = { "24h": 24, "7d": 168, "30d": 720, "90d": 2_160 } as const;
/** One of them. */
export type AnalyticsRange = keyof typeof ranges;
/** What is shown when the address says nothing. */
export const defaultRange: AnalyticsRange = "7d";

/** The filters. Absent ones are left out of the address. */
export interface AnalyticsSearch {
  readonly range?: AnalyticsRange;
  readonly project?: string;
  readonly environment?: string;
  readonly agent?: string;
}

/** Reads the search parameters; unknown values are dropped. */
export function analyticsSearch(search: Readonly<Record<string, unknown>>): AnalyticsSearch {
  const range = (Object.keys(ranges) as AnalyticsRange[]).find(
    (each) => each === search.range && each !== defaultRange,
  );
  return { ...(range === undefined ? {} : { range }), ...textsIn(search, "project", "environment", "agent") };
}

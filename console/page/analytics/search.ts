// What the page of analytics looks at, as its address says it.

import { environmentsIn, projectIn, textsIn } from "../../data/search.ts";

/** The ranges, in hours. */
export const ranges = { "24h": 24, "7d": 168, "30d": 720, "90d": 2_160 } as const;
/** One of them. */
export type AnalyticsRange = keyof typeof ranges;
/** What is shown when the address says nothing. */
export const defaultRange: AnalyticsRange = "7d";

/** The lengths of a step. */
export const steps = ["hour", "day", "week", "month"] as const;
/** One of them. */
export type AnalyticsStep = (typeof steps)[number];

/** Steps are hours apart here. */
const stepHours = { hour: 1, day: 24, week: 168, month: 720 } as const;
/** As many as the server answers. */
const maxSteps = 400;

/** The steps that a range can have: more than one, and not more than the server answers. */
export function stepsIn(range: AnalyticsRange): readonly AnalyticsStep[] {
  return steps.filter((step) => {
    const n = ranges[range] / stepHours[step];
    return n > 1 && n <= maxSteps;
  });
}

/** The filters. Absent ones are left out of the address. */
export interface AnalyticsSearch {
  readonly range?: AnalyticsRange;
  /** The length of a step; absent when the server chooses it. */
  readonly bucket?: AnalyticsStep;
  readonly project?: string;
  readonly environment?: string;
  readonly agent?: string;
}

/** Reads the search parameters; unknown values are dropped. */
export function analyticsSearch(search: Readonly<Record<string, unknown>>): AnalyticsSearch {
  const range = (Object.keys(ranges) as AnalyticsRange[]).find(
    (each) => each === search.range && each !== defaultRange,
  );
  const bucket = stepsIn(range ?? defaultRange).find((each) => each === search.bucket);
  return {
    ...(range === undefined ? {} : { range }),
    ...(bucket === undefined ? {} : { bucket }),
    ...projectIn(search),
    ...environmentsIn(search, "environment"),
    ...textsIn(search, "agent"),
  };
}

/** The filter of the traces behind what is shown, as their page has it. */
export function tracesOf({ range = defaultRange, bucket, ...where }: AnalyticsSearch, since: Date) {
  // Traces have no range as long as the longest, and a day is what they show without one.
  if (range === "90d") return { ...where, since: since.toISOString() };
  return { ...where, ...(range === "24h" ? {} : { range }) };
}

/** The filter of traces. */
export type TraceFilter = ReturnType<typeof tracesOf>;

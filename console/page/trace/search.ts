// What the page of traces looks at, as its address says it.

import { textsIn } from "../../data/search.ts";
import { type OutcomeName, outcomes } from "../../part/judgement/outcome-name.ts";

/** The filters and the open trace. Absent ones are left out of the address. */
export interface TraceSearch {
  readonly range?: TraceRange;
  readonly outcome?: OutcomeName;
  readonly environment?: string;
  readonly rule?: string;
  readonly project?: string;
  readonly policy?: string;
  readonly detector?: string;
  readonly category?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly unjudged?: string;
  /** A window in place of `range`, as ISO times. */
  readonly since?: string;
  readonly until?: string;
  readonly trace?: string;
}

/** Filters that have no field of their own: where another page leads here, they are shown as chips. */
export const chips = ["policy", "detector", "category", "agent", "session", "unjudged", "since", "until"] as const;

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
    ...textsIn(search, "environment", "rule", "project", "trace"),
    ...textsIn(search, "policy", "detector", "category", "agent", "session", "unjudged"),
    ...momentIn(search, "since"),
    ...momentIn(search, "until"),
  };
}

function momentIn<const Name extends string>(search: Readonly<Record<string, unknown>>, name: Name) {
  const found = textsIn(search, name);
  return Number.isNaN(Date.parse(found[name] ?? "")) ? {} : found;
}

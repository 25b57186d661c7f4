// What the page of traces looks at, as its address says it.

import { environmentsIn, momentsIn, projectIn, textsIn } from "../../data/search.ts";
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
  readonly user?: string;
  readonly stage?: string;
  readonly mark?: string;
  readonly language?: string;
  /** What the outcome would be if shadow rules counted. */
  readonly would?: string;
  /** A version of the bundle, and the least and longest time that the engine took, in microseconds: in digits. */
  readonly version?: string;
  readonly least?: string;
  readonly most?: string;
  /** A window in place of `range`, as ISO times. */
  readonly since?: string;
  readonly until?: string;
  readonly trace?: string;
}

/** Filters that have no field of their own: they are shown as chips. */
export const chips = [
  ...(["policy", "detector", "category", "agent", "user", "session", "unjudged", "stage", "mark", "version"] as const),
  ...(["would", "language", "least", "most", "since", "until"] as const),
] as const;
/** One of them. */
export type Chip = (typeof chips)[number];

/** The values of filters that have few. */
export const choicesOf: { readonly [name in Chip]?: readonly string[] } = {
  stage: ["input", "retrieval", "tool_call", "tool_result", "output"],
  mark: ["any", "none", "disputed", "false-positive", "false-negative", "correct", "acceptable"],
  would: outcomes,
};

/** The ranges, in hours. */
export const ranges = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 } as const;
/** One of them. */
export type TraceRange = keyof typeof ranges;
/** The longest of them. */
export const longestRange: TraceRange = "30d";
/** What is shown when the address says nothing. */
export const defaultRange: TraceRange = "24h";

/** Reads the search parameters; unknown values are dropped. */
export function traceSearch(search: Readonly<Record<string, unknown>>): TraceSearch {
  const range = (Object.keys(ranges) as TraceRange[]).find((each) => each === search.range && each !== defaultRange);
  const outcome = outcomes.find((each) => each === search.outcome);
  return {
    ...(range === undefined ? {} : { range }),
    ...(outcome === undefined ? {} : { outcome }),
    ...projectIn(search),
    ...environmentsIn(search, "environment"),
    ...textsIn(search, "rule", "trace"),
    ...textsIn(search, "policy", "detector", "category", "agent", "user", "session", "unjudged", "language"),
    ...choiceIn(search, "stage"),
    ...choiceIn(search, "mark"),
    ...choiceIn(search, "would"),
    ...digitsIn(search, "version"),
    ...digitsIn(search, "least"),
    ...digitsIn(search, "most"),
    ...momentsIn(search, "since", "until"),
  };
}

/** Filters that the queue does not have: neither a person nor what others say is a choice of what to review. */
export const unqueued = ["session", "user", "mark"] as const;

/** Reads the search parameters of the page of review, which looks at all times unless it is told one. */
export function reviewSearch(search: Readonly<Record<string, unknown>>): TraceSearch {
  const { trace: _, session: __, user: ___, mark: ____, ...filters } = traceSearch(search);
  return search.range === defaultRange ? { ...filters, range: defaultRange } : filters;
}

function choiceIn<const Name extends "stage" | "mark" | "would">(
  search: Readonly<Record<string, unknown>>,
  name: Name,
) {
  const found = textsIn(search, name);
  return choicesOf[name]?.includes(found[name] ?? "") === true ? found : {};
}

function digitsIn<const Name extends string>(search: Readonly<Record<string, unknown>>, name: Name) {
  const found = textsIn(search, name);
  return /^\d{1,9}$/.test(found[name] ?? "") ? found : {};
}

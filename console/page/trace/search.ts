// What the page of traces looks at, as its address says it.

import { commandLine } from "../../data/command-line.ts";
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

const hourMs = 3_600_000;
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

/** The window of the list, which ends where the reader began to read, so that it does not move. */
export function windowOf({ range = defaultRange, since, until }: TraceSearch, readAt: Date) {
  const end = until === undefined ? readAt : new Date(Math.min(Date.parse(until), readAt.getTime()));
  const start = since === undefined ? new Date(end.getTime() - ranges[range] * hourMs) : new Date(since);
  return { since: start, until: end };
}

/** Filters that a replay cannot have: it would keep what an erasure has to reach. */
const unreplayed = ["session", "user"] as const;

/** The filters of the list as the address of a new replay has them, and which of them it leaves out. */
export function replayOf(search: TraceSearch, readAt: Date) {
  const { trace: _, range: __, session: ___, user: ____, ...filters } = search;
  const { since, until } = windowOf(search, readAt);
  const without = unreplayed.filter((name) => search[name] !== undefined).join(" ");
  const window = { since: since.toISOString(), until: until.toISOString() };
  return { new: "yes", ...filters, ...window, ...(without === "" ? {} : { without }) };
}

/** What the filters are called in an address of REST. */
const wireNamesOf = {
  ...{ project: "project_id", environment: "environment", rule: "rule_id", policy: "policy", agent: "agent_id" },
  ...{ detector: "detector", category: "category", session: "session_id", unjudged: "unjudged", user: "user_id" },
  ...{ outcome: "outcome", stage: "stage", mark: "annotation", version: "bundle_version" },
  ...{ language: "language", would: "would_be_outcome", least: "min_latency_us", most: "max_latency_us" },
} as const;

/** The filters of the list as the query of an address of REST. */
export function queryOf(search: TraceSearch, readAt: Date): URLSearchParams {
  const { since, until } = windowOf(search, readAt);
  const query = new URLSearchParams({ since: since.toISOString(), until: until.toISOString() });
  // `Object.entries` forgets which names there are.
  for (const [name, wireName] of Object.entries(wireNamesOf) as [keyof typeof wireNamesOf, string][]) {
    const value = search[name];
    if (value !== undefined) query.set(wireName, value);
  }
  return query;
}

/** What the filters are called as options of the command line. */
const optionNamesOf = {
  ...{ project: "project", environment: "env", rule: "rule", policy: "policy", agent: "agent", detector: "detector" },
  ...{ category: "category", session: "session", user: "user", unjudged: "unjudged", outcome: "outcome" },
  ...{ stage: "stage", mark: "annotation", version: "bundle-version", language: "language", would: "would-be" },
  ...{ least: "min-latency", most: "max-latency" },
} as const satisfies Record<keyof typeof wireNamesOf, string>;

/** The command that writes the traces of the list to a file. */
export function exportCommand(
  search: TraceSearch,
  readAt: Date,
  { format, includesText }: { readonly format: "csv" | "jsonl"; readonly includesText: boolean },
): string {
  const { since, until } = windowOf(search, readAt);
  // `Object.entries` forgets which names there are.
  const names = Object.entries(optionNamesOf) as [keyof typeof optionNamesOf, string][];
  return commandLine("policy-guard traces export", {
    ...Object.fromEntries(names.map(([name, option]) => [option, search[name]])),
    ...{ since: since.toISOString(), until: until.toISOString(), format, "include-text": includesText || undefined },
    out: `traces.${format}`,
  });
}

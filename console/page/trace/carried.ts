// The filters of the list of traces as other calls, pages and commands have them: apart from what reads the address, which
// is loaded before the first page.

import { commandLine } from "../../data/command-line.ts";
import { defaultRange, ranges, type TraceSearch } from "./search.ts";

const hourMs = 3_600_000;

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

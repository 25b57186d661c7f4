// Narrows a search for what a version of a bundle decided to the times in which it decided anything, as the counts by
// version tell. No index leads to a version's traces, but few hours have any of one that was replaced long ago.

import { fromBinary } from "@bufbuild/protobuf";
import { TallySchema } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { readDeltas } from "../../store/telemetry/stat-delta.ts";
import { type TimeWindow, type TraceFilter, TraceSearch } from "../../store/telemetry/trace-query.ts";
import { hasUncounted, readVersionTimes } from "../../store/telemetry/version-time.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** Days whose hours are counted for sure: a purge may have begun with the one before. */
const countedHoursDays = 34;

/** Windows of one search. Each costs a statement of its own, so the shortest gaps between them are searched as well. */
const maxWindows = 32;

/** Prepares a search, narrowed by what is known of the filter. */
export async function prepareSearch(tx: Transaction, filter: TraceFilter): Promise<TraceSearch> {
  const { bundleVersion } = filter;
  if (bundleVersion === undefined) return TraceSearch.of(tx, filter);
  const windows = await windowsOf(tx, { ...filter, bundleVersion });
  return TraceSearch.of(tx, windows === undefined ? filter : { ...filter, windows });
}

/** A span of time in milliseconds since 1970. */
type Span = readonly [begin: number, end: number];

/** When the version decided something; undefined when that is not known. */
async function windowsOf(
  tx: Transaction,
  filter: TraceFilter & { readonly bundleVersion: number },
): Promise<TimeWindow[] | undefined> {
  if (await hasUncounted(tx)) return undefined;
  const today = Math.floor(tx.now.getTime() / dayMs) * dayMs;
  const hoursSince = today - countedHoursDays * dayMs;
  const { days, hours } = await readVersionTimes(tx, filter, new Date(hoursSince));
  const spans: Span[] = [
    ...days.filter((day) => day < hoursSince).map((day): Span => [day, day + dayMs]),
    ...hours.map((hour): Span => [hour, hour + hourMs]),
    ...(await unfoldedSpans(tx, filter)),
  ];
  return withinFilter(joined(spans), filter);
}

/** The minutes of what is not folded into the cubes yet. */
async function unfoldedSpans(tx: Transaction, filter: TraceFilter): Promise<Span[]> {
  const spans: Span[] = [];
  for (const { projectId, environment, tally } of await readDeltas(tx)) {
    if (filter.projectId !== undefined && filter.projectId !== projectId) continue;
    if (filter.environment !== undefined && filter.environment !== environment) continue;
    for (const { minute, versions } of fromBinary(TallySchema, tally).minutes) {
      if (!versions.some(({ bundleVersion }) => bundleVersion === filter.bundleVersion)) continue;
      spans.push([minute * minuteMs, (minute + 1) * minuteMs]);
    }
  }
  return spans;
}

/** The spans, those that touch each other joined, and so are those with the shortest gaps while there are too many. */
function joined(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort(([a], [b]) => a - b);
  const gaps: number[] = [];
  let reached = Number.NEGATIVE_INFINITY;
  for (const [begin, end] of sorted) {
    if (begin > reached) gaps.push(begin - reached);
    reached = Math.max(reached, end);
  }
  // The first gap is the one before all spans.
  const shortest = gaps.slice(1).sort((a, b) => b - a)[maxWindows - 1] ?? 0;
  const result: [number, number][] = [];
  for (const [begin, end] of sorted) {
    const last = result.at(-1);
    if (last !== undefined && begin - last[1] <= shortest) last[1] = Math.max(last[1], end);
    else result.push([begin, end]);
  }
  return result;
}

/** The windows, newest first, as far as the filter's own times reach. */
function withinFilter(spans: readonly Span[], { since, until }: TraceFilter): TimeWindow[] {
  const [from, to] = [since?.getTime() ?? Number.NEGATIVE_INFINITY, until?.getTime() ?? Number.POSITIVE_INFINITY];
  return spans
    .map(([begin, end]): Span => [Math.max(begin, from), Math.min(end, to)])
    .filter(([begin, end]) => begin < end)
    .map(([begin, end]) => ({ since: new Date(begin), until: new Date(end) }))
    .reverse();
}

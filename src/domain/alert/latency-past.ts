// The 95th percentiles of the past, for previews: a window moves on by a minute, and what enters it is added to the
// histogram of its group, and what leaves it is taken away. The past is read by the hour, so that no more than a window
// and an hour of it is held.

import { LatencyHistogram } from "../../kit/tally/latency-histogram.ts";
import { latenciesByMinute, type MinuteLatencies } from "../../store/alert/alert-past.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { groupKeyOf, latencyOf, type ValueRule } from "./metric.ts";

const minuteMs = 60_000;
/** Minutes that are read at once. */
const minutesAtOnce = 60;

/** Ends of the windows: the first one, and the last one. */
interface Ends {
  readonly firstMs: number;
  readonly untilMs: number;
}

/** The latencies in milliseconds of the windows that end at a minute, by group and by the end of the window. */
export async function pastLatencies(
  tx: Transaction,
  rule: ValueRule & { readonly windowMinutes: number },
  groups: Iterable<string>,
  { firstMs, untilMs }: Ends,
): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>> {
  const windows = new Map([...groups].map((key) => [key, new LatencyHistogram()]));
  const past = new Map([...windows.keys()].map((key) => [key, new Map<number, number>()]));
  const windowMs = rule.windowMinutes * minuteMs;
  const minutes = new Map<number, readonly MinuteLatencies[]>();
  const windowOf = (place: MinuteLatencies) => windows.get(groupKeyOf(rule.groupBy, { ...place, stage: 0 }));
  for (let startMs = firstMs - windowMs; startMs < untilMs; startMs += minuteMs) {
    if ((startMs - firstMs + windowMs) % (minutesAtOnce * minuteMs) === 0) {
      const until = new Date(Math.min(untilMs, startMs + minutesAtOnce * minuteMs));
      const read = await latenciesByMinute(tx, { since: new Date(startMs), until }, rule.filter);
      for (const [ms, list] of Map.groupBy(read, (place) => place.startMs)) minutes.set(ms, list);
    }
    for (const place of minutes.get(startMs) ?? []) windowOf(place)?.addBytes(place.buckets);
    const endMs = startMs + minuteMs;
    const leavingMs = startMs - windowMs;
    for (const place of minutes.get(leavingMs) ?? []) windowOf(place)?.removeBytes(place.buckets);
    minutes.delete(leavingMs);
    if (endMs < firstMs) continue;
    for (const [key, window] of windows) {
      const latency = latencyOf(window);
      if (latency !== undefined) past.get(key)?.set(endMs, latency);
    }
  }
  return past;
}

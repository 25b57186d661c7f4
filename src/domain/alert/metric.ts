// The values of a rule over one window, for each of its groups.

import { LatencyHistogram } from "../../kit/tally/latency-histogram.ts";
import {
  type CountPlace,
  type Counts,
  noCounts,
  type PlacedCounts,
  type PlacedLatencies,
} from "../../store/alert/alert-counts.ts";
import type { AlertFilter, AlertGroupBy, AlertMetric } from "../../store/alert/alert-rule.ts";

/** Groups of one rule that are evaluated: those with the most evaluations. */
export const maxGroups = 50;

/** What a rule says about values. */
export interface ValueRule {
  readonly metric: AlertMetric;
  readonly filter: AlertFilter;
  readonly groupBy?: AlertGroupBy | null | undefined;
  readonly minSamples: number;
}

/** A value, and of how many evaluations. */
export interface Measured {
  /** Undefined where there are too few evaluations for one. */
  readonly value: number | undefined;
  readonly samples: number;
}

/** Where the counts of a metric come from. */
export function sourceOf(metric: AlertMetric): "outcomes" | "latencies" | "losses" {
  if (metric === "latency_p95_ms") return "latencies";
  return metric === "records_lost" ? "losses" : "outcomes";
}

/** The group of a rule that a place belongs to. */
export function groupKeyOf(
  groupBy: AlertGroupBy | null | undefined,
  { projectId, environment, agentKey }: CountPlace,
): string {
  switch (groupBy) {
    case "project":
      return groupKey({ projectId });
    case "environment":
      return groupKey({ projectId, environment });
    case "agent":
      return groupKey({ agentKey });
    default:
      return groupKey({});
  }
}

/** What a group distinguishes. */
export interface Group {
  readonly projectId?: string | undefined;
  readonly environment?: string | undefined;
  readonly agentKey?: string | undefined;
}

/** A group as it is stored. */
export function groupKey({ projectId, environment, agentKey }: Group): string {
  return JSON.stringify([projectId ?? null, environment ?? null, agentKey ?? null]);
}

/** The group that was stored. */
export function groupOf(key: string): Group {
  const [projectId, environment, agentKey]: (string | null)[] = JSON.parse(key);
  return { projectId: projectId ?? undefined, environment: environment ?? undefined, agentKey: agentKey ?? undefined };
}

/** The values of all groups that counts belong to. A rule that distinguishes nothing always has one group. */
export function valuesOfCounts(rule: ValueRule, counted: readonly PlacedCounts[]): Map<string, Measured> {
  const sums = new Map<string, Counts>(rule.groupBy == null ? [[groupKey({}), noCounts()]] : []);
  for (const place of counted) {
    if (!isMeant(rule, place)) continue;
    const key = groupKeyOf(rule.groupBy, place);
    const sum = sums.get(key) ?? noCounts();
    sums.set(key, sum);
    addCounts(sum, place.counts, 1);
  }
  return largest(new Map([...sums].map(([key, sum]) => [key, valueOfCounts(rule, sum)])));
}

/** Adds counts to a sum, or takes them away again. */
export function addCounts(sum: Counts, counts: Counts, sign: 1 | -1): void {
  for (const name of countNames) sum[name] += sign * counts[name];
}

const countNames = Object.keys(noCounts()) as (keyof Counts)[]; // its own keys

/** The value of a metric. */
export function valueOfCounts({ metric, minSamples }: ValueRule, counts: Counts): Measured {
  const samples = counts.evaluations;
  const share = (part: number) => ({ value: samples < minSamples ? undefined : part / samples, samples });
  switch (metric) {
    case "evaluations":
      return { value: samples, samples };
    case "blocked_evaluations":
      return { value: counts.blocked, samples };
    case "fail_open_count":
      return { value: counts.failOpen, samples };
    case "records_lost":
      return { value: counts.lost, samples: counts.lost };
    case "block_rate":
      return share(counts.blocked);
    case "flag_rate":
      return share(counts.flagged);
    case "redact_rate":
      return share(counts.redacted);
    case "would_block_rate":
      return share(counts.wouldBlock);
    case "unjudged_rate":
      return share(counts.unjudged);
    case "latency_p95_ms":
      throw new Error("latencies have no counts");
  }
}

/** The same for latencies. */
export function valuesOfLatencies(
  rule: ValueRule,
  placed: readonly PlacedLatencies[],
  counted: readonly PlacedCounts[],
): Map<string, Measured> {
  const samples = valuesOfCounts({ ...rule, metric: "evaluations" }, counted);
  const histograms = new Map<string, LatencyHistogram>();
  for (const place of placed) {
    if (!isMeant(rule, place)) continue;
    const key = groupKeyOf(rule.groupBy, place);
    const histogram = histograms.get(key) ?? new LatencyHistogram();
    histograms.set(key, histogram);
    histogram.addBytes(place.buckets);
  }
  const valueAt = (key: string, count: number) => {
    const microseconds = count < rule.minSamples ? undefined : histograms.get(key)?.quantile(0.95);
    return microseconds === undefined ? undefined : microseconds / 1_000;
  };
  return new Map(
    [...samples].map(([key, { samples: count }]) => [key, { value: valueAt(key, count), samples: count }]),
  );
}

function isMeant({ metric, filter }: ValueRule, { projectId, environment, agentKey, stage }: CountPlace): boolean {
  const { projectId: project, environment: wanted, agentKey: agent, stage: at } = filter;
  if (project !== undefined && projectId !== project) return false;
  if (wanted !== undefined && environment !== wanted) return false;
  // Losses belong to no agent and no stage.
  if (metric === "records_lost") return true;
  return (agent === undefined || agentKey === agent) && (at === undefined || stage === at);
}

function largest(values: Map<string, Measured>): Map<string, Measured> {
  if (values.size <= maxGroups) return values;
  const order = [...values].sort(([a, one], [b, other]) => other.samples - one.samples || (a < b ? -1 : 1));
  return new Map(order.slice(0, maxGroups));
}

// The values of a rule over one window, for each of its groups.

import { certainRate } from "../../kit/statistics/mixture-test.ts";
import { LatencyHistogram } from "../../kit/tally/latency-histogram.ts";
import {
  type CountPlace,
  type Counts,
  type CountWindow,
  noCounts,
  type PlacedCounts,
  type PlacedLatencies,
} from "../../store/alert/alert-counts.ts";
import type { PlacedFact } from "../../store/alert/alert-facts.ts";
import type { AlertFilter, AlertGroupBy, AlertMetric, FactMetric } from "../../store/alert/alert-rule.ts";

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

/** How the values of a fact come about. */
type FactKind = "count" | "share" | "certain share" | "largest";

const factKinds: Readonly<Record<FactMetric | "plan_usage_percent", FactKind>> = {
  backend_error_rate: "share",
  candidate_disagreement_rate: "share",
  annotated_false_positive_rate: "share",
  certain_false_positive_rate: "certain share",
  runtimes_behind: "count",
  runtimes_disconnected: "count",
  bundles_rejected: "count",
  webhook_dropped: "count",
  bundle_age_minutes: "largest",
  plan_usage_percent: "largest",
};

/** A metric that is not counted in cubes of outcomes, latencies or losses. */
export type AnyFactMetric = keyof typeof factKinds;

/** Whether a metric is a fact. */
export function isFact(metric: AlertMetric): metric is AnyFactMetric {
  return Object.hasOwn(factKinds, metric);
}

/** Metrics of the organization as a whole. */
export const wholeMetrics: ReadonlySet<AlertMetric> = new Set(["plan_usage_percent", "webhook_dropped"]);

/** Metrics that can be measured for a rule of a policy. */
export const ruleMetrics: ReadonlySet<AlertMetric> = new Set([
  ...(["evaluations", "blocked_evaluations", "block_rate", "flag_rate", "redact_rate"] as const),
  ...(["would_block_rate", "annotated_false_positive_rate", "certain_false_positive_rate"] as const),
]);

/**
 * How probable it may be that a share is called certain in a window and is not: over all minutes of the window, at each
 * of which it is looked at.
 */
const certainAlpha = 0.05;

const shares: ReadonlySet<AlertMetric> = new Set([
  ...(["block_rate", "flag_rate", "redact_rate", "would_block_rate", "unjudged_rate"] as const),
]);

/** The largest value that the metric can have. None is below zero. */
export function maxValueOf(metric: AlertMetric): number {
  const isShare = isFact(metric) ? ["share", "certain share"].includes(factKinds[metric]) : shares.has(metric);
  return isShare ? 1 : Number.POSITIVE_INFINITY;
}

/** Whether the metric is tested anew in windows that follow one another, since a test that slides is none. */
export function isTested(metric: AlertMetric): boolean {
  return isFact(metric) && factKinds[metric] === "certain share";
}

/** The window of a metric at this moment. */
export function windowOf(metric: AlertMetric, minutes: number, until: Date): CountWindow {
  const lengthMs = minutes * 60_000;
  const endMs = until.getTime();
  // The present one of those that follow one another since 1970 began at a multiple of their length.
  const sinceMs = isTested(metric) ? Math.floor((endMs - 1) / lengthMs) * lengthMs : endMs - lengthMs;
  return { since: new Date(sinceMs), until };
}

/** Whether a rule of alerts distinguishes rules of policies. */
export function tellsRules({ groupBy, filter }: Pick<ValueRule, "groupBy" | "filter">): boolean {
  return groupBy === "rule" || filter.ruleId !== undefined;
}

/** Where the values of a rule come from. */
export type AlertSource = "outcomes" | "rules" | "latencies" | "losses" | "facts";

/** Where the values of a rule come from. */
export function sourceOf(rule: Pick<ValueRule, "metric" | "groupBy" | "filter">): AlertSource {
  if (isFact(rule.metric)) return "facts";
  if (rule.metric === "latency_p95_ms") return "latencies";
  if (rule.metric === "records_lost") return "losses";
  return tellsRules(rule) ? "rules" : "outcomes";
}

/** The group of a rule that a place belongs to. */
export function groupKeyOf(
  groupBy: AlertGroupBy | null | undefined,
  { projectId, environment, agentKey, ruleId, policy }: CountPlace,
): string {
  switch (groupBy) {
    case "project":
      return groupKey({ projectId });
    case "environment":
      return groupKey({ projectId, environment });
    case "agent":
      return groupKey({ agentKey });
    case "rule":
      return groupKey({ ruleId, policy });
    default:
      return groupKey({});
  }
}

/** What a group distinguishes. */
export interface Group {
  readonly projectId?: string | undefined;
  readonly environment?: string | undefined;
  readonly agentKey?: string | undefined;
  readonly ruleId?: string | undefined;
  /** Name of the rule's policy: two may have rules of the same id. */
  readonly policy?: string | undefined;
}

/** A group as it is stored. */
export function groupKey({ projectId, environment, agentKey, ruleId, policy }: Group): string {
  const place = [projectId ?? null, environment ?? null, agentKey ?? null];
  // Groups that were stored before there were groups by rule have three parts.
  return JSON.stringify(ruleId === undefined ? place : [...place, ruleId, policy ?? null]);
}

/** The group that was stored. */
export function groupOf(key: string): Group {
  const [projectId, environment, agentKey, ruleId, policy]: (string | null)[] = JSON.parse(key);
  return {
    ...{ projectId: projectId ?? undefined, environment: environment ?? undefined },
    ...{ agentKey: agentKey ?? undefined, ruleId: ruleId ?? undefined, policy: policy ?? undefined },
  };
}

/** Whether a stored group is none that the rule has now: groups by rule once did not tell policies apart. */
export function isFormerGroup({ groupBy }: Pick<ValueRule, "groupBy">, key: string): boolean {
  return groupBy === "rule" && groupOf(key).policy === undefined;
}

/** Keys of groups whose state is not quiet: they are evaluated however few evaluations they have. */
export type OpenGroups = ReadonlySet<string>;

const noGroups: OpenGroups = new Set();

/** The values of all groups that counts belong to. A rule that distinguishes nothing always has one group. */
export function valuesOfCounts(
  rule: ValueRule,
  counted: readonly PlacedCounts[],
  open: OpenGroups = noGroups,
): Map<string, Measured> {
  const sums = sumsOf(rule, counted, rule.groupBy == null ? [groupKey({})] : []);
  return largest(new Map([...sums].map(([key, sum]) => [key, valueOfCounts(rule, sum)])), open);
}

/** The sums of groups: of these, and of all that counts belong to. */
function sumsOf(rule: ValueRule, counted: readonly PlacedCounts[], keys: Iterable<string>): Map<string, Counts> {
  const sums = new Map([...keys].map((key) => [key, noCounts()]));
  for (const place of counted) {
    if (!isMeant(rule, place)) continue;
    const key = groupKeyOf(rule.groupBy, place);
    const sum = sums.get(key) ?? noCounts();
    sums.set(key, sum);
    addCounts(sum, place.counts, 1);
  }
  return sums;
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
    default:
      throw new Error(`${metric} has no counts`);
  }
}

/** The values of a rule that distinguishes rules of policies: what they did, as a share of their group's evaluations. */
export function valuesOfRules(
  rule: ValueRule,
  counted: readonly PlacedCounts[],
  outcomes: readonly PlacedCounts[],
  open: OpenGroups = noGroups,
): Map<string, Measured> {
  const { ruleId: _, policy: __, ...filter } = rule.filter;
  const groupBy = groupOfWhole(rule);
  const all = { ...rule, metric: "evaluations", groupBy, filter } as const;
  const wholes = sumsOf(all, outcomes, groupBy == null ? [groupKey({})] : []);
  // Where the rule found nothing, its share is 0.
  const sums = sumsOf(rule, counted, rule.groupBy === "rule" ? open : wholes.keys());
  const wholeOf = (key: string) => wholes.get(groupBy == null ? groupKey({}) : key)?.evaluations ?? 0;
  return largest(new Map([...sums].map(([key, sum]) => [key, valueOfRule(rule, sum, wholeOf(key))])), open);
}

/** By what the evaluations are told apart of which rules have a share: every rule of a policy judges all of them. */
export function groupOfWhole({ groupBy }: Pick<ValueRule, "groupBy">): Exclude<AlertGroupBy, "rule"> | null {
  return groupBy === "rule" || groupBy == null ? null : groupBy;
}

// A share is of all evaluations, not only of those in which the rule found something.
function valueOfRule(rule: ValueRule, sum: Counts, all: number): Measured {
  if (!rule.metric.endsWith("_rate")) return valueOfCounts({ ...rule, minSamples: 0 }, sum);
  const { value } = valueOfCounts({ ...rule, minSamples: 0 }, { ...sum, evaluations: all });
  return { value: all < rule.minSamples ? undefined : value, samples: sum.evaluations };
}

/**
 * The value of a group whose minutes are summed one by one; `part` and `whole` are set where the metric needs them, and
 * `latency` is the percentile of the window.
 */
export function valueOfPast(rule: ValueRule, sum: Counts, latency?: number): Measured {
  if (sourceOf(rule) === "latencies") {
    const samples = sum.evaluations;
    return { value: samples < rule.minSamples ? undefined : latency, samples };
  }
  if (isFact(rule.metric)) return valueOfFacts("share", rule.minSamples, [{ ...sum, policy: "" }]);
  return tellsRules(rule) ? valueOfRule(rule, sum, sum.whole) : valueOfCounts(rule, sum);
}

/** The values of facts. */
export function valuesOfFacts(
  rule: ValueRule,
  facts: readonly PlacedFact[],
  open: OpenGroups = noGroups,
): Map<string, Measured> {
  const kind = isFact(rule.metric) ? factKinds[rule.metric] : "count";
  const byGroup = Map.groupBy(
    facts.filter((fact) => isMeant(rule, { ...fact, agentKey: "", stage: 0 })),
    (fact) => groupKeyOf(rule.groupBy, { ...fact, agentKey: "", stage: 0 }),
  );
  if (rule.groupBy == null && byGroup.size === 0) byGroup.set(groupKey({}), []);
  return largest(new Map([...byGroup].map(([key, list]) => [key, valueOfFacts(kind, rule.minSamples, list)])), open);
}

function valueOfFacts(
  kind: FactKind,
  minSamples: number,
  facts: readonly Pick<PlacedFact, "part" | "whole" | "policy">[],
): Measured {
  const total = (of: "part" | "whole") => facts.reduce((sum, fact) => sum + fact[of], 0);
  const part = total("part");
  switch (kind) {
    case "count":
      return { value: part, samples: part };
    case "share": {
      const whole = total("whole");
      return { value: whole < minSamples || whole === 0 ? undefined : part / whole, samples: whole };
    }
    case "certain share": {
      // A test is about one rule: those of the same id in several policies are tested one by one, and the worst counts.
      const tested = [...Map.groupBy(facts, ({ policy }) => policy).values()].map((own): Measured => {
        const sum = (of: "part" | "whole") => own.reduce((all, fact) => all + fact[of], 0);
        const count = { observations: sum("whole"), events: sum("part") };
        const value = count.observations < minSamples ? undefined : certainRate(count, certainAlpha);
        return { value, samples: count.observations };
      });
      const [worst] = tested.sort((a, b) => (b.value ?? -1) - (a.value ?? -1) || b.samples - a.samples);
      return worst ?? { value: undefined, samples: 0 };
    }
    case "largest":
      return {
        value: facts.length === 0 ? undefined : Math.max(...facts.map((fact) => fact.part)),
        samples: facts.length,
      };
  }
}

/** The same for latencies. */
export function valuesOfLatencies(
  rule: ValueRule,
  placed: readonly PlacedLatencies[],
  counted: readonly PlacedCounts[],
  open: OpenGroups = noGroups,
): Map<string, Measured> {
  const samples = valuesOfCounts({ ...rule, metric: "evaluations" }, counted, open);
  const histograms = new Map<string, LatencyHistogram>();
  for (const place of placed) {
    if (!isMeant(rule, place)) continue;
    const key = groupKeyOf(rule.groupBy, place);
    const histogram = histograms.get(key) ?? new LatencyHistogram();
    histograms.set(key, histogram);
    histogram.addBytes(place.buckets);
  }
  const valueAt = (key: string, count: number) => {
    const histogram = histograms.get(key);
    return count < rule.minSamples || histogram === undefined ? undefined : latencyOf(histogram);
  };
  return new Map(
    [...samples].map(([key, { samples: count }]) => [key, { value: valueAt(key, count), samples: count }]),
  );
}

/** The 95th percentile of a histogram in milliseconds; undefined when it is empty. */
export function latencyOf(histogram: LatencyHistogram): number | undefined {
  const microseconds = histogram.quantile(0.95);
  return microseconds === undefined ? undefined : microseconds / 1_000;
}

function isMeant({ metric, filter }: ValueRule, place: CountPlace): boolean {
  const { projectId, environment, agentKey, stage, ruleId } = place;
  const { projectId: project, environment: wanted, agentKey: agent, stage: at, ruleId: rule, policy } = filter;
  if (project !== undefined && projectId !== project) return false;
  if (wanted !== undefined && environment !== wanted) return false;
  if (rule !== undefined && ruleId !== rule) return false;
  if (policy !== undefined && place.policy !== policy) return false;
  // Losses and facts belong to no agent and no stage.
  if (metric === "records_lost" || isFact(metric)) return true;
  return (agent === undefined || agentKey === agent) && (at === undefined || stage === at);
}

function largest(values: Map<string, Measured>, open: OpenGroups): Map<string, Measured> {
  if (values.size <= maxGroups) return values;
  const order = [...values].sort(([a, one], [b, other]) => other.samples - one.samples || (a < b ? -1 : 1));
  return new Map(order.filter(([key], place) => place < maxGroups || open.has(key)));
}

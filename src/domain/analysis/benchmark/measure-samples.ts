// The metrics of a benchmark, made from what is known of each sample.

import { createHash } from "node:crypto";
import { canonicalText } from "../../../kit/crypto/canonical.ts";
import { clusteredShare } from "../../../kit/statistics/cluster.ts";
import { bootstrapF1, f1Of, type Hits } from "../../../kit/statistics/f1.ts";
import { type Interval, wilson } from "../../../kit/statistics/proportion.ts";
import { type Ranking, rank, recallAt } from "../../../kit/statistics/ranking.ts";
import { LatencyHistogram } from "../../../kit/tally/latency-histogram.ts";
import type { Tools } from "../tools.ts";
import { type FoundSpan, type Verdict, verdictOf } from "./prediction.ts";
import { matchSpans, type Nearness } from "./span-match.ts";

/** What is known of a sample after it was judged. */
export type SampleFact = {
  readonly id: string;
  readonly truth: boolean | null;
  readonly found: boolean | null;
  readonly outcome: string | null;
  readonly score: number | null;
  /** Why it could not be judged; null when it was. */
  readonly why: string | null;
  readonly stage: string;
  readonly language: string | null;
  readonly labels: readonly string[];
  readonly tags: readonly string[];
  readonly group: string | null;
  readonly foundLabels: readonly string[];
  readonly rules: readonly string[];
  readonly detectors: readonly string[];
  readonly mustMatch: readonly string[];
  readonly mustNotMatch: readonly string[];
  readonly expectedSpans: readonly FoundSpan[];
  readonly spans: readonly FoundSpan[];
  readonly isUnjudged: boolean;
  readonly hasKeyword: boolean;
  readonly latencyUs: number | null;
};

/** The samples of a benchmark. */
export interface MeasureQuestion {
  /** Each a SampleFact as JSON, in the order of their ids. */
  readonly facts: readonly string[];
  readonly seed: number;
  readonly sweep: boolean;
  readonly labelMap: Readonly<Record<string, string>>;
}

/** A proportion with its bounds, and with wider ones where samples come in groups. */
export type MetricInterval = {
  readonly estimate: number;
  readonly lower: number;
  readonly upper: number;
  readonly grouped: { readonly lower: number; readonly upper: number; readonly nEffective: number | null } | null;
};

/** What was found of spans. */
export type SpanMetric = Hits & {
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
};

/** The metrics of some samples. */
export type SampleMetrics = {
  readonly samples: number;
  readonly positives: number;
  readonly negatives: number;
  readonly tp: number;
  readonly fp: number;
  readonly tn: number;
  readonly fn: number;
  readonly missing: number;
  readonly unjudged: number;
  readonly unscored: number;
  readonly precision: MetricInterval | null;
  readonly recall: MetricInterval | null;
  readonly falsePositiveRate: MetricInterval | null;
  readonly f1: MetricInterval | null;
  readonly spanExact: SpanMetric | null;
  readonly spanHalf: SpanMetric | null;
  readonly rocArea: number | null;
  readonly prArea: number | null;
  readonly recallAtHalfPercent: number | null;
  readonly recallAtOnePercent: number | null;
};

/** What samples are sliced by. */
export const sliceKinds = ["label", "stage", "language", "tag", "detector", "rule"] as const;
/** What samples are sliced by. */
export type SliceKind = (typeof sliceKinds)[number];

/** The metrics of one slice. */
export type SliceMetrics = { readonly by: SliceKind; readonly value: string; readonly metrics: SampleMetrics };

/** What a threshold on the score would find. */
export type SweepPoint = {
  readonly threshold: number;
  readonly tp: number;
  readonly fp: number;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly falsePositiveRate: number | null;
};

/** What a filter that looks at little or nothing would do. */
export type Floor = { readonly name: "allow_all" | "block_all" | "keywords" } & Readonly<
  Record<"tp" | "fp" | "tn" | "fn", number>
> &
  Readonly<Record<"precision" | "recall" | "falsePositiveRate" | "f1", number | null>>;

/** The report of a benchmark. */
export type Measured = {
  readonly overall: SampleMetrics;
  readonly slices: readonly SliceMetrics[];
  readonly slicesOmitted: number;
  readonly sweep: readonly SweepPoint[];
  readonly floors: readonly Floor[];
  readonly latencyUs: Readonly<Record<"p50" | "p90" | "p95" | "p99", number>> | null;
  /** SHA-256 over what came of each sample, without times. */
  readonly resultDigest: string;
};

/** Slices of one kind: those with the most samples. */
const maxSlices = 100;

/** Measures. */
export function measureSamples({ facts: lines, ...options }: MeasureQuestion, tools: Tools): Measured {
  tools.enter("measuring the samples");
  const facts = lines.map((line) => JSON.parse(line) as SampleFact); // written by the run
  const overall = metricsOf(facts, { ...options, isRanked: true });
  const slices = sliceKinds.map((by) => slicesOf(by, facts, options));
  return {
    overall,
    slices: slices.flatMap(({ kept }) => kept),
    slicesOmitted: slices.reduce((sum, { omitted }) => sum + omitted, 0),
    sweep: options.sweep ? sweepOf(facts) : [],
    floors: [floorOf("allow_all", facts), floorOf("block_all", facts), floorOf("keywords", facts)],
    latencyUs: latencyOf(facts),
    resultDigest: digestOf(facts),
  };
}

interface MetricOptions {
  readonly seed: number;
  readonly labelMap: Readonly<Record<string, string>>;
  readonly isRanked: boolean;
}

function metricsOf(facts: readonly SampleFact[], { seed, labelMap, isRanked }: MetricOptions): SampleMetrics {
  const scored = facts.filter(({ truth }) => truth !== null);
  const verdicts = scored.map(countedVerdict);
  const count = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length;
  const [tp, fp, tn, fn] = [count("tp"), count("fp"), count("tn"), count("fn")];
  const hits = scored.map((fact, at) => ({ fact, verdict: verdicts[at] ?? "unscored" }));
  const hasGroups = scored.some(({ group }) => group !== null);
  const share = (successes: readonly Verdict[], among: readonly Verdict[]) =>
    shareOf(
      hits.filter(({ verdict }) => among.includes(verdict)),
      (verdict) => successes.includes(verdict),
      hasGroups,
    );
  const ranking = isRanked ? rankingOf(scored) : null;
  return {
    ...{ samples: facts.length, positives: tp + fn, negatives: fp + tn, tp, fp, tn, fn },
    missing: scored.filter(({ found }) => found === null).length,
    unjudged: facts.filter(({ isUnjudged }) => isUnjudged).length,
    unscored: facts.length - scored.length,
    precision: share(["tp"], ["tp", "fp"]),
    recall: share(["tp"], ["tp", "fn"]),
    falsePositiveRate: share(["fp"], ["fp", "tn"]),
    f1: f1Metric(hits, { seed, hasGroups }),
    spanExact: spanMetric(facts, "exact", labelMap),
    spanHalf: spanMetric(facts, "half", labelMap),
    rocArea: ranking?.rocArea ?? null,
    prArea: ranking?.prArea ?? null,
    recallAtHalfPercent: ranking && recallAt(ranking, 0.005),
    recallAtOnePercent: ranking && recallAt(ranking, 0.01),
  };
}

/** What is missing counts as wrong: never as passed, whatever would have been right. */
function countedVerdict({ truth, found }: SampleFact): Verdict {
  return verdictOf(truth, found ?? (truth === null ? null : !truth));
}

interface Judged {
  readonly fact: SampleFact;
  readonly verdict: Verdict;
}

/** Samples without a group are groups of their own. */
function groupsOf<T extends { readonly fact: SampleFact }>(judged: readonly T[]): readonly (readonly T[])[] {
  return [...Map.groupBy(judged, ({ fact }) => (fact.group === null ? `#${fact.id}` : `g${fact.group}`)).values()];
}

function shareOf(
  judged: readonly Judged[],
  isSuccess: (verdict: Verdict) => boolean,
  hasGroups: boolean,
): MetricInterval | null {
  const n = judged.length;
  if (n === 0) return null;
  const successes = judged.filter(({ verdict }) => isSuccess(verdict)).length;
  const plain = wilson(successes, n);
  if (!hasGroups) return { ...bounds(plain), grouped: null };
  const groups = groupsOf(judged).map((members) => ({
    n: members.length,
    successes: members.filter(({ verdict }) => isSuccess(verdict)).length,
  }));
  const { lower, upper, nEffective } = clusteredShare(groups);
  return { ...bounds(plain), grouped: { lower, upper, nEffective } };
}

function bounds({ estimate, lower, upper }: Interval) {
  return { estimate, lower, upper };
}

function f1Metric(
  judged: readonly Judged[],
  { seed, hasGroups }: { readonly seed: number; readonly hasGroups: boolean },
): MetricInterval | null {
  const hitsOf = (members: readonly Judged[]): Hits => {
    const count = (wanted: Verdict) => members.filter(({ verdict }) => verdict === wanted).length;
    return { tp: count("tp"), fp: count("fp"), fn: count("fn") };
  };
  const plain = bootstrapF1(
    judged.map((each) => hitsOf([each])),
    seed,
  );
  if (Number.isNaN(plain.estimate)) return null;
  if (!hasGroups) return { ...plain, grouped: null };
  const { lower, upper } = bootstrapF1(groupsOf(judged).map(hitsOf), seed);
  return { ...plain, grouped: { lower, upper, nEffective: null } };
}

/** Spans are compared where a sample says which are right. */
function spanMetric(
  facts: readonly SampleFact[],
  nearness: Nearness,
  labelMap: Readonly<Record<string, string>>,
): SpanMetric | null {
  const stated = facts.filter(({ expectedSpans }) => expectedSpans.length > 0);
  if (stated.length === 0) return null;
  const sum = { tp: 0, fp: 0, fn: 0 };
  for (const { expectedSpans, spans } of stated) {
    const { tp, fp, fn } = matchSpans(expectedSpans, spans, { nearness, labelMap });
    sum.tp += tp;
    sum.fp += fp;
    sum.fn += fn;
  }
  return { ...sum, precision: ratio(sum.tp, sum.tp + sum.fp), recall: ratio(sum.tp, sum.tp + sum.fn), f1: f1Of(sum) };
}

/** Null unless every sample that was judged has a score. What is missing is ranked where it is wrong. */
function rankingOf(scored: readonly SampleFact[]): Ranking | null {
  if (scored.some(({ found, score }) => found !== null && score === null)) return null;
  return rank(
    scored.map(({ truth, found, score }) => ({
      isPositive: truth === true,
      score: found === null ? missingScore(truth === true) : (score ?? 0),
    })),
  );
}

function missingScore(isPositive: boolean): number {
  return isPositive ? -1 : 2;
}

function sweepOf(facts: readonly SampleFact[]): SweepPoint[] {
  const ranking = rankingOf(facts.filter(({ truth }) => truth !== null));
  if (ranking === null) return [];
  const { points, positives, negatives } = ranking;
  return Array.from({ length: 201 }, (_, at) => {
    const threshold = at / 200;
    const { tp, fp } = points.findLast((point) => point.threshold >= threshold) ?? { tp: 0, fp: 0 };
    return {
      ...{ threshold, tp, fp, precision: ratio(tp, tp + fp) },
      ...{ recall: ratio(tp, positives), falsePositiveRate: ratio(fp, negatives) },
    };
  });
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function slicesOf(by: SliceKind, facts: readonly SampleFact[], options: Omit<MetricOptions, "isRanked">) {
  const counts = new Map<string, number>();
  for (const fact of facts) for (const value of valuesOf(by, fact)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([value]) => value);
  const kept = values.slice(0, maxSlices).map((value): SliceMetrics => {
    const isRanked = by !== "detector" && by !== "rule";
    return { by, value, metrics: metricsOf(sliced(by, value, facts), { ...options, isRanked }) };
  });
  return { kept, omitted: values.length - kept.length };
}

function valuesOf(by: SliceKind, fact: SampleFact): readonly string[] {
  if (by === "label") return fact.labels;
  if (by === "stage") return [fact.stage];
  if (by === "language") return fact.language === null ? [] : [fact.language];
  if (by === "tag") return fact.tags;
  return by === "detector" ? fact.detectors : fact.rules;
}

/** A detector or a rule is measured over all samples, as if it decided alone; the others narrow the samples. */
function sliced(by: SliceKind, value: string, facts: readonly SampleFact[]): readonly SampleFact[] {
  if (by !== "detector" && by !== "rule") return facts.filter((fact) => valuesOf(by, fact).includes(value));
  return facts.map((fact) => ({
    ...fact,
    truth: by === "rule" ? ruleTruth(fact, value) : fact.truth,
    found: fact.why === null ? valuesOf(by, fact).includes(value) : null,
  }));
}

function ruleTruth({ mustMatch, mustNotMatch, truth }: SampleFact, rule: string): boolean | null {
  const isNamed = (name: string) => rule === name || rule.endsWith(`/${name}`);
  if (mustMatch.some(isNamed)) return true;
  return mustNotMatch.some(isNamed) ? false : truth;
}

function floorOf(name: Floor["name"], facts: readonly SampleFact[]): Floor {
  const sum = { tp: 0, fp: 0, tn: 0, fn: 0, missing: 0, unscored: 0 };
  for (const { truth, hasKeyword } of facts)
    sum[verdictOf(truth, name === "block_all" || (name === "keywords" && hasKeyword))] += 1;
  const { tp, fp, tn, fn } = sum;
  const f1 = f1Of(sum);
  return {
    ...{ name, tp, fp, tn, fn, precision: ratio(tp, tp + fp), recall: ratio(tp, tp + fn) },
    ...{ falsePositiveRate: ratio(fp, fp + tn), f1: Number.isNaN(f1) ? null : f1 },
  };
}

function latencyOf(facts: readonly SampleFact[]): Measured["latencyUs"] {
  const histogram = new LatencyHistogram();
  for (const { latencyUs } of facts) if (latencyUs !== null) histogram.add(latencyUs);
  if (histogram.isEmpty) return null;
  const at = (share: number) => histogram.quantile(share) ?? 0;
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) };
}

function digestOf(facts: readonly SampleFact[]): string {
  const hash = createHash("sha256");
  for (const { latencyUs: _, hasKeyword: __, ...result } of facts) {
    const score = result.score === null ? null : Math.round(result.score * 1e6) / 1e6;
    hash.update(canonicalText(JSON.parse(JSON.stringify({ ...result, score })))).update("\n");
  }
  return hash.digest("hex");
}

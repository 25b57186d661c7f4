// The metrics of a benchmark, made from what is known of each sample.

import { clusteredShare } from "../../../kit/statistics/cluster.ts";
import { clusteredF1, f1Interval, f1Of, type Hits } from "../../../kit/statistics/f1.ts";
import { wilson } from "../../../kit/statistics/proportion.ts";
import { type Ranking, rankSorted, recallAt } from "../../../kit/statistics/ranking.ts";
import type { Tools } from "../tools.ts";
import { type Slice, type SliceKind, sliceKinds } from "./sample-fact.ts";
import { code, codeOf, no, readSamples, type SampleTable, unknown, yes } from "./sample-table.ts";

/** The samples of a benchmark. */
export interface MeasureQuestion {
  /** Each a SampleFact as JSON, in the order of their ids. */
  readonly facts: readonly string[];
  readonly sweep: boolean;
  readonly labelMap: Readonly<Record<string, string>>;
  /** Slices that are measured however small they are, also without any sample or match. */
  readonly slices?: readonly Slice[];
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
  /** Groups with samples of either kind, where samples come in groups. */
  readonly groups: { readonly positives: number; readonly negatives: number } | null;
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

/** The metrics of one slice. */
export type SliceMetrics = Slice & { readonly metrics: SampleMetrics };

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
  /** How a map of labels fits the samples; null without one. Absent in benchmarks of an earlier release. */
  readonly labelFit?: LabelFit | null;
};

/** How a map of labels fits the samples. */
export type LabelFit = {
  /** Labels of samples to be found of which the map names none, with the number of those samples. */
  readonly unmapped: readonly { readonly label: string; readonly samples: number }[];
  /** Labels of the map that no sample and no span has. */
  readonly unused: readonly string[];
};

/** Slices of one kind: those with the most samples, besides those that are asked for. */
const maxSlices = 100;

/** Measures. */
export function measureSamples(
  { facts, sweep, labelMap, slices: asked = [] }: MeasureQuestion,
  tools: Tools,
): Measured {
  tools.enter("measuring the samples");
  const table = readSamples(facts, { labelMap });
  const meter = new Meter(table);
  const { metrics: overall, ranking } = meter.overall();
  const slices = sliceKinds.map((by) => {
    const wanted = asked.filter((each) => each.by === by).map(({ value }) => value);
    return slicesOf(by, table, { wanted, metricsOf: (value, places) => meter.slice(by, value, places, overall) });
  });
  return {
    overall,
    slices: slices.flatMap(({ kept }) => kept),
    slicesOmitted: slices.reduce((sum, { omitted }) => sum + omitted, 0),
    sweep: sweep && ranking !== null ? sweepOf(ranking) : [],
    floors: [floorOf("allow_all", table), floorOf("block_all", table), floorOf("keywords", table)],
    latencyUs: latencyOf(table),
    resultDigest: table.digest,
    labelFit: fitOf(Object.keys(labelMap), table),
  };
}

/** Some samples, and how each sample of the table counts for them. */
interface View {
  readonly members: ArrayLike<number>;
  readonly codes: Uint8Array;
}

/** What is counted of the samples of a view. */
interface Counts {
  readonly scored: number;
  readonly missing: number;
  readonly unjudged: number;
  readonly total: Confusion;
  /** The same of groups, where samples come in groups: how many groups are alike. */
  readonly groups: readonly (Confusion & { readonly count: number })[] | null;
}

type Confusion = Hits & { readonly tn: number };

/** Counts samples. Columns for counts are made once. */
class Meter {
  readonly #table: SampleTable;
  readonly #all: Int32Array;
  readonly #codes: Uint8Array;
  /** Four numbers for each group. */
  readonly #byGroup: Int32Array;
  readonly #isMember: Uint8Array;
  /** Scored samples, the highest score first. */
  readonly #order: Int32Array;

  constructor(table: SampleTable) {
    this.#table = table;
    const { size, truth, found } = table;
    this.#all = Int32Array.from({ length: size }, (_, at) => at);
    this.#codes = Uint8Array.from({ length: size }, (_, at) => codeOf(truth[at] ?? unknown, found[at] ?? unknown));
    this.#byGroup = new Int32Array(4 * table.groups);
    this.#isMember = new Uint8Array(size);
    const scores = Float64Array.from({ length: size }, (_, at) => rankedScore(table, at));
    this.#order = this.#all
      .filter((at) => truth[at] !== unknown)
      .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  }

  overall(): { readonly metrics: SampleMetrics; readonly ranking: Ranking | null } {
    const view = { members: this.#all, codes: this.#codes };
    const ranking = this.#ranking(view);
    return { metrics: { ...this.#metrics(view), ...this.#spans(view), ...rankedMetrics(ranking) }, ranking };
  }

  /** A detector or a rule is measured over all samples, as if it decided alone; the others narrow the samples. */
  slice(
    by: SliceKind,
    value: string,
    places: readonly number[],
    { spanExact, spanHalf }: SampleMetrics,
  ): SampleMetrics {
    if (by === "detector" || by === "rule") {
      const truth = by === "rule" ? this.#truthOfRule(value) : this.#table.truth;
      const view = { members: this.#all, codes: this.#codesOf(truth, places) };
      return { ...this.#metrics(view, truth), spanExact, spanHalf, ...rankedMetrics(null) };
    }
    const view = { members: places, codes: this.#codes };
    return { ...this.#metrics(view), ...this.#spans(view), ...rankedMetrics(this.#ranking(view)) };
  }

  #truthOfRule(rule: string): Uint8Array {
    const { truth, mustMatch, mustNotMatch } = this.#table;
    const own = truth.slice();
    for (const name of namesOf(rule)) for (const at of mustNotMatch.get(name) ?? []) own[at] = no;
    for (const name of namesOf(rule)) for (const at of mustMatch.get(name) ?? []) own[at] = yes;
    return own;
  }

  #codesOf(truth: Uint8Array, places: readonly number[]): Uint8Array {
    const { isJudged } = this.#table;
    const codes = Uint8Array.from(truth, (each, at) => codeOf(each, isJudged[at] === 1 ? no : unknown));
    for (const at of places) if (isJudged[at] === 1) codes[at] = codeOf(truth[at] ?? unknown, yes);
    return codes;
  }

  #metrics(view: View, truth = this.#table.truth): Omit<SampleMetrics, keyof RankedMetrics | keyof SpanMetrics> {
    const counts = this.#count(view, truth);
    const { total, groups, missing, unjudged, scored } = counts;
    const { tp, fp, tn, fn } = total;
    const share = (successes: "tp" | "fp", others: "fp" | "fn" | "tn") => shareOf(successes, others, counts);
    return {
      ...{ samples: view.members.length, positives: tp + fn, negatives: fp + tn, tp, fp, tn, fn, missing, unjudged },
      ...{ unscored: view.members.length - scored, groups: groups && countGroups(groups) },
      precision: share("tp", "fp"),
      recall: share("tp", "fn"),
      falsePositiveRate: share("fp", "tn"),
      f1: f1Metric(total, groups),
    };
  }

  #count({ members, codes }: View, truth: Uint8Array): Counts {
    const { found, isJudged, isUnjudged, isGrouped, group } = this.#table;
    const isOwn = codes === this.#codes;
    const sums = new Int32Array(5);
    const byGroup = this.#byGroup.fill(0);
    let [missing, unjudged, grouped] = [0, 0, 0];
    for (let each = 0; each < members.length; each++) {
      const at = members[each] ?? 0;
      const verdict = codes[at] ?? code.unscored;
      sums[verdict] = (sums[verdict] ?? 0) + 1;
      unjudged += isUnjudged[at] ?? 0;
      if (truth[at] === unknown) continue;
      if (isOwn ? found[at] === unknown : isJudged[at] === 0) missing += 1;
      grouped += isGrouped[at] ?? 0;
      const cell = 4 * (group[at] ?? 0) + verdict;
      byGroup[cell] = (byGroup[cell] ?? 0) + 1;
    }
    const [tp = 0, fp = 0, tn = 0, fn = 0, unscored = 0] = sums;
    const groups = grouped === 0 ? null : alikeGroups(byGroup);
    return { scored: members.length - unscored, missing, unjudged, total: { tp, fp, tn, fn }, groups };
  }

  /** Spans are compared where a sample says which are right. */
  #spans({ members }: View): SpanMetrics {
    const { spans } = this.#table;
    const sums = { exact: { tp: 0, fp: 0, fn: 0 }, half: { tp: 0, fp: 0, fn: 0 } };
    let stated = 0;
    for (let each = 0; each < members.length; each++) {
      const hits = spans.get(members[each] ?? 0);
      if (hits === undefined) continue;
      stated += 1;
      for (const nearness of ["exact", "half"] as const) {
        for (const what of ["tp", "fp", "fn"] as const) sums[nearness][what] += hits[nearness][what];
      }
    }
    if (stated === 0) return { spanExact: null, spanHalf: null };
    return { spanExact: spanMetric(sums.exact), spanHalf: spanMetric(sums.half) };
  }

  /** Null unless every sample that was judged has a score. */
  #ranking({ members }: View): Ranking | null {
    const { truth, found, score } = this.#table;
    const isMember = this.#isMember.fill(0);
    for (let each = 0; each < members.length; each++) isMember[members[each] ?? 0] = 1;
    const chosen = this.#order.filter((at) => isMember[at] === 1);
    if (chosen.some((at) => found[at] !== unknown && Number.isNaN(score[at]))) return null;
    return rankSorted(
      Array.from(chosen, (at) => ({ isPositive: truth[at] === yes, score: rankedScore(this.#table, at) })),
    );
  }
}

/** The score by which a sample is ranked. What is missing is ranked where it is wrong. */
function rankedScore({ truth, found, score }: SampleTable, at: number): number {
  if (found[at] === unknown) return truth[at] === yes ? -1 : 2;
  return score[at] || 0;
}

/** The names by which samples may call the rule "policy/rule": all of it, or what follows a slash. */
function namesOf(rule: string): string[] {
  const parts = rule.split("/");
  return parts.map((_, from) => parts.slice(from).join("/"));
}

/** How many groups have which counts. */
function alikeGroups(byGroup: Int32Array): (Confusion & { readonly count: number })[] {
  const alike = new Map<string, Confusion & { count: number }>();
  for (let cell = 0; cell < byGroup.length; cell += 4) {
    const tp = byGroup[cell] ?? 0;
    const fp = byGroup[cell + 1] ?? 0;
    const tn = byGroup[cell + 2] ?? 0;
    const fn = byGroup[cell + 3] ?? 0;
    const size = tp + fp + tn + fn;
    if (size === 0) continue;
    // Most are of one sample: no text is made for those.
    const key = size === 1 ? (singles[tp + 2 * fp + 3 * tn] ?? "") : `${tp}/${fp}/${tn}/${fn}`;
    const kind = alike.get(key);
    if (kind === undefined) alike.set(key, { tp, fp, tn, fn, count: 1 });
    else kind.count += 1;
  }
  return [...alike.values()];
}

const singles = ["0/0/0/1", "1/0/0/0", "0/1/0/0", "0/0/1/0"];

/** As many independent samples as there are where members of a group are right or wrong together. */
function countGroups(groups: NonNullable<Counts["groups"]>) {
  const worth = (sizeOf: (group: Confusion) => number) => {
    const sumOf = (power: number) => groups.reduce((sum, group) => sum + group.count * sizeOf(group) ** power, 0);
    return sumOf(1) === 0 ? 0 : sumOf(1) ** 2 / sumOf(2);
  };
  return { positives: worth(({ tp, fn }) => tp + fn), negatives: worth(({ fp, tn }) => fp + tn) };
}

function shareOf(
  successes: "tp" | "fp",
  others: "fp" | "fn" | "tn",
  { total, groups }: Pick<Counts, "total" | "groups">,
): MetricInterval | null {
  const n = total[successes] + total[others];
  if (n === 0) return null;
  const { estimate, lower, upper } = wilson(total[successes], n);
  if (groups === null) return { estimate, lower, upper, grouped: null };
  const shares = groups.map(({ count, ...of }) => ({ n: of[successes] + of[others], successes: of[successes], count }));
  const { lower: least, upper: most, nEffective } = clusteredShare(shares);
  return { estimate, lower, upper, grouped: { lower: least, upper: most, nEffective } };
}

function f1Metric(total: Hits, groups: Counts["groups"]): MetricInterval | null {
  const plain = f1Interval(total);
  if (Number.isNaN(plain.estimate)) return null;
  if (groups === null) return { ...plain, grouped: null };
  const { lower, upper, nEffective } = clusteredF1(groups);
  return { ...plain, grouped: { lower, upper, nEffective } };
}

type SpanMetrics = Pick<SampleMetrics, "spanExact" | "spanHalf">;

function spanMetric(sum: Hits): SpanMetric {
  return { ...sum, precision: ratio(sum.tp, sum.tp + sum.fp), recall: ratio(sum.tp, sum.tp + sum.fn), f1: f1Of(sum) };
}

type RankedMetrics = Pick<SampleMetrics, "rocArea" | "prArea" | "recallAtHalfPercent" | "recallAtOnePercent">;

function rankedMetrics(ranking: Ranking | null): RankedMetrics {
  return {
    rocArea: ranking?.rocArea ?? null,
    prArea: ranking?.prArea ?? null,
    recallAtHalfPercent: ranking && recallAt(ranking, 0.005),
    recallAtOnePercent: ranking && recallAt(ranking, 0.01),
  };
}

function sweepOf({ points, positives, negatives }: Ranking): SweepPoint[] {
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

function slicesOf(
  by: SliceKind,
  { places }: SampleTable,
  {
    wanted,
    metricsOf,
  }: {
    readonly wanted: readonly string[];
    readonly metricsOf: (value: string, places: readonly number[]) => SampleMetrics;
  },
) {
  const values = [...places[by]].sort(([a, { length: n }], [b, { length: m }]) => m - n || (a < b ? -1 : 1));
  const largest = values.slice(0, maxSlices).map(([value]) => value);
  const shown = new Set([...largest, ...wanted]);
  const kept = [...shown].map((value): SliceMetrics => {
    return { by, value, metrics: metricsOf(value, places[by].get(value) ?? []) };
  });
  return { kept, omitted: values.filter(([value]) => !shown.has(value)).length };
}

function floorOf(name: Floor["name"], { size, truth, hasKeyword }: SampleTable): Floor {
  const sums = [0, 0, 0, 0, 0];
  for (let at = 0; at < size; at++) {
    const isFound = name === "block_all" || (name === "keywords" && hasKeyword[at] === 1);
    const verdict = codeOf(truth[at] ?? unknown, isFound ? yes : no);
    sums[verdict] = (sums[verdict] ?? 0) + 1;
  }
  const [tp = 0, fp = 0, tn = 0, fn = 0] = sums;
  const f1 = f1Of({ tp, fp, fn });
  return {
    ...{ name, tp, fp, tn, fn, precision: ratio(tp, tp + fp), recall: ratio(tp, tp + fn) },
    ...{ falsePositiveRate: ratio(fp, fp + tn), f1: Number.isNaN(f1) ? null : f1 },
  };
}

/** What a map of labels leaves out is told: nothing that is found of it counts, unless it is of a category of the map. */
function fitOf(
  mapped: readonly string[],
  { size, truth, places: { label }, spanLabels }: SampleTable,
): LabelFit | null {
  if (mapped.length === 0) return null;
  const isMapped = new Uint8Array(size);
  for (const name of mapped) for (const at of label.get(name) ?? []) isMapped[at] = 1;
  const unmapped = [...label].map(([name, places]) => {
    return { label: name, samples: places.filter((at) => truth[at] === yes && isMapped[at] === 0).length };
  });
  return {
    unmapped: unmapped
      .filter(({ samples }) => samples > 0)
      .sort((a, b) => b.samples - a.samples || (a.label < b.label ? -1 : 1))
      .slice(0, maxSlices),
    unused: mapped.filter((name) => !label.has(name) && !spanLabels.has(name)),
  };
}

function latencyOf({ latencies }: SampleTable): Measured["latencyUs"] {
  if (latencies.isEmpty) return null;
  const at = (share: number) => latencies.quantile(share) ?? 0;
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) };
}

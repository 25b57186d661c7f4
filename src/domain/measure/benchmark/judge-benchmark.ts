// How a benchmark stands before a gate.

import type { JsonObject } from "@bufbuild/protobuf";
import { jaccardOf } from "../../../kit/statistics/f1.ts";
import { normalQuantile } from "../../../kit/statistics/normal.ts";
import { type PairedCounts, tangoLower } from "../../../kit/statistics/paired.ts";
import { z95 } from "../../../kit/statistics/proportion.ts";
import type { ComparedBaseline } from "../../analysis/benchmark/compare-samples.ts";
import type { LabelFit, SampleMetrics } from "../../analysis/benchmark/measure-samples.ts";
import type { Slice } from "../../analysis/benchmark/sample-fact.ts";
import type { BaselineRequirement, BenchmarkRequirement, MetricRequirement } from "../../bundle/gate/definition.ts";
import type { GateFinding } from "../../bundle/gate/verdict.ts";
import type { BenchmarkProgress, BenchmarkSpec } from "./benchmark-spec.ts";

/** A requirement that was held against a benchmark. */
interface Held {
  readonly isMet: boolean;
  readonly said: string;
  /** Samples without which nobody could meet it; null when there are enough. */
  readonly neededN: number | null;
  readonly details: JsonObject;
}

/** How the benchmark stands. */
export function judgeBenchmark(
  { require, baseline }: BenchmarkRequirement,
  { spec, progress }: { readonly spec: BenchmarkSpec; readonly progress: BenchmarkProgress },
): GateFinding {
  if (progress.measured === null) throw new Error("a benchmark that has ended has measured");
  const { overall, labelFit = null } = progress.measured;
  const limits = require.map((requirement) => holdLimit(requirement, { progress, version: spec.version }));
  const compared = baseline === null ? [] : [holdBaseline(baseline, progress.baseline ?? null)];
  const held = [...limits, ...compared];
  const unmet = held.filter(({ isMet }) => !isMet);
  const needed = unmet.flatMap(({ neededN }) => neededN ?? []);
  const details: JsonObject = {
    ...{ dataset_id: spec.datasetId, dataset_version: spec.version, samples: overall.samples },
    requirements: limits.map(({ details: each }) => each),
    baseline: compared[0] === undefined ? null : { run_id: spec.baselineRunId ?? null, ...compared[0].details },
    needed_n: needed.length === 0 ? null : Math.max(...needed),
    unmapped_labels: labelFit === null ? [] : labelFit.unmapped.map(({ label }) => label),
    unused_labels: labelFit === null ? [] : [...labelFit.unused],
  };
  const said = (unmet.length > 0 ? unmet : held).map((each) => each.said);
  return { state: unmet.length > 0 ? "failed" : "passed", reason: [...said, ...saidFit(labelFit)].join("; "), details };
}

function saidFit(fit: LabelFit | null): string[] {
  const quoted = (labels: readonly string[]) =>
    `${labels
      .slice(0, 5)
      .map((label) => `"${label}"`)
      .join(", ")}${labels.length > 5 ? " and others" : ""}`;
  const { unmapped = [], unused = [] } = fit ?? {};
  return [
    ...(unmapped.length === 0 ? [] : [`label_map has no entry for ${quoted(unmapped.map(({ label }) => label))}`]),
    ...(unused.length === 0 ? [] : [`no sample has the label ${quoted(unused)} of label_map`]),
  ];
}

interface HeldAgainst {
  readonly progress: BenchmarkProgress;
  /** Of the dataset. */
  readonly version: number;
}

function holdLimit(requirement: MetricRequirement, against: HeldAgainst): Held {
  const { metric, slice, side, limit, bound } = requirement;
  const metrics = metricsOf(requirement, against.progress);
  const value = metrics === undefined ? null : heldValue(metrics, metric, bound);
  const isMet = value !== null && (side === "at_least" ? value >= limit : value <= limit);
  const wanted = `${side === "at_least" ? "at least" : "at most"} ${limit}`;
  const where = slice === null ? "" : ` of ${slice.by} ${slice.value}`;
  const what = `${bound === "estimate" ? "" : `the ${bound} bound of `}${spelled(metric)}${where}`;
  const neededN = metrics === undefined || isMet ? null : neededFor(requirement, metrics);
  const lacks = neededN === null || metrics === undefined ? "" : saidLack(neededN, metrics);
  const is = value === null ? `is not known: ${whyUnknown(requirement, metrics, against)}` : `is ${rounded(value)}`;
  return {
    ...{ isMet, neededN },
    said: isMet ? `${what} ${is}` : `${what} ${is}, and has to be ${wanted}${lacks}`,
    details: {
      ...{ metric: spelled(metric), slice: slice === null ? null : { by: slice.by, value: slice.value } },
      ...{ bound, [side]: limit, value: value === null ? null : rounded(value), met: isMet, needed_n: neededN },
    },
  };
}

/** The metrics that a requirement is about; undefined for a rule or a detector that the version does not have. */
function metricsOf(
  { slice }: MetricRequirement,
  { measured, unknownSlices = [] }: BenchmarkProgress,
): SampleMetrics | undefined {
  if (slice === null) return measured?.overall;
  const isThis = ({ by, value }: Slice) => by === slice.by && value === slice.value;
  return unknownSlices.some(isThis) ? undefined : measured?.slices.find(isThis)?.metrics;
}

function whyUnknown(
  { metric, slice }: MetricRequirement,
  metrics: SampleMetrics | undefined,
  { version }: HeldAgainst,
): string {
  const by = slice?.by;
  if (metrics === undefined && by === "rule") return 'the version has no such rule; rules are named "policy/rule"';
  if (metrics === undefined && by === "detector") return "no rule of the version has such a detector";
  if (by !== undefined && (metrics?.samples ?? 0) === 0)
    return `no sample of version ${version} of the dataset has this ${by}`;
  const isSilent = metric === "precision" && metrics !== undefined && metrics.tp + metrics.fp === 0;
  return isSilent ? `nothing was found in ${metrics.samples} samples` : "no sample says";
}

function saidLack(neededN: number, { groups }: SampleMetrics): string {
  return groups == null
    ? `: nobody could pass with so few samples, ${neededN} are needed`
    : `: even without a mistake ${neededN} groups of samples of the same size are needed`;
}

function heldValue(
  metrics: SampleMetrics,
  metric: MetricRequirement["metric"],
  bound: MetricRequirement["bound"],
): number | null {
  switch (metric) {
    case "spanF1":
      return metrics.spanExact?.f1 ?? null;
    case "rocArea":
      return metrics.rocArea;
    case "prArea":
      return metrics.prArea;
    case "missing": {
      const scored = metrics.positives + metrics.negatives;
      return scored === 0 ? null : metrics.missing / scored;
    }
    default: {
      const interval = metrics[metric];
      if (interval === null) return null;
      const { grouped } = interval;
      if (bound === "lower") return Math.min(interval.lower, grouped?.lower ?? 1);
      return bound === "upper" ? Math.max(interval.upper, grouped?.upper ?? 0) : interval.estimate;
    }
  }
}

/**
 * Samples at which Wilson's bound reaches the limit without a single mistake; null when there are as many. A group
 * counts as one sample, and less where groups are of unequal size.
 */
function neededFor(
  requirement: MetricRequirement,
  { positives, negatives, groups }: Pick<SampleMetrics, "positives" | "negatives" | "groups">,
): number | null {
  const kind = requirement.metric === "falsePositiveRate" ? "negatives" : "positives";
  const there = (groups ?? { positives, negatives })[kind];
  const needed = leastSamples(requirement);
  return needed > there ? needed : null;
}

/** The samples without which nobody could meet a requirement; 0 where their number alone says nothing. */
export function leastSamples({ metric, side, limit, bound }: MetricRequirement): number {
  const isShare = metric === "recall" || metric === "precision" || metric === "falsePositiveRate" || metric === "f1";
  const z2 = z95 * z95;
  const share = metric === "f1" ? jaccardOf(limit) : limit;
  if (isShare && bound === "lower" && side === "at_least") return Math.ceil((share * z2) / (1 - share));
  if (isShare && bound === "upper" && side === "at_most") return Math.ceil((z2 * (1 - share)) / share);
  return 0;
}

function holdBaseline({ test, alpha, margin }: BaselineRequirement, compared: ComparedBaseline | null): Held {
  if (compared === null || compared.common === 0) {
    const said = "the results of the approved baseline are gone: approve a newer benchmark";
    return { isMet: false, said, neededN: null, details: { test, met: false, common: compared?.common ?? 0 } };
  }
  const { overall, groupP, common, designEffect } = compared;
  const p = Math.max(overall.p, groupP);
  const counts = scaled(overall, 1 / designEffect);
  const lower = tangoLower(counts, normalQuantile(1 - alpha));
  const estimate = (overall.onlyRight - overall.onlyWrong) / common;
  const details = {
    ...{ test, alpha, margin, common, only_right: overall.onlyRight, only_wrong: overall.onlyWrong },
    ...{ estimate: rounded(estimate), lower: rounded(lower), p: rounded(p) },
  };
  const worse = `newly right ${overall.onlyRight}, newly wrong ${overall.onlyWrong} of ${common}`;
  if (test === "no_regression" || margin === null) {
    const isMet = !(estimate < 0 && p < alpha);
    const said = isMet
      ? `not significantly worse than the baseline (${worse})`
      : `significantly worse than the baseline (${worse}; p ${rounded(p)})`;
    return { isMet, said, neededN: null, details: { ...details, met: isMet, needed_n: null } };
  }
  const isMet = lower > -margin;
  const neededN = isMet ? null : neededForMargin({ margin, alpha, designEffect, common });
  const lacks = neededN === null ? "" : `: even without any difference ${neededN} samples are needed`;
  const said = isMet
    ? `worse than the baseline by less than ${margin} (${worse})`
    : `not shown to be worse than the baseline by less than ${margin} (${worse}; the bound is ${rounded(-lower)})${lacks}`;
  return { isMet, said, neededN, details: { ...details, met: isMet, needed_n: neededN } };
}

function scaled(
  { bothRight, onlyRight, onlyWrong, bothWrong }: ComparedBaseline["overall"],
  factor: number,
): PairedCounts {
  return {
    ...{ both: bothRight * factor, onlySecond: onlyRight * factor },
    ...{ onlyFirst: onlyWrong * factor, neither: bothWrong * factor },
  };
}

interface Margin {
  readonly margin: number;
  readonly alpha: number;
  readonly designEffect: number;
  readonly common: number;
}

/** Samples at which a version without any difference would be shown to be no worse; null when there are as many. */
function neededForMargin({ margin, alpha, designEffect, common }: Margin): number | null {
  const z2 = normalQuantile(1 - alpha) ** 2;
  // Tango's bound without a difference is -z² / (n + z²), and has to be above the margin.
  const needed = Math.floor(((z2 * (1 - margin)) / margin) * designEffect) + 1;
  return needed > common ? needed : null;
}

function spelled(metric: string): string {
  return metric.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

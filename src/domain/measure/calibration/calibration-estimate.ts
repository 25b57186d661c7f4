// From scored and labelled requests to a threshold. Pure.

import { createHash } from "node:crypto";
import { laxestOnAverage, neededOnAverage, strictestOnAverage } from "../../../kit/statistics/conformal-risk.ts";
import {
  countFound,
  discoveryTarget,
  discoveryThresholds,
  type LabelledScore,
  laxestThreshold,
  neededObservations,
  type RiskTarget,
  type Scores,
  strictestThreshold,
  thresholdGrid,
} from "../../../kit/statistics/learn-then-test.ts";
import { wilson } from "../../../kit/statistics/proportion.ts";

/** What shall be promised: at least one of the bounds. */
export interface CalibrationPromise {
  readonly maxFalsePositiveRate?: number | undefined;
  readonly maxFalseDiscoveryRate?: number | undefined;
  readonly minRecall?: number | undefined;
  readonly confidence: number;
  /** Whether it holds with the probability `confidence`, which is the default, or on average over samples. */
  readonly guarantee?: "high_probability" | "expectation" | undefined;
  /** What it shall hold in each part of. Default: only over all. */
  readonly by?: "language" | "agent" | undefined;
}

/** What is known of one request. */
export interface CalibrationFact {
  readonly id: string;
  /** Requests of one conversation or template stand and fall together: at most one of a group counts. */
  readonly group: string | null;
  /** Whether the rule should find it; null when nobody said so. */
  readonly truth: boolean | null;
  readonly isDisputed: boolean;
  readonly score: number | "unjudged" | "not_applicable";
  /** With which probability it was drawn; 1 where everything counts. */
  readonly probability: number;
  /** Null where it is not known. */
  readonly language: string | null;
  /** As the application named it; null where it named none, and for samples. */
  readonly agent: string | null;
}

/** What each threshold would do. */
export interface CalibrationPoint {
  readonly threshold: number;
  readonly falsePositives: number;
  readonly falsePositiveRate: number | null;
  readonly falsePositiveRateUpper: number;
  readonly found: number;
  readonly recall: number | null;
  readonly recallLower: number;
  /** The share of innocent ones of what is found; null when nothing is. */
  readonly falseDiscoveryRate: number | null;
  readonly falseDiscoveryRateUpper: number;
}

/** What does not count, and why. */
export interface CalibrationExclusions {
  readonly unlabelled: number;
  readonly disputed: number;
  readonly unjudged: number;
  readonly notApplicable: number;
  readonly thinned: number;
  readonly sameGroup: number;
}

/** What the requests of one part, or all of them, come to. */
export interface GroupEstimate {
  /** Null when none keeps the promise. */
  readonly threshold: number | null;
  readonly n: number;
  /** Null when nothing is promised about innocent requests. */
  readonly neededN: number | null;
  readonly nToFind: number;
  /** Null when no recall is required. */
  readonly neededNToFind: number | null;
  /** Requests that the rule finds at the laxest threshold, whether rightly or not. */
  readonly nFound: number;
  /** How many of them are needed at a threshold; null when nothing is promised about what is found. */
  readonly neededNFound: number | null;
  /** The strictest threshold that keeps the promised recall; null when none does, or none is promised. */
  readonly strictest: number | null;
  /** The laxest threshold that keeps the promised rate of false positives; null when none does, or none is promised. */
  readonly laxest: number | null;
  /** The laxest threshold that keeps the promised share of false discoveries; null as well. */
  readonly laxestDiscovery: number | null;
  /** All thresholds that keep the promise, from the laxest on. */
  readonly kept: readonly number[];
}

/** A threshold with what it rests on. */
export interface CalibrationEstimate extends GroupEstimate {
  readonly curve: readonly CalibrationPoint[];
  readonly excluded: CalibrationExclusions;
  /** What each part comes to; empty without `by`. */
  readonly groups: readonly (GroupEstimate & { readonly value: string | null })[];
  /** Parts beyond those. */
  readonly groupsOmitted: number;
}

/** Parts that a promise is made about: those with the most requests. */
export const maxGroups = 20;

/**
 * Looks for a threshold that keeps the promise: the laxest, or where only recall is promised the strictest. With `by`
 * it is one that keeps it in each part. `seed` decides which of several requests counts, and knows neither labels nor
 * scores.
 */
export function estimate(
  facts: readonly CalibrationFact[],
  promise: CalibrationPromise,
  seed: string,
): CalibrationEstimate {
  const { excluded, ...sample } = sampleOf(facts, seed);
  const curve = thresholdGrid.map((threshold) => pointOf(threshold, sample));
  const { by } = promise;
  if (by === undefined) return { ...estimateOf(sample, promise, 1), curve, excluded, groups: [], groupsOmitted: 0 };
  // Which parts there are is known before anybody looks at a label or a score.
  const judged = facts.filter(({ score }) => score !== "not_applicable");
  const parts = [...Map.groupBy(judged, (fact) => fact[by])].sort(
    ([a, own], [b, others]) => others.length - own.length || ((a ?? "") < (b ?? "") ? -1 : 1),
  );
  const shown = parts.slice(0, maxGroups);
  const groups = shown.map(([value, own]) => {
    const { excluded: _excluded, ...part } = sampleOf(own, seed);
    return { value, ...estimateOf(part, promise, shown.length) };
  });
  const kept = thresholdGrid.filter((threshold) => groups.every((group) => group.kept.includes(threshold)));
  const whole = estimateOf(sample, promise, 1);
  const threshold = groups.length === 0 ? null : chosen(kept, promise);
  return { ...whole, threshold, kept, curve, excluded, groups, groupsOmitted: parts.length - shown.length };
}

/** The requests that count. */
interface Sample {
  readonly innocent: Scores;
  readonly toFind: Scores;
  /** Of both, one of each group. */
  readonly both: readonly LabelledScore[];
}

/** What the requests come to. The probability of failing is shared by all promises, and by so many parts. */
function estimateOf({ innocent, toFind, both }: Sample, promise: CalibrationPromise, parts: number): GroupEstimate {
  const { maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall, confidence } = promise;
  const bounds = [maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall].filter((bound) => bound !== undefined);
  const delta = (1 - confidence) / (bounds.length * parts);
  const find = promise.guarantee === "expectation" ? onAverage : withProbability;
  const rate = maxFalsePositiveRate === undefined ? undefined : { bound: maxFalsePositiveRate, delta };
  const misses = minRecall === undefined ? undefined : { bound: 1 - minRecall, delta };
  const discoveries = maxFalseDiscoveryRate === undefined ? undefined : { bound: maxFalseDiscoveryRate, delta };
  const laxest = rate === undefined ? null : (find.laxest(innocent, rate) ?? null);
  const strictest = misses === undefined ? null : (find.strictest(toFind, misses) ?? null);
  const rightly = discoveries === undefined ? thresholdGrid : discoveryThresholds(both, discoveries);
  const kept = rightly.filter(
    (threshold) =>
      (rate === undefined || (laxest !== null && threshold >= laxest)) &&
      (misses === undefined || (strictest !== null && threshold <= strictest)),
  );
  return {
    threshold: chosen(kept, promise),
    ...{ laxest, strictest, laxestDiscovery: discoveries === undefined ? null : (rightly[0] ?? null), kept },
    ...{ n: innocent.length, neededN: rate === undefined ? null : find.needed(rate) },
    ...{ nToFind: toFind.length, neededNToFind: misses === undefined ? null : find.needed(misses) },
    nFound: both.filter(({ score }) => score >= 0).length,
    neededNFound: discoveries === undefined ? null : neededObservations(discoveryTarget(discoveries)),
  };
}

const withProbability = { laxest: laxestThreshold, strictest: strictestThreshold, needed: neededObservations };

const onAverage = {
  laxest: (scores: Scores, { bound }: RiskTarget) => laxestOnAverage(scores, bound),
  strictest: (scores: Scores, { bound }: RiskTarget) => strictestOnAverage(scores, bound),
  needed: ({ bound }: RiskTarget) => neededOnAverage(bound),
};

/** Of thresholds that keep the promise, the one that finds the most; the strictest one where only recall matters. */
function chosen(
  kept: readonly number[],
  { maxFalsePositiveRate, maxFalseDiscoveryRate }: CalibrationPromise,
): number | null {
  const isAboutInnocent = maxFalsePositiveRate !== undefined || maxFalseDiscoveryRate !== undefined;
  return (isAboutInnocent ? kept[0] : kept.at(-1)) ?? null;
}

function pointOf(threshold: number, { innocent, toFind, both }: Sample): CalibrationPoint {
  const falsePositives = countFound(innocent, threshold);
  const found = countFound(toFind, threshold);
  const discoveries = both.filter(({ score }) => score >= threshold);
  const rate = wilson(falsePositives, innocent.length);
  const recall = wilson(found, toFind.length);
  const wrong = wilson(discoveries.filter(({ isInnocent }) => isInnocent).length, discoveries.length);
  return {
    ...{ threshold, falsePositives, found, falsePositiveRateUpper: rate.upper, recallLower: recall.lower },
    falsePositiveRate: innocent.length === 0 ? null : rate.estimate,
    recall: toFind.length === 0 ? null : recall.estimate,
    falseDiscoveryRate: discoveries.length === 0 ? null : wrong.estimate,
    falseDiscoveryRateUpper: wrong.upper,
  };
}

interface Labelled extends CalibrationFact {
  readonly truth: boolean;
  readonly score: number;
}

/**
 * The requests that count. They are thinned to the least probability with which any was drawn, so that each had the
 * same chance and the binomial distribution is exact; and of each group one counts.
 */
function sampleOf(facts: readonly CalibrationFact[], seed: string) {
  const drawn = facts.filter(({ score }) => score !== "not_applicable");
  const disputed = drawn.filter(({ isDisputed }) => isDisputed);
  const told = drawn.filter(({ isDisputed, truth }) => !isDisputed && truth !== null);
  const labelled = told.filter((fact): fact is Labelled => typeof fact.score === "number");
  const least = Math.min(1, ...drawn.map(({ probability }) => probability));
  const even = labelled.filter(({ id, probability }) => chanceOf(seed, "thin", id) * probability < least);
  const innocent = oneOfEach(
    even.filter(({ truth }) => !truth),
    seed,
  );
  const toFind = oneOfEach(
    even.filter(({ truth }) => truth),
    seed,
  );
  const excluded: CalibrationExclusions = {
    unlabelled: drawn.length - disputed.length - told.length,
    disputed: disputed.length,
    unjudged: told.length - labelled.length,
    notApplicable: facts.length - drawn.length,
    thinned: labelled.length - even.length,
    sameGroup: even.length - innocent.length - toFind.length,
  };
  const both = oneOfEach(even, seed).map(({ score, truth }) => ({ score, isInnocent: !truth }));
  return { innocent: scoresOf(innocent), toFind: scoresOf(toFind), both, excluded };
}

function oneOfEach(facts: readonly Labelled[], seed: string): Labelled[] {
  const chosen = new Map<string, Labelled>();
  for (const fact of facts) {
    const key = fact.group === null ? `id ${fact.id}` : `group ${fact.group}`;
    const known = chosen.get(key);
    if (known === undefined || chanceOf(seed, "pick", fact.id) < chanceOf(seed, "pick", known.id))
      chosen.set(key, fact);
  }
  return [...chosen.values()];
}

function scoresOf(facts: readonly Labelled[]): Scores {
  return facts.map(({ score }) => score);
}

/** A number from 0 to 1 that nobody who names requests can choose. */
function chanceOf(seed: string, purpose: string, id: string): number {
  return createHash("sha256").update(`${seed}/${purpose}/${id}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

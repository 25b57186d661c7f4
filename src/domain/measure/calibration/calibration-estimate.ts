// From scored and labelled requests to a threshold. Pure.

import { createHash } from "node:crypto";
import {
  countFound,
  laxestThreshold,
  neededObservations,
  type Scores,
  strictestThreshold,
  thresholdGrid,
} from "../../../kit/statistics/learn-then-test.ts";
import { wilson } from "../../../kit/statistics/proportion.ts";

/** What shall be promised. */
export interface CalibrationPromise {
  readonly maxFalsePositiveRate: number;
  readonly minRecall?: number | undefined;
  readonly confidence: number;
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

/** A threshold with what it rests on. */
export interface CalibrationEstimate {
  /** Null when none keeps the promise. */
  readonly threshold: number | null;
  readonly n: number;
  readonly neededN: number;
  readonly nToFind: number;
  /** Null when no recall is required. */
  readonly neededNToFind: number | null;
  /** The strictest threshold that keeps the promised recall; null when none does, or none is promised. */
  readonly strictest: number | null;
  /** The laxest threshold that keeps the promised rate of false positives; null when none does. */
  readonly laxest: number | null;
  readonly curve: readonly CalibrationPoint[];
  readonly excluded: CalibrationExclusions;
}

/**
 * Looks for the laxest threshold that keeps the promise. `seed` decides which of several requests counts, and knows
 * neither labels nor scores.
 */
export function estimate(
  facts: readonly CalibrationFact[],
  { maxFalsePositiveRate, minRecall, confidence }: CalibrationPromise,
  seed: string,
): CalibrationEstimate {
  const { innocent, toFind, excluded } = sampleOf(facts, seed);
  // Two promises share the probability of failing.
  const delta = (1 - confidence) / (minRecall === undefined ? 1 : 2);
  const rate = { bound: maxFalsePositiveRate, delta };
  const misses = minRecall === undefined ? undefined : { bound: 1 - minRecall, delta };
  const laxest = laxestThreshold(innocent, rate) ?? null;
  const strictest = misses === undefined ? null : (strictestThreshold(toFind, misses) ?? null);
  const keeps = laxest !== null && (misses === undefined || (strictest !== null && laxest <= strictest));
  return {
    threshold: keeps ? laxest : null,
    ...{ laxest, strictest, n: innocent.length, neededN: neededObservations(rate), nToFind: toFind.length },
    neededNToFind: misses === undefined ? null : neededObservations(misses),
    curve: thresholdGrid.map((threshold) => pointOf(threshold, innocent, toFind)),
    excluded,
  };
}

function pointOf(threshold: number, innocent: Scores, toFind: Scores): CalibrationPoint {
  const falsePositives = countFound(innocent, threshold);
  const found = countFound(toFind, threshold);
  const rate = wilson(falsePositives, innocent.length);
  const recall = wilson(found, toFind.length);
  return {
    ...{ threshold, falsePositives, found, falsePositiveRateUpper: rate.upper, recallLower: recall.lower },
    falsePositiveRate: innocent.length === 0 ? null : rate.estimate,
    recall: toFind.length === 0 ? null : recall.estimate,
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
  return { innocent: scoresOf(innocent), toFind: scoresOf(toFind), excluded };
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

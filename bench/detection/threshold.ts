// Thresholds at which so many innocent texts are flagged. They come from other texts than those that are measured with
// them, and from none that a model learned: what it learned as innocent scores lower than what it never saw, and a
// threshold from there would be too low.

import { type Share, shareOf, thresholdFor } from "../../models/training/measure.ts";
import type { Row } from "../../models/training/row.ts";
import { drawOfGroup } from "./generated/language.ts";
import { type Judge, scoresOf } from "./judge.ts";

/** The score above which a text counts as found, for each text. */
type Threshold = (row: Row) => number;

/** Thresholds by the share of innocent development texts that are flagged at them. */
export interface Thresholds {
  readonly halfPercent: Threshold;
  readonly onePercent: Threshold;
}

/** Thresholds from the innocent ones of these texts. */
export async function thresholdsFrom(dev: readonly Row[], ranking: Judge): Promise<Thresholds> {
  const scores = await innocentScores(dev, ranking);
  const halfPercent = thresholdFor(scores, 0.005);
  const onePercent = thresholdFor(scores, 0.01);
  return { halfPercent: () => halfPercent, onePercent: () => onePercent };
}

/**
 * Thresholds for texts of a hold-out that is its own development set: each half of its groups has that of the other
 * half.
 */
export async function crossFitted(rows: readonly Row[], ranking: Judge): Promise<Thresholds> {
  const ofDev = await thresholdsFrom(
    rows.filter((row) => drawOfGroup(row) === "dev"),
    ranking,
  );
  const ofTest = await thresholdsFrom(
    rows.filter((row) => drawOfGroup(row) === "test"),
    ranking,
  );
  const other = (row: Row): Thresholds => (drawOfGroup(row) === "dev" ? ofTest : ofDev);
  return { halfPercent: (row) => other(row).halfPercent(row), onePercent: (row) => other(row).onePercent(row) };
}

/** The share of texts whose score lies above their threshold. */
export function shareOver(rows: readonly Row[], scores: readonly number[], threshold: Threshold): Share {
  const over = rows.filter((row, index) => (scores[index] ?? 0) > threshold(row));
  return shareOf(over.length, rows.length);
}

function innocentScores(rows: readonly Row[], ranking: Judge): Promise<number[]> {
  const innocent = rows.filter(({ isAttack }) => !isAttack);
  return scoresOf(innocent, ranking);
}

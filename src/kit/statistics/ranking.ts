// How well scores separate what is to be found from what is not.

/** A score, and whether it belongs to what is to be found. */
export interface Scored {
  readonly score: number;
  readonly isPositive: boolean;
}

/** What a threshold finds: everything with at least that score. */
export interface ThresholdPoint {
  readonly threshold: number;
  readonly tp: number;
  readonly fp: number;
}

/** What a ranking says. Areas are null without both kinds. */
export interface Ranking {
  readonly positives: number;
  readonly negatives: number;
  /** Probability that something to be found has the higher score, ties counted half: the area under the ROC curve. */
  readonly rocArea: number | null;
  /** Average precision: the area under the steps of precision over recall. */
  readonly prArea: number | null;
  /** One point for each score, from the highest to the lowest. */
  readonly points: readonly ThresholdPoint[];
}

/** Ranks by score. J. Davis and M. Goadrich, "The relationship between Precision-Recall and ROC curves", ICML 2006. */
export function rank(scored: readonly Scored[]): Ranking {
  return rankSorted([...scored].sort((a, b) => b.score - a.score));
}

/** The same of what is sorted by score already, the highest first. */
export function rankSorted(sorted: readonly Scored[]): Ranking {
  const positives = sorted.filter(({ isPositive }) => isPositive).length;
  const negatives = sorted.length - positives;
  const points: ThresholdPoint[] = [];
  let tp = 0;
  let fp = 0;
  let roc = 0;
  let pr = 0;
  for (let at = 0; at < sorted.length; ) {
    const score = sorted[at]?.score ?? 0;
    const before = { tp, fp };
    for (; at < sorted.length && sorted[at]?.score === score; at++) {
      if (sorted[at]?.isPositive) tp += 1;
      else fp += 1;
    }
    // Of a tie, the curve is the straight line between its ends.
    roc += ((fp - before.fp) * (tp + before.tp)) / 2;
    pr += (tp - before.tp) * (tp / (tp + fp));
    points.push({ threshold: score, tp, fp });
  }
  const isBoth = positives > 0 && negatives > 0;
  return {
    ...{ positives, negatives, points },
    rocArea: isBoth ? roc / (positives * negatives) : null,
    prArea: isBoth ? pr / positives : null,
  };
}

/** The highest recall of a threshold whose share of false alarms is at most `maxRate`; null without both kinds. */
export function recallAt({ positives, negatives, points }: Ranking, maxRate: number): number | null {
  if (positives === 0 || negatives === 0) return null;
  let best = 0;
  for (const { tp, fp } of points) if (fp <= maxRate * negatives) best = Math.max(best, tp / positives);
  return best;
}

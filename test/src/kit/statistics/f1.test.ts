import { describe, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { clusteredShare } from "../../../../src/kit/statistics/cluster.ts";
import { bootstrapF1, f1Of } from "../../../../src/kit/statistics/f1.ts";
import { wilson } from "../../../../src/kit/statistics/proportion.ts";
import { rank, recallAt } from "../../../../src/kit/statistics/ranking.ts";
import { seededRandom } from "../../../../src/kit/statistics/seeded-random.ts";

describe("F1", () => {
  it("is the harmonic mean of precision and recall", () => {
    expect(f1Of({ tp: 6, fp: 2, fn: 4 })).toBeCloseTo((2 * 0.75 * 0.6) / (0.75 + 0.6), 12);
  });

  it("has bounds that cover the truth in about 95 of 100 samples", () => {
    // Each sample: found with 0.8 when it is to be found, with 0.1 when not; half of them are to be found.
    const truth = f1Of({ tp: 0.4, fp: 0.05, fn: 0.1 });
    const random = seededRandom(3);
    let covered = 0;
    for (let trial = 0; trial < 300; trial++) {
      const samples = Array.from({ length: 200 }, () => {
        const isPositive = random() < 0.5;
        const isFound = random() < (isPositive ? 0.8 : 0.1);
        return {
          tp: Number(isPositive && isFound),
          fp: Number(!isPositive && isFound),
          fn: Number(isPositive && !isFound),
        };
      });
      const { lower, upper } = bootstrapF1(samples, trial);
      if (lower <= truth && truth <= upper) covered += 1;
    }
    expect(covered / 300).toBeGreaterThan(0.91);
    expect(covered / 300).toBeLessThan(0.99);
  });

  it("is less sure of samples that come in groups", () => {
    const alone = Array.from({ length: 100 }, (_, at) => ({ tp: Number(at % 2), fp: 0, fn: Number(at % 2 === 0) }));
    const grouped = Array.from({ length: 10 }, (_, at) => ({ tp: at % 2 ? 10 : 0, fp: 0, fn: at % 2 ? 0 : 10 }));
    const width = (groups: typeof alone) => {
      const { lower, upper } = bootstrapF1(groups, 1);
      return upper - lower;
    };
    expect(width(grouped)).toBeGreaterThan(2 * width(alone));
  });
});

describe("shares of groups", () => {
  it("are those of single samples when each is alone", () => {
    const groups = Array.from({ length: 50 }, (_, at) => ({ successes: Number(at < 40), n: 1 }));
    const { estimate, lower, designEffect } = clusteredShare(groups);
    expect(estimate).toBe(0.8);
    expect(designEffect).toBeCloseTo(50 / 49, 12);
    expect(lower).toBeCloseTo(wilson(40, 50).lower, 2);
  });

  it("count copies once", () => {
    const groups = Array.from({ length: 50 }, (_, at) => ({ successes: at < 40 ? 4 : 0, n: 4 }));
    expect(clusteredShare(groups).nEffective).toBeCloseTo(49, 6);
  });

  // A guard whose true share is the limit exactly, where a false pass is likeliest.
  it("are below the truth with a probability of at most 2.5 % where groups are few and of unequal size", () => {
    const { n, seed } = sampleOf({ n: 2_000, seed: 17 });
    const random = seededRandom(seed);
    const sizes = [
      [1, 1, 2, 3, 5, 8, 13, 21],
      [1, 2, 3, 4, 5, 6],
      [1, 1, 1, 1, 1, 1, 1, 60],
    ];
    const truth = 0.9;
    let passes = 0;
    for (let world = 0; world < n; world++) {
      const of = sizes[world % sizes.length] ?? [];
      const together = (world % 5) / 4;
      const groups = Array.from({ length: [40, 80, 200][world % 7] ?? 60 }, () => {
        const size = of[Math.floor(random() * of.length)] ?? 1;
        if (random() < together) return { n: size, successes: random() < truth ? size : 0 };
        const members = Array.from({ length: size }, () => random() < truth);
        return { n: size, successes: members.filter(Boolean).length };
      });
      if (clusteredShare(groups).lower >= truth) passes += 1;
    }
    reportSample({ n, failures: Math.max(0, passes - 0.025 * n), figures: { false_passes: passes } });
    expect(passes).toBeLessThanOrEqual(0.025 * n);
  });

  it("count a group once where all agree", () => {
    expect(clusteredShare(Array.from({ length: 5 }, () => ({ successes: 10, n: 10 }))).nEffective).toBe(5);
  });
});

describe("rankings", () => {
  // The example of roc_auc_score and average_precision_score in scikit-learn.
  const scored = [0.1, 0.4, 0.35, 0.8].map((score, at) => ({ score, isPositive: at > 1 }));

  it("have the published areas", () => {
    const { rocArea, prArea } = rank(scored);
    expect(rocArea).toBe(0.75);
    expect(prArea).toBeCloseTo(0.8333333333333333, 12);
  });

  it("count ties half", () => {
    expect(rank([true, false, true, false].map((isPositive) => ({ score: 0.5, isPositive }))).rocArea).toBe(0.5);
  });

  it("say what can be found with few false alarms", () => {
    expect(recallAt(rank(scored), 0)).toBe(0.5);
    expect(recallAt(rank(scored), 0.5)).toBe(1);
    expect(recallAt(rank([{ score: 1, isPositive: true }]), 0.01)).toBeNull();
  });
});

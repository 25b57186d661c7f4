import { describe, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { clusteredShare } from "../../../../src/kit/statistics/cluster.ts";
import { clusteredF1, f1Interval, f1Of } from "../../../../src/kit/statistics/f1.ts";
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
    for (let trial = 0; trial < 2_000; trial++) {
      const hits = { tp: 0, fp: 0, fn: 0 };
      for (let sample = 0; sample < 200; sample++) {
        const isPositive = random() < 0.5;
        const isFound = random() < (isPositive ? 0.8 : 0.1);
        if (isPositive) hits[isFound ? "tp" : "fn"] += 1;
        else if (isFound) hits.fp += 1;
      }
      const { lower, upper } = f1Interval(hits);
      if (lower <= truth && truth <= upper) covered += 1;
    }
    expect(covered / 2_000).toBeGreaterThan(0.93);
    expect(covered / 2_000).toBeLessThan(0.97);
  });

  it("of three samples without a mistake is not sure to be 1", () => {
    const { estimate, lower, upper } = f1Interval({ tp: 3, fp: 0, fn: 0 });
    expect([estimate, upper]).toEqual([1, 1]);
    const jaccard = wilson(3, 3).lower;
    expect(lower).toBeCloseTo((2 * jaccard) / (1 + jaccard), 12);
  });

  it("has no estimate where nothing was to be found and nothing was found", () => {
    expect(f1Interval({ tp: 0, fp: 0, fn: 0 }).estimate).toBeNaN();
  });

  it("is less sure of samples that come in groups", () => {
    const alone = Array.from({ length: 100 }, (_, at) => ({ tp: Number(at % 2), fp: 0, fn: Number(at % 2 === 0) }));
    const grouped = Array.from({ length: 10 }, (_, at) => ({ tp: at % 2 ? 10 : 0, fp: 0, fn: at % 2 ? 0 : 10 }));
    const width = (groups: typeof alone) => {
      const { lower, upper } = clusteredF1(groups);
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

  // Members of small groups are always right, so all is right as long as no large group was drawn.
  it("seldom pass by luck where what is right depends on the size of the group", () => {
    const random = seededRandom(5);
    const worlds = 4_000;
    for (const [groups, right] of [
      [40, 0.88],
      [20, 0.8],
    ] as const) {
      const truth = (7 + 60 * right) / 67;
      let passes = 0;
      for (let world = 0; world < worlds; world++) {
        const drawn = Array.from({ length: groups }, () => {
          const n = random() < 7 / 8 ? 1 : 60;
          return { n, successes: n === 1 || random() < right ? n : 0 };
        });
        if (clusteredShare(drawn).lower >= truth) passes += 1;
      }
      expect(passes / worlds).toBeLessThan(0.1);
    }
  });

  it("count a group once where all agree, and less where groups are of unequal size", () => {
    expect(clusteredShare(Array.from({ length: 5 }, () => ({ successes: 10, n: 10 }))).nEffective).toBe(5);
    const sizes = [1, 1, 1, 1, 6];
    expect(clusteredShare(sizes.map((n) => ({ successes: n, n }))).nEffective).toBeCloseTo(100 / 40, 12);
  });

  it("change little by a single mistake", () => {
    const flawless = [
      { successes: 1_000, n: 1_000 },
      { successes: 1, n: 1, count: 9_000 },
    ];
    const [first] = flawless;
    const withOne = [
      { ...first, successes: 999, n: 1_000 },
      { successes: 1, n: 1, count: 9_000 },
    ];
    const [without, one] = [flawless, withOne].map((groups) => clusteredShare(groups).lower);
    expect((without ?? 0) - (one ?? 0)).toBeLessThan(0.01);
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

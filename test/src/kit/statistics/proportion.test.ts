import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { weightedShare, wilson, z95 } from "../../../../src/kit/statistics/proportion.ts";

describe("the Wilson interval", () => {
  // R. G. Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven methods", Statistics
  // in Medicine 17 (1998), table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %i in %i is as published, all digits", (successes, n, lower, upper) => {
    const found = wilson(successes, n);
    expect([found.lower, found.upper].map((bound) => Number(bound.toFixed(4)))).toEqual([lower, upper]);
  });

  it("holds exactly the shares that the score test does not reject", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, part) => {
        const successes = Math.round(part * n);
        const { estimate, lower, upper } = wilson(successes, n);
        expect(estimate).toBe(successes / n);
        expect(lower).toBeLessThanOrEqual(estimate);
        expect(upper).toBeGreaterThanOrEqual(estimate);
        for (const bound of [lower, upper]) {
          if (bound === 0 || bound === 1) continue;
          const score = Math.abs(estimate - bound) / Math.sqrt((bound * (1 - bound)) / n);
          expect(score).toBeCloseTo(z95, 6);
        }
      }),
      { seed: 11, numRuns: 2_000 },
    );
  });

  it("is everything without observations", () => {
    expect(wilson(0, 0)).toEqual({ estimate: Number.NaN, lower: 0, upper: 1 });
  });
});

describe("a weighted share", () => {
  it("is the plain one where all were drawn with the same probability", () => {
    const drawn = Array.from({ length: 148 }, (_, at) => ({ isSuccess: at < 15, probability: 0.03 }));
    const { nEffective, ...interval } = weightedShare(drawn);
    const plain = wilson(15, 148);
    expect(nEffective).toBeCloseTo(148, 9);
    expect(interval.estimate).toBeCloseTo(plain.estimate, 12);
    expect(interval.lower).toBeCloseTo(plain.lower, 12);
    expect(interval.upper).toBeCloseTo(plain.upper, 12);
  });

  it("undoes that one kind was drawn more often than another", () => {
    // 1,000 of which 900 are right, drawn at 10 %, and 100 of which 10 are right, drawn all.
    const drawn = [
      ...Array.from({ length: 100 }, (_, at) => ({ isSuccess: at < 90, probability: 0.1 })),
      ...Array.from({ length: 100 }, (_, at) => ({ isSuccess: at < 10, probability: 1 })),
    ];
    expect(weightedShare(drawn).estimate).toBeCloseTo(910 / 1_100, 12);
    expect(weightedShare(drawn).nEffective).toBeLessThan(200);
  });
});

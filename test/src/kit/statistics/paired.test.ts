import { describe, expect, it } from "vitest";
import { holm, mcnemarExact, signFlip, tangoInterval, tangoLower } from "../../../../src/kit/statistics/paired.ts";
import { z95 } from "../../../../src/kit/statistics/proportion.ts";

describe("McNemar's exact test", () => {
  // M. P. Fay, "Exact McNemar's Test and Matching Confidence Intervals", package exact2x2: 9 and 2 give 0.06543. The
  // others are sums of the binomial table.
  it.each([
    [9, 2, 0.0654296875],
    [5, 1, 0.21875],
    [6, 0, 0.03125],
    [3, 3, 1],
    [0, 0, 1],
  ])("of %i and %i discordant pairs is as published, all digits", (onlyFirst, onlySecond, p) => {
    expect(mcnemarExact({ onlyFirst, onlySecond })).toBe(p);
    expect(mcnemarExact({ onlyFirst: onlySecond, onlySecond: onlyFirst })).toBe(p);
  });

  it("holds beyond the range of numbers", () => {
    const p = mcnemarExact({ onlyFirst: 1_500, onlySecond: 1_600 });
    // The normal distribution with a correction for continuity: z = 99 / sqrt(3100) = 1.778.
    expect(p).toBeGreaterThan(0.07);
    expect(p).toBeLessThan(0.08);
  });
});

describe("Tango's interval", () => {
  it("turns around with the judges, and has the bound by which gates go", () => {
    const counts = { both: 36, onlyFirst: 2, onlySecond: 12, neither: 7 };
    const one = tangoInterval(counts);
    const other = tangoInterval({ ...counts, onlyFirst: 12, onlySecond: 2 });
    expect([one.estimate, one.lower]).toEqual([10 / 57, tangoLower(counts, z95)]);
    expect([other.estimate, other.lower, other.upper]).toEqual([-one.estimate, -one.upper, -one.lower]);
  });

  it("of equal judges is not sure of anything that few samples cannot show, and is everything without pairs", () => {
    const { lower, upper } = tangoInterval({ both: 10, onlyFirst: 0, onlySecond: 0, neither: 10 });
    expect(upper).toBeCloseTo((z95 * z95) / (20 + z95 * z95), 8);
    expect(lower).toBe(-upper);
    expect(tangoInterval({ both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 })).toMatchObject({ lower: -1, upper: 1 });
  });
});

describe("Tango's lower bound", () => {
  const z = 1.6448536269514722;

  it("without a pair that differs is that of its formula", () => {
    for (const n of [1, 20, 1_000]) {
      const counts = { both: n / 2, onlyFirst: 0, onlySecond: 0, neither: n / 2 };
      expect(tangoLower(counts, z)).toBeCloseTo(-(z * z) / (n + z * z), 8);
    }
  });

  it("is the difference at which the score test is at z, and nothing without pairs", () => {
    const [n, onlyFirst, onlySecond] = [50, 2, 12];
    const lower = tangoLower({ both: 36, onlyFirst, onlySecond, neither: 0 }, 1.959963984540054);
    // The likeliest probability of "only first" where the difference is this, by looking for it.
    let [best, likeliest] = [Number.NEGATIVE_INFINITY, 0];
    for (let q = 1e-6; 2 * q + lower < 1; q += 1e-6) {
      const rest = 1 - 2 * q - lower;
      const likelihood = onlyFirst * Math.log(q) + onlySecond * Math.log(q + lower) + 36 * Math.log(rest);
      if (likelihood > best) [best, likeliest] = [likelihood, q];
    }
    const deviation = Math.sqrt(n * (2 * likeliest + lower * (1 - lower)));
    expect((onlySecond - onlyFirst - n * lower) / deviation).toBeCloseTo(1.96, 3);
    expect(tangoLower({ both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 }, z)).toBe(-1);
  });

  it("is passed falsely by one that only loses in about 5 of 100, however few pairs differ", () => {
    for (const [n, margin] of [
      [100, 0.017],
      [200, 0.03],
      [400, 0.05],
      [50, 0.1],
    ] as const) {
      let falsePass = 0;
      let probability = (1 - margin) ** n;
      for (let lost = 0; lost <= n; lost++) {
        const rest = (n - lost) / 2;
        if (tangoLower({ both: rest, onlyFirst: lost, onlySecond: 0, neither: rest }, z) > -margin)
          falsePass += probability;
        probability *= ((n - lost) / (lost + 1)) * (margin / (1 - margin));
      }
      expect(falsePass).toBeLessThan(0.06);
    }
  });
});

describe("the sign-flip test", () => {
  it("agrees with the exact test where each group is one sample", () => {
    const differences = [...Array.from({ length: 9 }, () => 1), ...Array.from({ length: 2 }, () => -1)];
    expect(signFlip(differences, { seed: 1, draws: 10_000 })).toBeCloseTo(0.0654, 2);
  });

  it("is sure of nothing where all samples are one group", () => {
    expect(signFlip([9], { seed: 1, draws: 10_000 })).toBe(1);
    expect(signFlip([], { seed: 1, draws: 10_000 })).toBe(1);
  });

  it("is the same for the same seed", () => {
    const differences = [1, 1, 2, -1, 3, -2, 1];
    const p = (seed: number) => signFlip(differences, { seed, draws: 1_000 });
    expect(p(5)).toBe(p(5));
    expect(p(5)).not.toBe(p(6));
  });
});

describe("Holm's correction", () => {
  // The example of S. Holm's procedure in R's p.adjust.
  it("never orders tests anew", () => {
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});

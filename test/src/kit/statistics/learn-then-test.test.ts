import { describe, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { binomialAtMost } from "../../../../src/kit/statistics/binomial.ts";
import {
  countFound,
  laxestThreshold,
  neededObservations,
  strictestThreshold,
} from "../../../../src/kit/statistics/learn-then-test.ts";
import { seededRandom } from "../../../../src/kit/statistics/seeded-random.ts";

describe("the binomial distribution", () => {
  // The published cumulative tables, n = 10 and 20, four digits.
  it.each([
    [2, 10, 0.1, 0.9298],
    [5, 10, 0.5, 0.623],
    [0, 20, 0.05, 0.3585],
    [3, 20, 0.2, 0.4114],
    [19, 20, 0.9, 0.8784],
  ])("of at most %i in %i at %d is as published", (k, n, p, share) => {
    expect(binomialAtMost(k, n, p)).toBeCloseTo(share, 4);
  });

  it("holds beyond the range of numbers, and at its ends", () => {
    expect(binomialAtMost(0, 20_000, 0.5)).toBe(0);
    expect(binomialAtMost(10_000, 20_000, 0.5)).toBeCloseTo(0.5028, 4);
    expect(binomialAtMost(5, 5, 0.3)).toBe(1);
    expect(binomialAtMost(-1, 5, 0.3)).toBe(0);
    expect(binomialAtMost(0, 0, 0.3)).toBe(1);
  });
});

describe("Learn then Test", () => {
  it.each([
    [0.01, 0.05, 299],
    [0.005, 0.05, 598],
    [0.5, 0.5, 1],
  ])("needs as many observations for %d at %d as published", (bound, delta, needed) => {
    expect(neededObservations({ bound, delta })).toBe(needed);
    // One fewer is too few, whatever they are; as many without a single error are enough.
    expect(laxestThreshold(Array(needed - 1).fill(-1), { bound, delta })).toBeUndefined();
    expect(laxestThreshold(Array(needed).fill(-1), { bound, delta })).toBe(0);
    expect(strictestThreshold(Array(needed).fill(1), { bound, delta })).toBe(1);
  });

  it("returns the laxest threshold before the first that is not rejected", () => {
    // 298 silent ones, and one each at 0.4 and 0.8: with one error among 300, 1 % is not shown at 95 %.
    const innocent = [...Array(298).fill(-1), 0.4, 0.8];
    expect(laxestThreshold(innocent, { bound: 0.01, delta: 0.05 })).toBe(0.81);
    expect(laxestThreshold(innocent, { bound: 0.02, delta: 0.05 })).toBe(0.41);
    expect(laxestThreshold(Array(300).fill(1), { bound: 0.01, delta: 0.05 })).toBeUndefined();
    expect(strictestThreshold([0.3, ...Array(299).fill(0.9)], { bound: 0.01, delta: 0.05 })).toBe(0.3);
  });

  // In each world the share of innocent requests that reach a threshold is known: (1 - threshold) to the power `shape`.
  it("breaks its promise in no more worlds than it says", () => {
    const { n: count, seed } = sampleOf({ n: 2_000, seed: 20 });
    const random = seededRandom(seed);
    const [bound, delta] = [0.05, 0.1];
    let broken = 0;
    let promised = 0;
    for (let world = 0; world < count; world++) {
      const shape = 1 + 7 * random();
      const innocent = Array.from({ length: 100 + Math.floor(300 * random()) }, () => 1 - random() ** (1 / shape));
      const threshold = laxestThreshold(innocent, { bound, delta });
      if (threshold === undefined) continue;
      promised += 1;
      if ((1 - threshold) ** shape > bound) broken += 1;
    }
    expect(promised).toBe(count);
    // Three standard deviations of what chance would do at exactly delta.
    expect(broken).toBeLessThanOrEqual(count * delta + 3 * Math.sqrt(count * delta * (1 - delta)));
    // A procedure that never breaks a promise gives thresholds away.
    expect(broken).toBeGreaterThan(count * delta * 0.2);
    reportSample({ n: count, failures: 0, figures: { broken_share: broken / count } });
  });

  it("keeps both promises together", () => {
    const random = seededRandom(21);
    let broken = 0;
    const worlds = 200;
    for (let world = 0; world < worlds; world++) {
      const innocent = Array.from({ length: 200 }, () => 1 - random() ** (1 / 6));
      const toFind = Array.from({ length: 200 }, () => random() ** (1 / 6));
      const laxest = laxestThreshold(innocent, { bound: 0.1, delta: 0.05 });
      const strictest = strictestThreshold(toFind, { bound: 0.2, delta: 0.05 });
      if (laxest === undefined || strictest === undefined || laxest > strictest) continue;
      if ((1 - laxest) ** 6 > 0.1 || laxest ** 6 > 0.2) broken += 1;
    }
    expect(broken).toBeLessThanOrEqual(worlds * 0.1 + 3 * Math.sqrt(worlds * 0.09));
  });

  it("counts a score that equals the threshold as found, as rules do", () => {
    expect(countFound([0.28, 0.29, 0.3, -1], 0.29)).toBe(2);
    expect(countFound([-1], 0)).toBe(0);
  });
});

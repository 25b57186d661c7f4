import { describe, expect, test } from "vitest";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import {
  certainRate,
  evidenceAbove,
  evidenceBelow,
  neededObservations,
} from "../../../../src/kit/statistics/mixture-test.ts";
import { seededRandom } from "../../../../src/kit/statistics/seeded-random.ts";

/** The definition itself: the likelihood averaged by Simpson's rule, divided by that at the bound. */
function byDefinition(n: number, s: number, bound: number): number {
  const steps = 20_000;
  const ratio = (p: number) => (p === 0 ? Number(s === 0) : (p / bound) ** s) * ((1 - p) / (1 - bound)) ** (n - s);
  let sum = 0;
  for (let i = 0; i <= steps; i++)
    sum += ratio((bound * i) / steps) * (i === 0 || i === steps ? 1 : i % 2 === 0 ? 2 : 4);
  return Math.log(sum / (3 * steps));
}

describe("the evidence", () => {
  test("is that of the definition, on both sides of the mean", () => {
    for (const bound of [0.001, 0.05, 0.5]) {
      for (const [n, s] of [
        [0, 0],
        [1, 0],
        [1, 1],
        [40, 0],
        [40, 2],
        [200, 10],
        [60, 50],
        [900, 1],
      ] as const) {
        const where = `${s} of ${n} at ${bound}`;
        expect(evidenceBelow({ observations: n, events: s }, bound), where).toBeCloseTo(byDefinition(n, s, bound), 6);
        const mirrored = byDefinition(n, n - s, 1 - bound);
        expect(evidenceAbove({ observations: n, events: s }, bound), where).toBeCloseTo(mirrored, 6);
      }
    }
  });

  test("opens a gate of 0.1 % at 5 % after some 4,500 evaluations without an event", () => {
    const needed = neededObservations({ observations: 0, events: 0 }, 0.001, 0.05);
    expect(needed).toBe(4512);
    expect(evidenceBelow({ observations: needed, events: 0 }, 0.001)).toBeGreaterThanOrEqual(Math.log(20));
    expect(evidenceBelow({ observations: needed - 1, events: 0 }, 0.001)).toBeLessThan(Math.log(20));
  });

  test("has an end at counts that no runtime has, and is a number", () => {
    for (const events of [0, 1, 5e14, 1e15]) {
      const count = { observations: 1e15, events };
      expect(evidenceBelow(count, 0.0001)).not.toBeNaN();
      expect(evidenceAbove(count, 0.5)).not.toBeNaN();
      expect(neededObservations(count, 0.0001, 0.001)).toBeGreaterThan(0);
    }
  });
});

describe("the certain rate", () => {
  test("is the largest bound above which the rate is found to lie", () => {
    for (const [observations, events] of [
      [30, 1],
      [30, 6],
      [500, 40],
      [20, 20],
      [1, 1],
    ] as const) {
      const count = { observations, events };
      const rate = certainRate(count, 0.05);
      expect(rate).toBeGreaterThan(0);
      expect(rate).toBeLessThan(events / observations);
      expect(evidenceAbove(count, rate)).toBeGreaterThanOrEqual(Math.log(20));
      expect(evidenceAbove(count, rate * 1.001)).toBeLessThan(Math.log(20));
    }
    expect(certainRate({ observations: 1_000, events: 0 }, 0.05)).toBe(0);
    expect(certainRate({ observations: 0, events: 0 }, 0.05)).toBe(0);
  });
});

// The rate lies at the bound exactly, where a false pass is likeliest.
test("a gate that is peeked at after every 100 evaluations passes falsely with a probability of alpha at most", () => {
  const { n, seed } = sampleOf({ n: 150, seed: 7 });
  const [bound, alpha, batch, batches] = [0.01, 0.05, 100, 200];
  const random = seededRandom(seed);
  let passes = 0;
  for (let simulation = 0; simulation < n; simulation++) {
    let events = 0;
    for (let looked = 1; looked <= batches; looked++) {
      for (let i = 0; i < batch; i++) events += Number(random() < bound);
      if (evidenceBelow({ observations: looked * batch, events }, bound) < Math.log(1 / alpha)) continue;
      passes += 1;
      break;
    }
  }
  reportSample({ n, failures: Math.max(0, passes - Math.floor(alpha * n)), figures: { false_passes: passes } });
  // Three standard deviations for the small sample of the suite.
  expect(passes).toBeLessThanOrEqual(n >= 10_000 ? alpha * n : alpha * n + 3 * Math.sqrt(alpha * (1 - alpha) * n));
});

// The share of false positives is the budget exactly in one world, where a false alarm is likeliest, and twice as large
// in the other.
test("a budget that is looked at after every mark burns falsely as rarely as it says, and at twice the rate it burns", () => {
  const { n, seed } = sampleOf({ n: 400, seed: 11 });
  const [budget, alpha, marks] = [0.05, 0.05, 1_400];
  const random = seededRandom(seed);
  const burnsAt = (rate: number): number | undefined => {
    let events = 0;
    for (let observations = 1; observations <= marks; observations++) {
      events += Number(random() < rate);
      // Below the budget there is no evidence above it.
      if (events <= budget * observations) continue;
      if (evidenceAbove({ observations, events }, budget) >= Math.log(1 / alpha)) return observations;
    }
    return undefined;
  };
  const falsely = Array.from({ length: n }, () => burnsAt(budget)).filter((at) => at !== undefined).length;
  const found = Array.from({ length: n }, () => burnsAt(2 * budget))
    .filter((at) => at !== undefined)
    .sort((a, b) => a - b);
  const missed = n - found.length;
  const failures = Math.max(0, falsely - Math.floor(alpha * n)) + Math.max(0, missed - Math.floor(0.01 * n));
  const figures = { false_alarms: falsely, missed, median_marks_until_found: found[Math.floor(found.length / 2)] ?? 0 };
  reportSample({ n, failures, figures });
  // Three standard deviations for the small sample of the suite.
  const spread = n >= 10_000 ? 0 : 3 * Math.sqrt(alpha * (1 - alpha) * n);
  expect(falsely).toBeLessThanOrEqual(alpha * n + spread);
  expect(missed).toBeLessThanOrEqual(0.01 * n + (n >= 10_000 ? 0 : 3));
});

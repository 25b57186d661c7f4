import { describe, expect, test } from "vitest";
import { reportSample, sampleOf } from "../../../../../scripts/assurance/sample.ts";
import {
  evidenceAbove,
  evidenceBelow,
  neededObservations,
} from "../../../../../src/domain/bundle/gate/mixture-test.ts";

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

// The rate lies at the bound exactly, where a false pass is likeliest.
test("a gate that is peeked at after every 100 evaluations passes falsely with a probability of alpha at most", () => {
  const { n, seed } = sampleOf({ n: 150, seed: 7 });
  const [bound, alpha, batch, batches] = [0.01, 0.05, 100, 200];
  const random = generator(seed);
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

/** Numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

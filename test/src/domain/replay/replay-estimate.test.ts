import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { estimateOf } from "../../../../src/domain/replay/replay-estimate.ts";
import { wilson } from "../../../../src/kit/statistics/proportion.ts";

describe("estimateOf", () => {
  it("knows a count of everything exactly", () => {
    const whole = { population: 40, sampled: 40, traces: 7, possible: 0 };
    expect(estimateOf([whole])).toEqual({ estimate: 7, low: 7, high: 7 });
    expect(estimateOf([{ ...whole, possible: 3 }])).toEqual({ estimate: 7, low: 7, high: 10 });
    expect(estimateOf([])).toEqual({ estimate: 0, low: 0, high: 0 });
  });

  it("is Wilson's interval for a small part of one stratum", () => {
    const { lower, upper } = wilson(81, 263);
    const estimate = estimateOf([{ population: 1e9, sampled: 263, traces: 81, possible: 0 }]);
    expect(estimate.low / 1e9).toBeCloseTo(lower, 5);
    expect(estimate.high / 1e9).toBeCloseTo(upper, 5);
  });

  it("contains the true count of strata about as often as it says", () => {
    const random = seededRandom(7);
    const strata = [
      { population: 2_000, share: 0.02, sampled: 300 },
      { population: 500, share: 0.4, sampled: 300 },
    ];
    const truth = strata.map(({ population, share }) => Math.round(population * share));
    const all = truth.reduce((sum, each) => sum + each, 0);
    const tries = 2_000;
    let contained = 0;
    for (let i = 0; i < tries; i += 1) {
      const drawn = strata.map(({ population, sampled }, index) => {
        let [left, hits, traces] = [population, truth[index] ?? 0, 0];
        for (let draw = 0; draw < sampled; draw += 1, left -= 1) {
          if (random() * left >= hits) continue;
          hits -= 1;
          traces += 1;
        }
        return { population, sampled, traces, possible: 0 };
      });
      const { low, high } = estimateOf(drawn);
      if (low <= all && all <= high) contained += 1;
    }
    expect(contained / tries).toBeGreaterThan(0.93);
    expect(contained / tries).toBeLessThan(0.985);
  });
});

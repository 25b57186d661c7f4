import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawOf, type PlaceCounts, rangeOf, withRanges } from "../../../../src/domain/replay/replay-sample.ts";

const countsOf = (ids: readonly string[], seed = 1): PlaceCounts =>
  withRanges(
    [],
    ids.map((id) => rangeOf(seed, id)),
  );

describe("drawOf", () => {
  it("draws everything that fits", () => {
    const counts = countsOf(Array.from({ length: 50 }, () => randomUUID()));
    expect(drawOf([counts, []], 50)).toEqual([
      { below: null, population: 50, drawn: 50 },
      { below: null, population: 0, drawn: 0 },
    ]);
  });

  it("never draws more than the bound, and nearly as many where there are many", () => {
    const ids = Array.from({ length: 20_000 }, (_, n) => `trace-${n}`);
    const counts = countsOf(ids);
    for (const max of [1, 10, 200, 3_000, 19_999]) {
      const [draw] = drawOf([counts], max);
      const drawn = ids.filter((id) => draw?.below === null || rangeOf(1, id) < (draw?.below ?? 0)).length;
      expect(drawn).toBe(draw?.drawn);
      expect(drawn).toBeLessThanOrEqual(max);
      if (max >= 200) expect(drawn).toBeGreaterThan(0.9 * max);
    }
  });

  it("gives what small strata leave to the others", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 120 }),
        (sizes, max) => {
          const strata = sizes.map((size, at) => countsOf(Array.from({ length: size }, (_, n) => `${at}/${n}`)));
          const draws = drawOf(strata, max);
          const drawn = draws.reduce((sum, each) => sum + each.drawn, 0);
          expect(drawn).toBeLessThanOrEqual(max);
          if (sizes.reduce((sum, size) => sum + size, 0) <= max)
            expect(draws.every(({ below }) => below === null)).toBe(true);
        },
      ),
      { seed: 1, numRuns: 1_000 },
    );
  });

  it("draws alike whatever the outcome of the draw's order", () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `trace-${n}`);
    const halves = withRanges(
      countsOf(ids.slice(500)),
      ids.slice(0, 500).map((id) => rangeOf(1, id)),
    );
    expect(drawOf([halves], 100)).toEqual(drawOf([countsOf(ids)], 100));
    expect(drawOf([countsOf(ids, 2)], 100)).not.toEqual(drawOf([countsOf(ids)], 100));
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areaUnderCurve, shareAbove, shareOf, thresholdFor } from "../../../models/training/measure.ts";
import { isHeldOut, readCorpus } from "../../../models/training/row.ts";

describe("measures", () => {
  it("give the interval of Wilson", () => {
    const share = shareOf(81, 100);
    expect(share.low).toBeCloseTo(0.7222, 3);
    expect(share.high).toBeCloseTo(0.8749, 3);
    expect(shareOf(0, 0)).toMatchObject({ low: 0, high: 1 });
  });

  it("give an area of 1 for what is parted, 0.5 for ties", () => {
    expect(areaUnderCurve([3, 4], [1, 2])).toBe(1);
    expect(areaUnderCurve([1, 1], [1, 1, 1])).toBe(0.5);
    expect(areaUnderCurve([1, 4], [2, 3])).toBe(0.5);
  });

  it("choose thresholds with at most the allowed share above them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ noNaN: true }), { minLength: 1 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (values, share) => {
          expect(shareAbove(values, thresholdFor(values, share)).value).toBeLessThanOrEqual(share);
        },
      ),
      { seed: 3, numRuns: 1000 },
    );
  });
});

describe("the corpus", () => {
  const rows = readCorpus();

  it("holds out whole groups, of attacks and of innocent texts", () => {
    const heldOut = rows.filter(isHeldOut);
    const groups = new Set(heldOut.map(({ group }) => group));
    expect(rows.filter((row) => groups.has(row.group)).length).toBe(heldOut.length);
    expect(heldOut.filter(({ isAttack }) => isAttack).length).toBeGreaterThan(1000);
    expect(heldOut.filter(({ isAttack }) => !isAttack).length).toBeGreaterThan(1000);
  });

  it("has no text twice, and no id twice", () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(new Set(rows.map(({ text }) => text)).size).toBe(rows.length);
  });
});

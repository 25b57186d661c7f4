import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bootstrapAlpha, krippendorffAlpha } from "../../../../src/kit/statistics/agreement.ts";

// K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers, twelve units.
const observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."];
const published = Array.from({ length: 12 }, (_, unit) =>
  observers.flatMap((values) => (values[unit] === "." ? [] : [Number(values[unit])])),
);

describe("Krippendorff's alpha", () => {
  it("is as published, all digits", () => {
    expect(Number(krippendorffAlpha(published).toFixed(3))).toBe(0.743);
  });

  it("is as published for two observers and two values", () => {
    // Section A of the same: ten units, of which the observers agree on six.
    const [one, two] = ["0100000000", "1110010001"];
    const units = Array.from({ length: 10 }, (_, at) => [Number(one?.[at]), Number(two?.[at])]);
    expect(Number(krippendorffAlpha(units).toFixed(3))).toBe(0.095);
  });

  it("is 1 where everybody agrees, and nothing can be said where nothing varies or nobody shares a unit", () => {
    expect(
      krippendorffAlpha([
        [1, 1],
        [2, 2, 2],
      ]),
    ).toBe(1);
    expect(
      krippendorffAlpha([
        [1, 1],
        [1, 1],
      ]),
    ).toBeNaN();
    expect(krippendorffAlpha([[1], [2]])).toBeNaN();
    expect(krippendorffAlpha([])).toBeNaN();
  });

  it("depends on neither the order nor the names of values, nor on units that one annotator has judged", () => {
    const units = fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 5 }), { maxLength: 20 });
    fc.assert(
      fc.property(units, (given) => {
        const alpha = krippendorffAlpha(given);
        const renamed = given.toReversed().map((values) => values.toReversed().map((value) => value * 7));
        const other = krippendorffAlpha([...renamed, [99]]);
        if (Number.isNaN(alpha)) expect(other).toBeNaN();
        else expect(other).toBeCloseTo(alpha, 9);
        expect(alpha > 1).toBe(false);
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });

  it("has an interval around it, the same in every answer", () => {
    const many = Array.from({ length: 10 }, () => published).flat();
    const found = bootstrapAlpha(many, { seed: 1, draws: 400 });
    expect(found).toEqual(bootstrapAlpha(many, { seed: 1, draws: 400 }));
    expect(found.lower).toBeLessThan(found.estimate);
    expect(found.upper).toBeGreaterThan(found.estimate);
    const few = bootstrapAlpha(published, { seed: 1, draws: 400 });
    expect(few.upper - few.lower).toBeGreaterThan(found.upper - found.lower);
  });
});

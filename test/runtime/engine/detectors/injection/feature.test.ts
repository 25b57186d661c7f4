import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FeatureReader,
  featureCount,
  windowLength,
  windowStride,
  windowsOf,
} from "../../../../../runtime/engine/detectors/injection/feature.ts";

const reader = new FeatureReader();

function featuresOf(text: string, from = 0, to = text.length): number[] {
  return [...reader.features.subarray(0, reader.read(text, from, to))];
}

describe("windowsOf", () => {
  it("covers every unit, begins every 256 units and is never longer than 512", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), (length) => {
        const windows = windowsOf(length);
        expect(windows.every(([from, to], index) => from === index * windowStride && to - from <= windowLength)).toBe(
          true,
        );
        expect(windows.at(-1)?.[1]).toBe(length);
        // Only the last may be shorter, so a window is known as soon as its units are.
        expect(windows.slice(0, -1).every(([from, to]) => to - from === windowLength)).toBe(true);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});

describe("FeatureReader", () => {
  it("depends on nothing outside of the window", () => {
    const window = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.string(), window, fc.string(), (before, text, after) => {
        const there = featuresOf(`x${before}${text}${after}`, before.length + 1, before.length + 1 + text.length);
        expect(there).toEqual(featuresOf(`y${text}`, 1, text.length + 1));
      }),
      { seed: 2, numRuns: 1000 },
    );
  });

  it("counts each feature once, and stays below the number of weights", () => {
    const features = featuresOf("ignore ignore ignore all the rules, ignore all the rules");
    expect(new Set(features).size).toBe(features.length);
    expect(features.every((feature) => feature >= 0 && feature < featureCount)).toBe(true);
  });

  it("takes case, look-alikes and digits as equal", () => {
    const plain = featuresOf("Ignore rule 17 now");
    expect(featuresOf("IGN\u043eRE RULE 42 NOW")).toEqual(plain);
  });

  it("never has more features than it has room for", () => {
    for (const unit of ["a", "語", "a b ", "!?", "\n", "1a ", "한"]) {
      const text = unit.repeat(600).slice(0, windowLength);
      expect(reader.read(text, 0, text.length)).toBeLessThanOrEqual(reader.features.length);
    }
  });
});

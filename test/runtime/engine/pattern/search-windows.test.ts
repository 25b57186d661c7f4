import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CollapsedText, Windows } from "../../../../runtime/engine/pattern/search-windows.ts";

describe("windows", () => {
  it("cover exactly the union of the added windows, ordered and disjoint", () => {
    const window = fc
      .tuple(fc.nat(60), fc.integer({ min: 1, max: 12 }))
      .map(([from, length]) => [from, from + length] as const);
    fc.assert(
      fc.property(fc.array(window, { minLength: 1, maxLength: 20 }), (list) => {
        const covered = new Set(list.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i)));
        const [first = [0, 1] as const, ...rest] = list;
        const windows = new Windows(first[0], first[1]);
        for (const [from, to] of rest) windows.add(from, to);
        const seen: number[] = [];
        let last = -1;
        windows.each((from, to) => {
          expect(from).toBeGreaterThan(last);
          for (let at = from; at < to; at++) seen.push(at);
          last = to;
        });
        expect(seen).toEqual([...covered].sort((a, b) => a - b));
      }),
      { numRuns: 1000, seed: 7 },
    );
  });
});

describe("a collapsed text", () => {
  it("counts a run of white space as one unit", () => {
    const text = new CollapsedText("a  \n b");
    expect([0, 1, 2, 3].map((units) => text.back(6, units))).toEqual([6, 5, 1, 0]);
    expect([0, 1, 2, 3].map((units) => text.forth(0, units))).toEqual([0, 1, 5, 6]);
    expect([0, 1, 2, 3].map((units) => text.forth(2, units))).toEqual([5, 6, 6, 6]);
    expect(text.back(3, 1)).toBe(1);
  });

  it("gives the same offsets by walking as by its index, which it builds after many walks", () => {
    const sample = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "\u00a0"), maxLength: 60 });
    const units = fc.oneof(fc.nat(70), fc.constant(Number.POSITIVE_INFINITY));
    fc.assert(
      fc.property(sample, fc.nat(60), units, (text, place, count) => {
        const at = Math.min(place, text.length);
        const walking = new CollapsedText(text);
        const indexed = new CollapsedText(text);
        for (let i = 0; i < 200; i++) indexed.forth(0, Math.max(0, text.length - 1));
        expect(indexed.back(at, count)).toBe(walking.back(at, count));
        expect(indexed.forth(at, count)).toBe(walking.forth(at, count));
      }),
      { numRuns: 2000, seed: 8 },
    );
  });
});

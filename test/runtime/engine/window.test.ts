import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collapse, Windows } from "../../../runtime/engine/window.ts";

describe("windows", () => {
  it("cover exactly the union of what was added, ordered and disjoint", () => {
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

describe("the collapsed index", () => {
  it("does not exist for a text without runs of white space", () => {
    expect(collapse("a b c\nd")).toBeUndefined();
  });

  it("counts a run of white space as one unit", () => {
    const index = collapse("a  \n b");
    expect([0, 1, 2, 4, 5, 6].map((offset) => index?.unitsBefore(offset))).toEqual([0, 1, 2, 2, 2, 3]);
    expect([-1, 0, 1, 2, 3, 9].map((unit) => index?.offsetOf(unit))).toEqual([0, 0, 1, 5, 6, 6]);
  });
});

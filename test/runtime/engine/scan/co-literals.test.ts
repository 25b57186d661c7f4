import { describe, expect, it } from "vitest";
import { CoLiterals, type CoLiteralUse } from "../../../../runtime/engine/scan/co-literals.ts";

function use(set: number, literal: string): CoLiteralUse {
  return { kind: "co-literal", set, literal };
}

// Literal 1 is no co-literal, and the two of literal 2 differ in their sign only.
const sets = new CoLiterals(
  [[use(0, "all")], [], [use(1, "'key"), use(2, "`key")], [use(1, "all"), use(0, "rules")]],
  3,
);

describe("co-literals", () => {
  it("are present in a text by the sets of what was found in it, and in no later text", () => {
    expect([0, 1, 2].map(sets.presentIn([2, 4, 1, 9]))).toEqual([false, true, true]);
    expect([0, 1, 2].map(sets.presentIn([0, 3]))).toEqual([true, false, false]);
    expect([0, 1, 2].map(sets.presentIn([]))).toEqual([false, false, false]);
  });

  it("have the ends of the wanted sets only, and of the literal as each set has it", () => {
    const text = "all `key all rules";
    const hits = [0, 3, 2, 8, 0, 12, 3, 18];
    expect(sets.endsOf([0], hits, text)).toEqual([[3, 12, 18]]);
    expect(sets.endsOf([2, 1], hits, text)).toEqual([[8], []]);
    expect(sets.endsOf([1], hits, "all 'key all rules")).toEqual([[8]]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { automatonTables, openAutomaton } from "../../../../runtime/engine/pattern/aho-corasick.ts";
import { literalIndexTables, openLiteralIndex } from "../../../../runtime/engine/pattern/literal-index.ts";
import { automatonFoldText } from "../../../../runtime/engine/text/fold.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";

function byAutomaton(literals: readonly string[], text: string): string[] {
  const found: string[] = [];
  openAutomaton(automatonTables(literals)).scan(text, (literal, end) => found.push(`${literal}@${end}`));
  return found;
}

function byIndex(literals: readonly string[], text: string, maxFiled?: number): string[] {
  const found: string[] = [];
  const tables = literalIndexTables(literals, maxFiled === undefined ? {} : { maxFiled });
  openLiteralIndex(tables).scan(text, (literal, end) => found.push(`${literal}@${end}`));
  return found;
}

const parts = (units: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...units), { minLength: 1, maxLength }).map((list) => list.join(""));

const literal = (units: readonly string[], maxLength: number) =>
  parts(units, maxLength)
    .map((text) => automatonFoldText(text).trim())
    .filter((text) => text !== "");

describe("the index of literals", () => {
  const sample = sampleOf({ n: 1_000, seed: 1 });

  it("finds what the automaton finds, in the same order", () => {
    const literals = fc.uniqueArray(literal(["a", "b", "c"], 12), { minLength: 1, maxLength: 20 });
    const text = parts(["a", "b", "c", "x", "abcab", "bcabca"], 60);
    fc.assert(
      fc.property(literals, text, (list, source) => {
        expect(byIndex(list, source)).toEqual(byAutomaton(list, source));
      }),
      { numRuns: sample.n, seed: sample.seed },
    );
    reportSample({ n: sample.n, failures: 0 });
  });

  it("finds the same with runs of white space and of s, and with folded letters", () => {
    const units = ["a", "s", "ss", "\u00df", " ", "  ", "\n\t", "e", "\u0435", "E", "x"];
    const literals = fc.uniqueArray(literal(units, 14), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(literals, parts(units, 80), (list, source) => {
        expect(byIndex(list, source)).toEqual(byAutomaton(list, source));
      }),
      { numRuns: sample.n, seed: sample.seed + 1 },
    );
    reportSample({ n: sample.n, failures: 0 });
  });

  it("finds the same when n-grams have no room for most literals", () => {
    const literals = fc.uniqueArray(literal(["a", "b"], 10), { minLength: 6, maxLength: 40 });
    fc.assert(
      fc.property(literals, parts(["a", "b", "ab", "s"], 80), fc.constantFrom(1, 2), (list, source, maxFiled) => {
        // Literals with the same end and the automaton between them may change places.
        expect(byIndex(list, source, maxFiled).sort()).toEqual(byAutomaton(list, source).sort());
      }),
      { numRuns: sample.n, seed: sample.seed + 2 },
    );
    reportSample({ n: sample.n, failures: 0 });
  });

  it("finds long literals", () => {
    const list = ["ab".repeat(100), "b".repeat(65), "b".repeat(64), "abc"];
    const source = `x${"ab".repeat(101)}c${"b".repeat(70)}`;
    expect(byIndex(list, source).sort()).toEqual(byAutomaton(list, source).sort());
    expect(literalIndexTables(list).others?.literals.length).toBe(2);
  });

  it("compares few literals at a place, whatever the literals are", () => {
    const list = Array.from({ length: 2_000 }, (_, index) =>
      index.toString(2).padStart(12, "0").replaceAll("0", "a").replaceAll("1", "b"),
    );
    const { grams, others } = literalIndexTables(list);
    const filed = grams.filter((_, at) => at % 4 === 1).map((entry) => entry >>> 8);
    expect(Math.max(...filed)).toBe(16);
    expect(others?.literals.length).toBeGreaterThan(1_000);
    const source = "abbabaabbbab".repeat(20);
    expect(byIndex(list, source).sort()).toEqual(byAutomaton(list, source).sort());
  });

  it("searches again from within a visitor", () => {
    const index = openLiteralIndex(literalIndexTables(["order", "system"].map(automatonFoldText)));
    const found: string[] = [];
    index.scan("system order", (outer, end) => {
      found.push(`${outer}@${end}`);
      index.scan("order", (inner) => found.push(`inner ${inner}`));
    });
    expect(found).toEqual(["1@6", "inner 0", "0@12", "inner 0"]);
  });

  it("searches texts of any length", () => {
    const index = openLiteralIndex(literalIndexTables(["order"]));
    let count = 0;
    for (const length of [0, 1, 32_767, 32_768, 100_000]) {
      index.scan("-".repeat(length), () => count++);
      index.scan(`${"-".repeat(length)}order`, () => count++);
    }
    expect(count).toBe(5);
  });

  it("has no hits without literals", () => {
    expect(byIndex([], "anything")).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { regex } from "../../../../runtime/engine/detectors/regex.ts";
import { compilePattern } from "../../../../runtime/engine/pattern/compile-pattern.ts";
import { patternStateBytes } from "../../../../runtime/engine/pattern/memory-budget.ts";
import { findMatches, type SearchWork } from "../../../../runtime/engine/pattern/pattern-search.ts";
import { flags, pattern, text, tryCompile, wholeMatches } from "./sample-pattern.ts";

describe("lengths of matches", () => {
  it("lie between the minimum and the maximum of the program", () => {
    fc.assert(
      fc.property(pattern, flags, text, (source, given, sample) => {
        const compiled = tryCompile(source, given);
        if (compiled === undefined || compiled.elastic) return;
        for (const { start, end } of wholeMatches(compiled, sample)) {
          expect(end - start).toBeGreaterThanOrEqual(compiled.minLength);
          expect(end - start).toBeLessThanOrEqual(compiled.maxLength);
        }
      }),
      { numRuns: 1000, seed: 5 },
    );
  });

  it.each<[string, number, number]>([
    ["abc", 3, 3],
    ["a{2,5}b?", 2, 6],
    ["a+", 1, Number.POSITIVE_INFINITY],
    ["a\\s*b", 2, 3],
    ["😀", 2, 2],
    [".", 1, 2],
  ])("%s matches from %d to %d units", (source, least, most) => {
    const compiled = compilePattern(source);
    expect([compiled.minLength, compiled.maxLength]).toEqual([least, most]);
  });
});

describe("a refused pattern", () => {
  it.each<[string, RegExp]>([
    ["(?=a)b", /look-around/],
    ["(?<!a)b", /look-around/],
    ["(a)\\1", /back-reference/],
    ["(?>a)", /atomic/],
    ["a++", /possessive/],
    ["a{1001}", /1,000/],
    ["[a", /closing \]/],
    ["\\Ga", /another engine/],
  ])("%s says why", (source, message) => {
    expect(() => compilePattern(source)).toThrow(message);
  });

  it("can never match", () => {
    expect(() => compilePattern("[^\\x00-\\x{10FFFF}]")).toThrow(/never match/);
  });
});

// The search for literals once took seconds to minutes for each of these.
describe("a hostile pattern", () => {
  it.each([
    ["(?:(?:(?:[ab]?[cd]?){10}){10}){9}[ef0]", 3_603],
    ["(?:(?:(?:[ab]?[cd]?){10}){10}){9}[ef1]", 3_603],
    ["(?:(?:(?:[ab]?[cd]?){10}){10}){9}[ef2]", 3_603],
    ["(?:[ab]?[cd]?[ef]?[gh]?[ij]?[kl]?[mn]?){1000}", 14_002],
    ["(?:\\s?x?){900}q", 3_603],
  ])("is looked into within a bound: %s", (source, size) => {
    const compiled = compilePattern(source);
    expect([compiled.programSize, compiled.requiredLiterals]).toEqual([size, []]);
  });

  it("is not compiled when the ones before it already have too many instructions", () => {
    const large = Array.from({ length: 500 }, (_, n) => `${"(?:a?){1000}".repeat(12)}b${n}`);
    const problems = regex.definition.check?.({ patterns: large }) ?? [];
    expect(problems.map(({ path }) => path)).toEqual([...["patterns[0]", "patterns[1]", "patterns[2]"], "patterns"]);
  });
});

describe("hostile text", () => {
  it.each(["(a*)*b", "(a|a)*c", "(a+)+$", "x*y|x", "(?:a_)*a_b", "(.*)(.*)(.*)(.*)z"])(
    "does not make %s slow",
    (source) => {
      const compiled = compilePattern(source);
      for (const unit of ["a", "a_", "x", "ab"]) {
        const sample = unit.repeat(20_000 / unit.length);
        const work: SearchWork = { units: 0 };
        findMatches(compiled, sample, 0, sample.length, { work });
        expect(work.units).toBeLessThanOrEqual(1_000_000 + 40 * sample.length);
      }
    },
  );

  it("skips no text silently when the step budget is used up", () => {
    const compiled = compilePattern("x*y|x");
    const sample = "x".repeat(50_000);
    const matches = findMatches(compiled, sample, 0, sample.length);
    expect(matches.length).toBeLessThan(100);
    expect(matches.at(-1)?.end).toBe(sample.length);
  });

  it("does not spend the budget on many short matches", () => {
    const sample = "12 abc@de.fg ".repeat(5_000);
    for (const source of ["\\d+", "\\w+@\\w+\\.\\w+", "\\w+"]) {
      const compiled = compilePattern(source);
      expect(findMatches(compiled, sample, 0, sample.length).length).toBe(wholeMatches(compiled, sample).length);
    }
  });

  it("costs a bounded number of bytes, which is reported", () => {
    const before = patternStateBytes();
    const compiled = compilePattern("key-(?:[a-z0-9]{1,12}[.-]){1,8}[a-z]{2,40}(?:x[a-f]{3}|y[0-9]{4})end");
    const random = seededRandom(1);
    for (let n = 0; n < 200; n++) {
      const sample = `key-${Array.from({ length: 400 }, () => "abcxyz019.-"[Math.floor(random() * 11)]).join("")}`;
      findMatches(compiled, sample, 0, sample.length);
    }
    expect(patternStateBytes()).toBeGreaterThan(before);
    expect(patternStateBytes() - before).toBeLessThan(2 * 2 ** 20);
  });
});

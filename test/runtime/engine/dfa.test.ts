import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { LazyDfa, noMatch, outOfBudget } from "../../../runtime/engine/dfa.ts";
import { type DfaTables, dfaTables } from "../../../runtime/engine/dfa-state.ts";
import { measure } from "../../../runtime/engine/distance.ts";
import { readProgram } from "../../../runtime/engine/program.ts";

const assertions = ["\\b", "\\B", "^", "$", "\\A", "\\z"];
const atoms = [
  "abc",
  "foo",
  "k",
  "ſ",
  "é",
  "😀",
  "x",
  "\\d",
  "\\w",
  "\\W",
  "\\s",
  "[ab]",
  "[^a]",
  "[^\\n]",
  ".",
].concat(["(?:ab|cd)", "[😀-😂]", "[\\x{d7ff}-\\x{e000}]", "\\p{L}"]);
const quantifier = fc.constantFrom("", "", "", "?", "*", "+", "{2}", "{0,3}", "{1,40}");
const piece = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...assertions) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...atoms), quantifier).map(([atom, count]) => `(?:${atom})${count}`),
  },
);
const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
const units = [..."abckKxX \n\t-1_é😀😁😂ſ\u212a", "foo", "abc", "\ud83d", "\ude00", "\ud7ff", "\ue000", "Ж"];
const text = fc.array(fc.constantFrom(...units), { maxLength: 30 }).map((parts) => parts.join(""));
const flags = fc.constantFrom(0, RE2JS.CASE_INSENSITIVE, RE2JS.MULTILINE, RE2JS.DOTALL | RE2JS.CASE_INSENSITIVE);
const mostBytes = 2 ** 20;
const memory = { mostBytes, ownBytes: mostBytes, shared: { leftBytes: mostBytes } };
const enough = { left: Number.POSITIVE_INFINITY };

interface Sample {
  readonly engine: RE2JS;
  readonly source: string;
}

function compile(source: string, bits: number): Sample | undefined {
  const engine = RE2JS.compile(source, bits);
  const { minLength } = measure(readProgram(engine));
  return minLength === 0 || !Number.isFinite(minLength) ? undefined : { engine, source };
}

function dfaOf(samples: readonly Sample[]): LazyDfa {
  return LazyDfa.over(tablesOf(samples), memory);
}

function tablesOf(samples: readonly Sample[]): DfaTables {
  const tables = dfaTables(samples.map(({ engine }) => readProgram(engine)));
  if (tables === undefined) throw new Error("too many classes");
  return tables;
}

describe("the lazy automaton", () => {
  it("says of every text whether a pattern matches, as the engine does", () => {
    let matched = 0;
    fc.assert(
      fc.property(pattern, flags, fc.array(text, { minLength: 3, maxLength: 3 }), (source, bits, texts) => {
        const sample = compile(source, bits);
        if (sample === undefined) return;
        const dfa = dfaOf([sample]);
        for (const each of texts) {
          const expected = sample.engine.matcher(each).find();
          if (expected) matched++;
          const place = dfa.find(each, { from: 0, at: 0, to: each.length }, enough);
          expect(place !== noMatch).toBe(expected);
        }
      }),
      { numRuns: 3000, seed: 1 },
    );
    expect(matched).toBeGreaterThan(1000);
  });

  it("says between which places the first match lies, so that the engine finds it again there", () => {
    let narrow = 0;
    fc.assert(
      fc.property(pattern, flags, text, text, text, (source, bits, before, each, after) => {
        const sample = compile(source, bits);
        if (sample === undefined) return;
        const whole = before + each + after;
        const matcher = sample.engine.matcher(whole);
        const place = dfaOf([sample]).find(whole, { from: 0, at: 0, to: whole.length }, enough);
        expect(matcher.find()).toBe(typeof place !== "number");
        if (typeof place === "number") return;
        expect(matcher.start()).toBeGreaterThanOrEqual(place.low);
        expect(matcher.end()).toBeLessThanOrEqual(place.high);
        if (place.low > 0 && place.high < whole.length) narrow++;
      }),
      { numRuns: 2000, seed: 7 },
    );
    expect(narrow).toBeGreaterThan(150);
  });

  it("says which of many patterns match, as the engine does for each", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(pattern, flags), { minLength: 1, maxLength: 8 }), text, (sources, each) => {
        const samples = sources.map(([source, bits]) => compile(source, bits)).filter((sample) => sample !== undefined);
        const found = new Set<number>();
        expect(dfaOf(samples).findAll(each, { from: 0, to: each.length }, found, enough)).toBe(true);
        const expected = samples.flatMap(({ engine }, index) => (engine.matcher(each).find() ? [index] : []));
        expect([...found].sort((a, b) => a - b)).toEqual(expected);
      }),
      { numRuns: 1000, seed: 2 },
    );
  });

  it("goes on in the middle of a text as in the whole of it", () => {
    fc.assert(
      fc.property(pattern, flags, text, fc.nat(30), (source, bits, each, place) => {
        const sample = compile(source, bits);
        const at = Math.min(place, each.length);
        if (sample === undefined || (each.charCodeAt(at) & 0xfc00) === 0xdc00) return;
        const end = dfaOf([sample]).find(each, { from: 0, at, to: each.length }, enough);
        expect(end !== noMatch).toBe(sample.engine.matcher(each).find(at));
      }),
      { numRuns: 1000, seed: 3 },
    );
  });

  it("gives up when building states has cost what it may, and never answers wrongly for it", () => {
    const sample = compile("(?:a|b){20,60}c", 0);
    if (sample === undefined) throw new Error("does not compile");
    const each = `${"ab".repeat(40)}c`;
    expect(dfaOf([sample]).find(each, { from: 0, at: 0, to: each.length }, { left: 50 })).toBe(outOfBudget);
    const dfa = dfaOf([sample]);
    while (dfa.find(each, { from: 0, at: 0, to: each.length }, { left: 50 }) === outOfBudget);
    expect(dfa.find(each, { from: 0, at: 0, to: each.length }, { left: 0 })).toMatchObject({
      low: 0,
      high: each.length,
    });
  });

  it("keeps its tables within bounds, and answers rightly after it threw them away", () => {
    const sample = compile("[ab]{0,12}a[ab]{14}c", 0);
    if (sample === undefined) throw new Error("does not compile");
    const dfa = dfaOf([sample]);
    const random = fc.sample(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 3000, maxLength: 3000 }), {
      numRuns: 40,
      seed: 5,
    });
    for (const each of random) {
      expect(dfa.find(each, { from: 0, at: 0, to: each.length }, enough)).toBe(noMatch);
      expect(dfa.find(`${each}aaaaaaaaaaaaaaac`, { from: 0, at: 0, to: each.length + 16 }, enough)).toMatchObject({
        high: each.length + 16,
      });
    }
    expect(dfa.sizeBytes).toBeLessThan(1.1 * mostBytes);
  });
});

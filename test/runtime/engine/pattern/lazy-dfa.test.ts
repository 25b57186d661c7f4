import fc from "fast-check";
import { RE2JS } from "re2js";
import { afterAll, describe, expect, it } from "vitest";
import { type DfaTables, dfaTables } from "../../../../runtime/engine/pattern/dfa-state.ts";
import { LazyDfa, noMatch, outOfBudget } from "../../../../runtime/engine/pattern/lazy-dfa.ts";
import { measureMatches } from "../../../../runtime/engine/pattern/match-length.ts";
import { readProgram } from "../../../../runtime/engine/pattern/program.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";

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
const maxBytes = 2 ** 20;
const memory = { maxBytes, ownBytes: maxBytes, shared: { leftBytes: maxBytes } };
const enough = { left: Number.POSITIVE_INFINITY };

interface Sample {
  readonly engine: RE2JS;
  readonly source: string;
}

function compile(source: string, bits: number): Sample | undefined {
  const engine = RE2JS.compile(source, bits);
  const { minLength } = measureMatches(readProgram(engine));
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

const sample = sampleOf({ n: 1_000, seed: 1 });
afterAll(() => reportSample({ n: 2 * sample.n, failures: 0 }));

describe("the lazy DFA", () => {
  it("agrees with the regex engine on whether a pattern matches", () => {
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
      { numRuns: sample.n, seed: sample.seed },
    );
    expect(matched).toBeGreaterThan(sample.n / 3);
  });

  it("gives bounds of the first match, within which the regex engine finds it", () => {
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
      { numRuns: sample.n, seed: sample.seed + 6 },
    );
    expect(narrow).toBeGreaterThan(sample.n / 15);
  });

  it("agrees with the regex engine on which of many patterns match", () => {
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

  it("continues in the middle of a text with the same result as on the whole text", () => {
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

  it("gives up when the budget for building states is used up, and never gives a wrong answer", () => {
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

  it("keeps its tables within bounds, and answers correctly after discarding them", () => {
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
    expect(dfa.sizeBytes).toBeLessThan(1.1 * maxBytes);
  });
});

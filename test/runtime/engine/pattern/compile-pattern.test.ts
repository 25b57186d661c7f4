import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { injectionRules } from "../../../../runtime/engine/detectors/injection/injection.ts";
import { expandRule } from "../../../../runtime/engine/detectors/injection/rule.ts";
import { compilePattern, splitsPair } from "../../../../runtime/engine/pattern/compile-pattern.ts";
import type { LinearPattern, PatternMatch } from "../../../../runtime/engine/pattern/linear-pattern.ts";
import {
  type LiteralIndex,
  literalIndexTables,
  openLiteralIndex,
} from "../../../../runtime/engine/pattern/literal-index.ts";
import { measureMatches } from "../../../../runtime/engine/pattern/match-length.ts";
import { coreProgramOf } from "../../../../runtime/engine/pattern/optional-prefix.ts";
import { findMatches } from "../../../../runtime/engine/pattern/pattern-search.ts";
import { readProgram } from "../../../../runtime/engine/pattern/program.ts";
import { CollapsedText, windowsOf } from "../../../../runtime/engine/pattern/search-windows.ts";
import { automatonFoldText, endsWithLiteral } from "../../../../runtime/engine/text/fold.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { flags, pattern, text, textPart, tryCompile, wholeMatches } from "./sample-pattern.ts";

/** Matches found by literals and windows, as the scanner finds them. */
function gatedMatches(pattern: LinearPattern, text: string): PatternMatch[] {
  const { requiredLiterals, coLiterals } = pattern;
  const ends = endsOf(pattern, text);
  const hits = requiredLiterals.flatMap((required, index) => (ends[index] ?? []).map((end) => ({ required, end })));
  const coEnds = coLiterals.length === 0 ? undefined : ends.slice(requiredLiterals.length).flat().sort(ascending);
  const windows = windowsOf(pattern, hits, { text, coEnds, collapse: () => new CollapsedText(text) });
  const found: PatternMatch[] = [];
  windows?.windows.each((from, to) => found.push(...findMatches(pattern, text, from, to, { starts: windows.starts })));
  return found;
}

function ascending(one: number, other: number): number {
  return one - other;
}

/** Whether a match begins at an offset, according to the engine alone. */
function matchesAt({ engine }: LinearPattern, text: string, at: number): boolean {
  const matcher = engine.matcher(text);
  return !splitsPair(text, at) && matcher.find(at) && matcher.start() === at;
}

/** By pattern, since each is tried on several texts. */
const indexes = new WeakMap<LinearPattern, LiteralIndex>();

/** The ascending ends of each literal of a pattern: first of the required ones, then of the co-literals. */
function endsOf(pattern: LinearPattern, text: string): number[][] {
  const literals = [...pattern.requiredLiterals.map(({ literal }) => literal), ...pattern.coLiterals];
  const index = indexes.get(pattern) ?? openLiteralIndex(literalIndexTables(literals.map(automatonFoldText)));
  indexes.set(pattern, index);
  const found = literals.map((): number[] => []);
  index.scan(text, (literal, end) => {
    if (endsWithLiteral(text, end, literals[literal] ?? "")) found[literal]?.push(end);
  });
  return found;
}

describe("a pattern with required literals", () => {
  const sample = sampleOf({ n: 700, seed: 4 });

  it("has the same matches in windows as in the whole text", () => {
    let gated = 0;
    fc.assert(
      fc.property(pattern, flags, fc.array(text, { minLength: 3, maxLength: 3 }), (source, given, texts) => {
        const compiled = tryCompile(source, given);
        if (compiled === undefined || compiled.minLength === 0 || compiled.requiredLiterals.length === 0) return;
        gated++;
        for (const sample of texts) expect(gatedMatches(compiled, sample)).toEqual(wholeMatches(compiled, sample));
      }),
      { numRuns: sample.n, seed: sample.seed },
    );
    expect(gated).toBeGreaterThan(sample.n / 6);
    reportSample({ n: sample.n, failures: 0 });
  });

  it("has them for every built-in pattern too, on texts made of its own literals", { timeout: 900_000 }, () => {
    const compiled = injectionRules.map(({ pattern: source, caseSensitive }) =>
      compilePattern(expandRule(source), { ignoreCase: caseSensitive !== true }),
    );
    fc.assert(
      fc.property(
        fc.nat(compiled.length - 1),
        fc.array(fc.nat(999), { maxLength: 12 }),
        fc.array(textPart),
        (which, picks, parts) => {
          const built = compiled[which];
          if (built === undefined) return;
          expect(built.requiredLiterals.length).toBeGreaterThan(0);
          const literals = [...built.requiredLiterals.map(({ literal }) => literal), ...built.coLiterals];
          const sample = picks.map((pick, i) => `${literals[pick % literals.length]}${parts[i] ?? " all "}`).join("");
          expect(gatedMatches(built, sample)).toEqual(wholeMatches(built, sample));
        },
      ),
      { numRuns: sample.n, seed: sample.seed + 7 },
    );
    reportSample({ n: sample.n, failures: 0 });
  });

  it("has the same matches when a search knows where they may begin", () => {
    let found = 0;
    fc.assert(
      fc.property(pattern, flags, text, fc.array(fc.nat(60)), (source, given, sample, others) => {
        const compiled = tryCompile(source, given);
        if (compiled === undefined || compiled.minLength === 0) return;
        const begins = Array.from({ length: sample.length }, (_, at) => at).filter((at) =>
          matchesAt(compiled, sample, at),
        );
        const offsets = [...new Set([...begins, ...others])].sort((a, b) => a - b);
        const starts = offsets.flatMap((at) => [at, at + 1]);
        found += begins.length;
        expect(findMatches(compiled, sample, 0, sample.length, { starts })).toEqual(wholeMatches(compiled, sample));
      }),
      { numRuns: sample.n, seed: sample.seed + 19 },
    );
    expect(found).toBeGreaterThan(sample.n / 3);
    reportSample({ n: sample.n, failures: 0 });
  });

  it("has them when it begins with an optional prefix too", () => {
    const prefixes = fc.constantFrom(
      "[\\w.-]{0,5}?",
      "[\\w.-]{0,5}",
      "(?:ab|c)?",
      "(?:é|😀){0,2}",
      "(\\w )?",
      "(?:a?b?)",
      "(?:^a|b)?",
    );
    let led = 0;
    fc.assert(
      fc.property(
        prefixes,
        pattern,
        flags,
        fc.array(text, { minLength: 3, maxLength: 3 }),
        (prefix, source, given, texts) => {
          const compiled = tryCompile(prefix + source, given);
          if (compiled === undefined || compiled.minLength === 0) return;
          const program = readProgram(compiled.engine);
          if (coreProgramOf(program, measureMatches(program)).maxPrefixLength > 0) led++;
          for (const sample of texts)
            expect(findMatches(compiled, sample, 0, sample.length)).toEqual(wholeMatches(compiled, sample));
        },
      ),
      { numRuns: sample.n, seed: sample.seed + 13 },
    );
    expect(led).toBeGreaterThan(sample.n / 10);
    reportSample({ n: sample.n, failures: 0 });
  });

  it.each<[string, string[]]>([
    ["ignore\\s+all\\s+previous", ["ignore all previous"]],
    ["(?i)\\b(?:ghp|gho)_[a-z0-9]{36}\\b", ["ghp_", "gho_"]],
    ["\\d{3}-(?:USD|EUR)", ["-usd", "-eur"]],
    ["(?:foo\\d+|\\w+bar)", ["foo", "bar"]],
    ["(?:please )?ignore[sd]? me", ["ignore me", "ignored me", "ignores me"]],
    ["secret\\s*[:=]\\s*\\w+", ["secret"]],
  ])("%s requires one of %j", (source, expected) => {
    const literals = compilePattern(source).requiredLiterals.map((required) => required.literal);
    for (const literal of literals)
      expect(expected.some((text) => literal.startsWith(text) || text.startsWith(literal))).toBe(true);
    expect(literals.length).toBeGreaterThanOrEqual(1);
  });

  it.each(["\\d{3}-\\d{4}", "[a-z]+", "a?", ".*", "\\bx\\d+"])("%s has no required literal", (source) => {
    expect(compilePattern(source).requiredLiterals).toEqual([]);
  });
});

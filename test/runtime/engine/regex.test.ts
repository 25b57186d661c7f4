import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildAutomaton } from "../../../runtime/engine/automaton.ts";
import { injectionRules } from "../../../runtime/engine/detectors/injection/injection.ts";
import { expandRule } from "../../../runtime/engine/detectors/injection/rule.ts";
import { measure } from "../../../runtime/engine/distance.ts";
import { essenceOf } from "../../../runtime/engine/optional-lead.ts";
import { findMatches } from "../../../runtime/engine/pattern-search.ts";
import { readProgram } from "../../../runtime/engine/program.ts";
import { compilePattern, type LinearPattern, type PatternMatch } from "../../../runtime/engine/regex.ts";
import { CollapsedText, Windows, windowAround } from "../../../runtime/engine/window.ts";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { flags, pattern, text, textPart, tryCompile, wholeMatches } from "./sample-pattern.ts";

/** Matches found through the automaton and windows, as the scanner does it. */
function gatedMatches(pattern: LinearPattern, text: string): PatternMatch[] {
  const { gates, company } = pattern;
  if (company.length > 0 && !hasAny(company, text)) return [];
  let windows: Windows | undefined;
  const collapsed = pattern.elastic ? new CollapsedText(text) : undefined;
  buildAutomaton(gates.map((gate) => gate.literal)).scan(text, (literal, end) => {
    const gate = gates[literal];
    if (gate === undefined) throw new Error("unknown literal");
    const [from, to] = windowAround(gate, end, text.length, collapsed);
    if (windows === undefined) windows = new Windows(from, to);
    else windows.add(from, to);
  });
  const found: PatternMatch[] = [];
  windows?.each((from, to) => found.push(...findMatches(pattern, text, from, to)));
  return found;
}

function hasAny(literals: readonly string[], text: string): boolean {
  let found = false;
  buildAutomaton(literals).scan(text, () => {
    found = true;
  });
  return found;
}

describe("a gated pattern", () => {
  const sample = sampleOf({ n: 1_100, seed: 4 });

  it("matches on windows exactly what it matches on the whole text", () => {
    let gated = 0;
    fc.assert(
      fc.property(pattern, flags, fc.array(text, { minLength: 3, maxLength: 3 }), (source, given, texts) => {
        const compiled = tryCompile(source, given);
        if (compiled === undefined || compiled.minLength === 0 || compiled.gates.length === 0) return;
        gated++;
        for (const sample of texts) expect(gatedMatches(compiled, sample)).toEqual(wholeMatches(compiled, sample));
      }),
      { numRuns: sample.n, seed: sample.seed },
    );
    expect(gated).toBeGreaterThan(sample.n / 6);
    reportSample({ n: sample.n, failures: 0 });
  });

  it("matches so too for every built-in pattern, on texts made of its own literals", () => {
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
          expect(built.gates.length).toBeGreaterThan(0);
          const sample = picks
            .map((pick, i) => `${built.gates[pick % built.gates.length]?.literal}${parts[i] ?? " all "}`)
            .join("");
          expect(gatedMatches(built, sample)).toEqual(wholeMatches(built, sample));
        },
      ),
      { numRuns: sample.n, seed: sample.seed + 7 },
    );
    reportSample({ n: sample.n, failures: 0 });
  });

  it("matches so too when it may begin with something that it does not need", () => {
    const leads = fc.constantFrom(
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
        leads,
        pattern,
        flags,
        fc.array(text, { minLength: 3, maxLength: 3 }),
        (lead, source, given, texts) => {
          const compiled = tryCompile(lead + source, given);
          if (compiled === undefined || compiled.minLength === 0) return;
          const program = readProgram(compiled.engine);
          if (essenceOf(program, measure(program)).lead > 0) led++;
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
    const literals = compilePattern(source).gates.map((gate) => gate.literal);
    for (const literal of literals)
      expect(expected.some((text) => literal.startsWith(text) || text.startsWith(literal))).toBe(true);
    expect(literals.length).toBeGreaterThanOrEqual(1);
  });

  it.each(["\\d{3}-\\d{4}", "[a-z]+", "a?", ".*", "\\bx\\d+"])("%s has no required literal", (source) => {
    expect(compilePattern(source).gates).toEqual([]);
  });
});

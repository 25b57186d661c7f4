import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { buildAutomaton } from "../../../runtime/engine/automaton.ts";
import { englishRules } from "../../../runtime/engine/detectors/injection/english.ts";
import { englishJailbreakRules } from "../../../runtime/engine/detectors/injection/english-jailbreak.ts";
import { asianRules } from "../../../runtime/engine/detectors/injection/language-asia.ts";
import { europeanRules } from "../../../runtime/engine/detectors/injection/language-europe.ts";
import { expandRule } from "../../../runtime/engine/detectors/injection/rule.ts";
import { measure } from "../../../runtime/engine/distance.ts";
import { essenceOf } from "../../../runtime/engine/optional-lead.ts";
import { PatternError } from "../../../runtime/engine/pattern-error.ts";
import { readProgram } from "../../../runtime/engine/program.ts";
import {
  compilePattern,
  findMatches,
  type LinearPattern,
  type PatternMatch,
  type SearchWork,
} from "../../../runtime/engine/regex.ts";
import { patternStateBytes } from "../../../runtime/engine/state-memory.ts";
import { CollapsedText, Windows, windowAround } from "../../../runtime/engine/window.ts";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { seededRandom } from "../spool/fault-disk.ts";

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

/** All matches in the whole text by the engine alone. */
function wholeMatches(pattern: LinearPattern, text: string): PatternMatch[] {
  const matcher = RE2JS.compile(pattern.source, pattern.engine.flags()).matcher(text);
  const found: PatternMatch[] = [];
  while (matcher.find()) {
    const groups: number[] = [];
    for (let group = 1; group <= pattern.groupCount; group++)
      groups.push(matcher.start(group), matcher.start(group) < 0 ? -1 : matcher.end(group));
    found.push({ start: matcher.start(), end: matcher.end(), groups });
  }
  return found;
}

const atom = fc.constantFrom(
  "abc",
  "foo",
  "key",
  "\\s+",
  "\\s*",
  "\\s",
  " ",
  "\\d",
  "\\w",
  "[ab]",
  "[^a]",
  ".",
  "\\b",
  "^",
  "$",
  "x",
  "é",
  "😀",
  "\\B",
  "k",
  "ſ",
  "(?:ab|cd)",
);
const quantifier = fc.constantFrom("", "", "", "?", "*", "+", "{2}", "{0,3}", "*?", "+?");
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  pattern: fc.oneof(
    { weight: 3, arbitrary: fc.array(tie("piece"), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("")) },
    { weight: 1, arbitrary: fc.tuple(tie("piece"), tie("piece")).map(([a, b]) => `(?:${a}|${b})`) },
  ),
  piece: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.tuple(atom, quantifier).map(([a, q]) => (/^[\\][bB]$|^[\^$]$/.test(a) ? a : `(?:${a})${q}`)),
    fc.tuple(tie("pattern"), quantifier).map(([p, q]) => `(${p})${q}`),
  ),
}));
const textPart = fc.constantFrom(
  "abc",
  "foo",
  "FOO",
  "key",
  "KEY",
  "\u212aey",
  " ",
  "  ",
  "\n",
  "\t\n ",
  "a",
  "b",
  "c",
  "d",
  "ab",
  "cd",
  "1",
  "22",
  "x",
  "é",
  "😀",
  "-",
  "\u0430bc",
  "ſ",
  "s",
  "\u00a0",
);
const text = fc.array(textPart, { maxLength: 24 }).map((parts) => parts.join(""));
const flags = fc.record({ ignoreCase: fc.boolean(), multiline: fc.boolean(), dotAll: fc.boolean() });

function tryCompile(source: string, given: Parameters<typeof compilePattern>[1]): LinearPattern | undefined {
  try {
    return compilePattern(source, given);
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
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
    const rules = [...englishRules, ...englishJailbreakRules, ...europeanRules, ...asianRules];
    const sources = rules.map((rule) => expandRule(rule.pattern));
    const compiled = sources.map((source) => compilePattern(source, { ignoreCase: true }));
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

describe("lengths of matches", () => {
  it("lie between the least and the most that the program tells", () => {
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

  it("passes nothing silently when the budget of steps ends", () => {
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

  it("is paid for with a bounded number of bytes, which is told", () => {
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

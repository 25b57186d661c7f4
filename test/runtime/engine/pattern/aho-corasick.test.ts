import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { automatonTables, openAutomaton } from "../../../../runtime/engine/pattern/aho-corasick.ts";
import { automatonFoldText } from "../../../../runtime/engine/text/fold.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";

/** All occurrences by a plain search, as "literal@end". */
function occurrences(literals: readonly string[], text: string): string[] {
  const found: string[] = [];
  literals.forEach((literal, index) => {
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1))
      found.push(`${index}@${at + literal.length}`);
  });
  return found.sort();
}

function hits(literals: readonly string[], text: string, denseEntries?: number): string[] {
  const found: string[] = [];
  openAutomaton(automatonTables(literals, { denseEntries })).scan(text, (literal, end) =>
    found.push(`${literal}@${end}`),
  );
  return found.sort();
}

const letters = (alphabet: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength });

describe("the automaton", () => {
  const sample = sampleOf({ n: 1_000, seed: 1 });

  it("finds exactly the occurrences that a plain search for each literal finds", () => {
    const literals = fc.uniqueArray(letters("abc", 5), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(literals, letters("abcx", 60), (list, text) => {
        expect(hits(list, text)).toEqual(occurrences(list, text));
      }),
      { numRuns: sample.n, seed: sample.seed },
    );
    reportSample({ n: sample.n, failures: 0 });
  });

  it("finds the same when most states have no dense row", () => {
    const literals = fc.uniqueArray(letters("abc", 8), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(literals, letters("abcx", 60), fc.integer({ min: 1, max: 40 }), (list, text, denseEntries) => {
        expect(hits(list, text, denseEntries)).toEqual(occurrences(list, text));
      }),
      { numRuns: sample.n, seed: sample.seed + 1 },
    );
    reportSample({ n: sample.n, failures: 0 });
  });

  it("counts a run of white space as one symbol, with and without dense rows", () => {
    const word = letters("ab", 3);
    const literals = fc.uniqueArray(
      fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
      { minLength: 1, maxLength: 8 },
    );
    const text = fc
      .array(fc.oneof(word, fc.constantFrom(" ", "  ", "\n", "\t \u00a0")), { maxLength: 30 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(literals, text, fc.constantFrom(1, 12, undefined), (list, source, denseEntries) => {
        // Each literal is found as often as in the collapsed text.
        const collapsed = source.replace(/\s+/g, " ");
        const count = (found: readonly string[], index: number) =>
          found.filter((hit) => hit.startsWith(`${index}@`)).length;
        const inSource = hits(list, source, denseEntries);
        const inCollapsed = occurrences(list, collapsed);
        for (const index of list.keys()) expect(count(inSource, index)).toBe(count(inCollapsed, index));
      }),
      { numRuns: sample.n, seed: sample.seed + 2 },
    );
    reportSample({ n: sample.n, failures: 0 });
  });

  it("counts a run of s as one symbol, and a sharp s as such a run, with and without dense rows", () => {
    const literals = fc.uniqueArray(
      letters("abs", 5).map((text) => text.replace(/s+/g, "s")),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    const text = fc
      .array(fc.constantFrom("a", "b", "s", "ss", "\u00df", "x"), { maxLength: 30 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(literals, text, fc.constantFrom(1, 12, undefined), (list, source, denseEntries) => {
        // A literal that ends in s is found after each s of the run.
        const places = new Map<number, number>();
        let collapsed = "";
        for (const [at, char] of [...source.replace(/\u00df/g, "s")].entries()) {
          if (!(char === "s" && collapsed.endsWith("s"))) collapsed += char;
          places.set(at + 1, collapsed.length);
        }
        const wanted = [...list.entries()].flatMap(([index, literal]) =>
          [...places].flatMap(([end, place]) =>
            collapsed.slice(0, place).endsWith(literal) ? [`${index}@${end}`] : [],
          ),
        );
        expect(hits(list, source, denseEntries)).toEqual(wanted.sort());
      }),
      { numRuns: sample.n, seed: sample.seed + 3 },
    );
    reportSample({ n: sample.n, failures: 0 });
  });

  it("folds case and look-alike letters", () => {
    expect(hits([automatonFoldText("paypal")], "P\u0430yP\u0430l")).toEqual(["0@6"]);
  });

  it("keeps every literal when there are more symbols than classes", () => {
    const literals = Array.from({ length: 2000 }, (_, index) => String.fromCharCode(0x4e00 + index, 0x5000 + index));
    const text = literals.join("");
    const found = new Set(hits(literals, text));
    for (const hit of occurrences(literals, text)) expect(found.has(hit)).toBe(true);
    expect(openAutomaton(automatonTables(literals)).classCount).toBe(256);
  });

  it("stays within its memory for 10,000 long keywords", () => {
    const literals = Array.from({ length: 10_000 }, (_, index) =>
      automatonFoldText(`${index.toString(36)} ${"wort ".repeat(index % 30)}ende`),
    );
    const automaton = openAutomaton(automatonTables(literals));
    expect(automaton.denseCount * Math.min(64, automaton.classCount)).toBeLessThanOrEqual(1 << 20);
    const found: number[] = [];
    automaton.scan(literals[9_876] ?? "", (literal) => found.push(literal));
    expect(found).toContain(9_876);
  });

  it("has no hits without literals", () => {
    expect(hits([], "anything")).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patterns } from "../../../../bench/load/patterns.ts";
import type { PatternProbe } from "../../../../runtime/engine/detectors/detector-plan.ts";
import { compilePattern } from "../../../../runtime/engine/pattern/compile-pattern.ts";
import type { LinearPattern } from "../../../../runtime/engine/pattern/linear-pattern.ts";
import { PatternError } from "../../../../runtime/engine/pattern/pattern-error.ts";
import { PatternGroups } from "../../../../runtime/engine/scan/pattern-groups.ts";
import { reads, viewsOf } from "../../../../runtime/engine/text/normalize.ts";

function probe(pattern: LinearPattern): PatternProbe {
  return { pattern, folded: false, accept: () => undefined };
}

/** The patterns that may match, by index. */
function matching(list: readonly LinearPattern[], text: string, left: number): number[] {
  const uses = list.map((pattern) => ({ job: 0, probe: probe(pattern) }));
  const [view] = viewsOf(text, reads.given);
  if (view === undefined) throw new Error("a text has a form");
  const found = new PatternGroups(uses, () => reads.given).matching(view, () => true, { left });
  return found.map((use) => uses.indexOf(use)).sort((a, b) => a - b);
}

function whole(list: readonly LinearPattern[], text: string): number[] {
  return list.flatMap((pattern, index) => (pattern.engine.matcher(text).find() ? [index] : []));
}

function tryCompile(source: string): LinearPattern[] {
  try {
    const pattern = compilePattern(source);
    return pattern.requiredLiterals.length === 0 && pattern.minLength > 0 ? [pattern] : [];
  } catch (error) {
    if (error instanceof PatternError) return [];
    throw error;
  }
}

const atom = fc.constantFrom(
  "\\d",
  "[0-9]",
  "[A-Z]",
  "[a-z]",
  "[A-Fa-f0-9]",
  "[ -]",
  ":",
  "\\w",
  ".",
  "\\b",
  "^",
  "$",
  "(?:\\d|x)",
  "é",
);
const quantifier = fc.constantFrom("", "", "?", "{2}", "{1,3}", "*", "+");
const source = fc
  .array(
    fc.tuple(atom, quantifier).map(([a, q]) => (/^[\\]b$|^[\^$]$/.test(a) ? a : `${a}${q}`)),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => pieces.join(""));
const text = fc.string({ unit: fc.constantFrom(..."0123 aBcDxZ:-._é😀\n", "word ", "word "), maxLength: 60 });

describe("patterns without a required literal", () => {
  it("match in a group exactly where each matches alone", () => {
    let withRare = 0;
    let found = 0;
    fc.assert(
      fc.property(fc.array(source, { minLength: 1, maxLength: 6 }), text, (sources, sample) => {
        const list = sources.flatMap(tryCompile);
        withRare += list.filter(({ rareCharacters }) => rareCharacters !== "none").length;
        const wanted = whole(list, sample);
        found += wanted.length;
        const answer = matching(list, sample, Number.POSITIVE_INFINITY);
        // A pattern alone in its group is not filtered, so it is always searched.
        expect(wanted.filter((index) => !answer.includes(index))).toEqual([]);
        if (list.length > 1)
          for (const index of answer) if (!wanted.includes(index)) expect(isAlone(list, index)).toBe(true);
      }),
      { numRuns: 2000, seed: 1 },
    );
    expect(withRare).toBeGreaterThan(500);
    expect(found).toBeGreaterThan(500);
  });

  it("are all searched when the budget for building automata is used up", () => {
    const list = patterns().slice(0, 40).flatMap(tryCompile);
    expect(matching(list, "call 415 555 0132 or 4111 1111 1111 1111 now", 10)).toHaveLength(list.length);
  });

  it("do not search prose", () => {
    const list = patterns().slice(0, 70).flatMap(tryCompile);
    expect(list.filter(({ rareCharacters }) => rareCharacters === "none")).toEqual([]);
    expect(
      matching(list, "nothing to see here, whatever you may think of it, and 1 is no number of many digits.", 0),
    ).toEqual([]);
  });
});

/** Whether no other pattern shares the group of this one. */
function isAlone(list: readonly LinearPattern[], index: number): boolean {
  const kind = ({ rareCharacters, elastic, maxLength }: LinearPattern) =>
    elastic || maxLength > 64 ? "none" : rareCharacters;
  const own = list[index];
  return own !== undefined && list.filter((other) => kind(other) === kind(own)).length === 1;
}

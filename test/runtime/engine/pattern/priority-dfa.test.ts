import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern, splitsPair } from "../../../../runtime/engine/pattern/compile-pattern.ts";
import { dfaTables } from "../../../../runtime/engine/pattern/dfa-state.ts";
import type { LinearPattern } from "../../../../runtime/engine/pattern/linear-pattern.ts";
import { noEnd, PriorityDfa, unknownEnd } from "../../../../runtime/engine/pattern/priority-dfa.ts";
import { readProgram } from "../../../../runtime/engine/pattern/program.ts";
import { flags, pattern, text, tryCompile } from "./sample-pattern.ts";

const mostBytes = 2 ** 20;
const unbounded = { left: Number.POSITIVE_INFINITY };

function orderedOf({ engine }: LinearPattern, bytes = mostBytes): PriorityDfa {
  const tables = dfaTables([readProgram(engine)]);
  if (tables === undefined) throw new Error("too many classes");
  return new PriorityDfa(tables, { maxBytes: bytes, ownBytes: bytes, shared: { leftBytes: bytes } });
}

/** The end of the match at each offset, according to the engine of the library. */
function expectedEnds({ engine }: LinearPattern, each: string): number[] {
  return Array.from({ length: each.length }, (_, at) => {
    const matcher = engine.matcher(each);
    return !splitsPair(each, at) && matcher.find(at) && matcher.start() === at ? matcher.end() : noEnd;
  });
}

function endsBy(dfa: PriorityDfa, each: string): number[] {
  const limits = { budget: unbounded, reading: { left: Number.POSITIVE_INFINITY } };
  return Array.from({ length: each.length }, (_, at) =>
    splitsPair(each, at) ? noEnd : dfa.endOf(each, { from: 0, at, to: each.length }, limits),
  );
}

describe("the priority DFA", () => {
  it("agrees with the regex engine on where a match ends, even when its tables are discarded again and again", () => {
    let matched = 0;
    fc.assert(
      fc.property(
        pattern,
        flags,
        fc.array(text, { minLength: 4, maxLength: 4 }),
        fc.boolean(),
        (source, given, texts, isSmall) => {
          const compiled = tryCompile(source, given);
          if (compiled === undefined || compiled.minLength === 0) return;
          const dfa = orderedOf(compiled, isSmall ? 500 : mostBytes);
          for (const each of texts) {
            const expected = expectedEnds(compiled, each);
            if (expected.some((end) => end !== noEnd)) matched++;
            expect(endsBy(dfa, each)).toEqual(expected);
          }
        },
      ),
      { numRuns: 2_000, seed: 9 },
    );
    expect(matched).toBeGreaterThan(500);
  });

  it("prefers the same match as a backtracking engine", () => {
    const ends = (source: string, each: string) => endsBy(orderedOf(compilePattern(source)), each)[0];
    expect(ends("a|ab", "ab")).toBe(1);
    expect(ends("ab|a", "ab")).toBe(2);
    expect(ends("a+?b?", "aab")).toBe(1);
    expect(ends("a(?:b+c)?", "abbbd")).toBe(1);
    expect(ends("a(?:$|b)", "ab")).toBe(2);
    expect(ends("ab*\\b", "abb bb")).toBe(3);
    expect(ends("abc(?:\\b|\\s)*", "abc ")).toBe(3);
  });

  it("stays within its limits of reading and building, and reports an unknown end", () => {
    const compiled = compilePattern("a[ab]{0,200}c");
    const each = `${"ab".repeat(90)}c`;
    const part = { from: 0, at: 0, to: each.length };
    const reading = { left: 50 };
    const dfa = orderedOf(compiled);
    expect(dfa.endOf(each, part, { budget: unbounded, reading })).toBe(unknownEnd);
    expect(reading.left).toBe(0);
    expect(dfa.endOf(each, part, { budget: { left: 100 }, reading: { left: 1_000 } })).toBe(unknownEnd);
    expect(dfa.endOf(each, part, { budget: unbounded, reading: { left: 1_000 } })).toBe(each.length);
    expect(dfa.endOf(each, part, { budget: { left: 0 }, reading: { left: 1_000 } })).toBe(each.length);
  });
});

import { describe, expect, it } from "vitest";
import { builtIns } from "../../../runtime/engine/detectors/built-in.ts";
import { PatternError } from "../../../runtime/engine/pattern-error.ts";
import { patternKey } from "../../../runtime/engine/pattern-facts.ts";
import { compilePattern, learnPatterns, recordPatterns } from "../../../runtime/engine/regex.ts";

describe("compiled patterns", () => {
  it("are remembered for as long as somebody uses them, however many come and go", () => {
    const used = compilePattern("\\bused-[0-9]{3}\\b");
    for (let i = 0; i < 1_500; i++) compilePattern(`gone-${i}`);
    expect(compilePattern("\\bused-[0-9]{3}\\b")).toBe(used);
    expect(compilePattern("\\bused-[0-9]{3}\\b", { ignoreCase: true })).not.toBe(used);
  });

  it("go by what was found out about them elsewhere, without being analysed or compiled", () => {
    const { result: known, facts } = recordPatterns(() => compilePattern("\\blorem-[0-9]{2}\\b"));
    const [stored] = facts.values();
    if (stored === undefined) throw new Error("the pattern is not a built-in one");
    // A pattern that cannot be compiled shows that nobody tries to.
    learnPatterns([[patternKey("(", 0), stored]]);
    const learned = compilePattern("(");
    expect(learned).toMatchObject({ gates: known.gates, minLength: known.minLength, company: known.company });
    expect(() => learned.engine).toThrow(PatternError);
    learnPatterns([]);
    expect(() => compilePattern("((")).toThrow(PatternError);
  });

  it("tell what is known about them whenever they are asked for, the built-in ones apart", () => {
    const compile = () => compilePattern("[0-9]{3}-[0-9]{4}");
    const first = recordPatterns(compile).facts;
    expect(first.size).toBe(1);
    expect(recordPatterns(compile).facts).toEqual(first);
    const [builtIn] = builtIns();
    expect(
      recordPatterns(() => compilePattern(builtIn?.source ?? "", { ignoreCase: builtIn?.bits !== 0 })).facts.size,
    ).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { builtIns } from "../../../../runtime/engine/detectors/built-in.ts";
import { compilePattern, learnPatterns, recordPatterns } from "../../../../runtime/engine/pattern/compile-pattern.ts";
import { PatternError } from "../../../../runtime/engine/pattern/pattern-error.ts";
import { patternKey } from "../../../../runtime/engine/pattern/pattern-facts.ts";

describe("compiled patterns", () => {
  it("stay in the cache while they are in use, even if many others come and go", () => {
    const used = compilePattern("\\bused-[0-9]{3}\\b");
    for (let i = 0; i < 1_500; i++) compilePattern(`gone-${i}`);
    expect(compilePattern("\\bused-[0-9]{3}\\b")).toBe(used);
    expect(compilePattern("\\bused-[0-9]{3}\\b", { ignoreCase: true })).not.toBe(used);
  });

  it("use facts that were found elsewhere, without being analysed or compiled", () => {
    const { result: known, facts } = recordPatterns(() => compilePattern("\\blorem-[0-9]{2}\\b"));
    const [stored] = facts.values();
    if (stored === undefined) throw new Error("the pattern is not a built-in one");
    // This pattern cannot be compiled, so the test fails if it is compiled.
    learnPatterns([[patternKey("(", 0), stored]]);
    const learned = compilePattern("(");
    expect(learned).toMatchObject({
      requiredLiterals: known.requiredLiterals,
      minLength: known.minLength,
      coLiterals: known.coLiterals,
      coReach: known.coReach,
    });
    expect(() => learned.engine).toThrow(PatternError);
    learnPatterns([]);
    expect(() => compilePattern("((")).toThrow(PatternError);
  });

  it("are recorded with their facts each time they are asked for, except built-in ones", () => {
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

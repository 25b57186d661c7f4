import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../../runtime/engine/pattern/compile-pattern.ts";
import { PatternError } from "../../../../runtime/engine/pattern/pattern-error.ts";
import { findMatches } from "../../../../runtime/engine/pattern/pattern-search.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { type AdvisoryPattern, advisoryPatterns } from "./advisory-patterns.ts";

/** Units that the engine reads at most for each unit of the text, when all matches are searched. */
function readPerUnit({ pattern, ignoreCase = false, attack }: AdvisoryPattern, length: number): number {
  const text = attack(length);
  const work = { units: 0 };
  findMatches(compilePattern(pattern, { ignoreCase }), text, 0, text.length, { work });
  return work.units / text.length;
}

/** Rows of the table in the documentation. */
function rowOf(entry: AdvisoryPattern): string {
  const { software, advisory = "", pattern, refused } = entry;
  const code = pattern.replaceAll("|", "\\|");
  const fence = pattern.includes("`") ? "``" : "`";
  const figure = refused === undefined ? `${Math.round(readPerUnit(entry, 64_000))}` : "refused";
  return `| ${software} | ${advisory} | ${fence}${code}${fence} | ${figure} |`;
}

describe("patterns that made other software hang", () => {
  const accepted = advisoryPatterns.filter(({ refused }) => refused === undefined);
  const refused = advisoryPatterns.filter((entry) => entry.refused !== undefined);

  it.each(accepted.map((entry) => [entry.software, entry] as const))(
    "%s: takes work that is at most linear in the text",
    (_, entry) => {
      const [small, large] = [readPerUnit(entry, 4_000), readPerUnit(entry, 64_000)];
      expect(large).toBeLessThanOrEqual(Math.max(small, 1) * 1.1);
      expect(large).toBeLessThanOrEqual(40);
    },
  );

  it.each(refused.map((entry) => [entry.software, entry] as const))(
    "%s: is refused with a message that names the construct",
    (_, { pattern, refused: reason = /$^/ }) => {
      expect(() => compilePattern(pattern)).toThrow(PatternError);
      expect(() => compilePattern(pattern)).toThrow(reason);
      const document = {
        apiVersion: "policyguard/v1",
        kind: "Policy",
        metadata: { name: "p" },
        detectors: { d: { use: "regex", patterns: [pattern] } },
        rules: [{ id: "r", stages: ["input"], detect: "d", action: "FLAG" }],
      };
      const { problems } = parsePolicy(JSON.stringify(document, undefined, 1));
      expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([
        {
          path: "detectors.d.patterns[0]",
          message: expect.stringMatching(reason),
          line: expect.toSatisfy((line: number) => line > 1),
        },
      ]);
    },
  );

  it("number at least twenty, and the documentation shows each with its figure", () => {
    expect(advisoryPatterns.length).toBeGreaterThanOrEqual(20);
    const text = readFileSync(new URL("../../../../docs/policy-language.md", import.meta.url), "utf8");
    expect(advisoryPatterns.map(rowOf).filter((row) => !text.includes(row))).toEqual([]);
  });
});

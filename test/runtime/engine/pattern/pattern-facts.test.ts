import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RE2JS } from "re2js";
import { expect, it } from "vitest";
import analysis from "../../../../gen/engine/analysis.json" with { type: "json" };
import { PatternError } from "../../../../runtime/engine/pattern/pattern-error.ts";
import {
  analyse,
  type PatternFacts,
  patternKey,
  readFacts,
  storeFacts,
} from "../../../../runtime/engine/pattern/pattern-facts.ts";

/** The digest of the analysis, and the hash of the facts that it finds about the probe patterns. */
const recorded = {
  analysis: "J5cRjtkjpIdBrlKI5J57OLiQ5GHNmpgWmLMm1yGP4y8",
  facts: "CnlTzFYbZV9jTocnX5Jr0xPM0fPs6jYSf5LxkA-kly8",
};

/**
 * Patterns with the bits of their flags: built-in ones, those of advisories, packs and vectors, and random ones. They
 * are stored as they were when the facts were recorded, so that only the analysis can change the result.
 */
const probes: readonly (readonly [source: string, bits: number])[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "probe-patterns.json"), "utf8"),
);
const found = probes.map(([source, bits]) => ({ source, key: patternKey(source, bits), facts: factsOf(source, bits) }));

it("the analysis finds the facts that were recorded for its version", () => {
  expect(probes.length).toBeGreaterThan(500);
  const lines = found.map(({ key, facts }) => `${key} ${facts === undefined ? "refused" : asKept(facts)}`);
  const facts = hash("sha256", lines.join("\n"), "base64url");
  expect({ analysis: analysis.digest, facts }, adviceFor(facts)).toEqual(recorded);
});

// Together with the recorded form, this also pins the meaning of stored facts.
it("stored facts are read unchanged", () => {
  for (const { source, facts } of found) {
    if (facts !== undefined) expect(readFacts(JSON.parse(asKept(facts))), source).toEqual(facts);
  }
});

function factsOf(source: string, bits: number): PatternFacts | undefined {
  try {
    return analyse(RE2JS.compile(source, bits));
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}

function asKept(facts: PatternFacts): string {
  return JSON.stringify(storeFacts(facts));
}

function adviceFor(facts: string): string {
  const isNew = analysis.digest !== recorded.analysis;
  if (isNew) return `a new version of the analysis or of re2js: record analysis ${analysis.digest} and facts ${facts}`;
  return `the facts of patterns changed: raise analysisVersion, run npm run generate, and record analysis and facts here`;
}

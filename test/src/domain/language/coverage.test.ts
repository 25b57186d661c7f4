// The measure of coverage: thresholds, and which categories enforced rules use.

import { describe, expect, it } from "vitest";
import { enforcedCategories } from "../../../../src/domain/analysis/language-needs.ts";
import {
  coverageOf,
  coverageState,
  type MeasuredOverlay,
  uncovered,
} from "../../../../src/domain/language/coverage.ts";

const enough = { recall: 0.8, false_positive_rate: 0.005, positives: 100, negatives: 300 };

const overlay = (terms: number, measured?: typeof enough): MeasuredOverlay => ({
  language: "pl",
  terms: {
    injection: Array.from({ length: terms }, (_, index) => ({
      ...{ term: `term ${index}`, match: "word" as const, score: 1, unless: [], layer: "pack" as const },
    })),
  },
  patterns: [],
  ...(measured !== undefined && { coverage: { injection: measured } }),
});

describe("a category counts as covered", () => {
  it("exactly from every threshold on", () => {
    expect(coverageState(40, enough)).toBe("covered");
    expect(coverageState(39, enough)).toBe("partial");
    expect(coverageState(40, { ...enough, recall: 0.799 })).toBe("partial");
    expect(coverageState(40, { ...enough, false_positive_rate: 0.0051 })).toBe("partial");
    expect(coverageState(40, { ...enough, positives: 99 })).toBe("partial");
    expect(coverageState(40, { ...enough, negatives: 299 })).toBe("partial");
    expect(coverageState(40, undefined)).toBe("partial");
    expect(coverageState(0, enough)).toBe("none");
  });

  it("never by an organization's own keywords", () => {
    const { terms, ...rest } = overlay(40, enough);
    const own = {
      ...rest,
      terms: { injection: (terms.injection ?? []).map((term) => ({ ...term, layer: "custom" as const })) },
    };
    expect(coverageOf(["pl"], ["injection"], [own])[0]?.state).toBe("none");
  });

  it("only in languages that the bundle has", () => {
    expect(uncovered(["pl", "de"], ["injection"], [overlay(40, enough)])).toEqual([
      { language: "de", category: "injection" },
    ]);
    expect(uncovered(["pl"], ["injection", "toxicity"], [overlay(40, enough)])).toEqual([
      { language: "pl", category: "toxicity" },
    ]);
    expect(uncovered(["de"], [], [])).toEqual([]);
  });
});

describe("the categories of a bundle", () => {
  const partOf = (rules: object[], detectors: object = {}) => ({
    path: "policies/a.json",
    data: Buffer.from(
      JSON.stringify({
        ...{ policy_id: "a", name: "guard", version: 1 },
        scope: { tenant_id: "*", app_id: "*", agent_id: "*", env: "*" },
        document: { apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "guard" }, detectors, rules },
      }),
    ),
  });
  const rule = (detect: unknown, more: object = {}) => ({
    ...{ id: "rule", stages: ["input"], detect, action: "BLOCK", ...more },
  });

  it.each([
    ["one detector", [rule("injection")], {}, ["injection"]],
    ["several terms", [rule({ any: ["toxicity", "self_harm"] })], {}, ["toxicity", "self_harm"]],
    ["a topic that is asked for", [rule("talk")], { talk: { use: "topics", topics: ["drugs"] } }, ["drugs"]],
    [
      "keywords of packs",
      [rule("own")],
      { own: { use: "keywords", from_packs: ["violence", "custom"] } },
      ["violence"],
    ],
    ["findings of another category", [rule({ ref: "toxicity", categories: ["toxicity.slur"] })], {}, []],
    ["a shadow rule", [rule("injection", { mode: "shadow" })], {}, []],
    ["a rule that allows", [rule("injection", { action: "ALLOW" })], {}, []],
    ["a rule for nobody", [rule("injection", { rollout: { percent: 0 } })], {}, []],
    ["a detector without packs", [rule("secrets")], {}, []],
  ])("follow %s", (_, rules, detectors, categories) => {
    expect(enforcedCategories({ parts: [partOf(rules, detectors)] })).toEqual(categories);
  });
});

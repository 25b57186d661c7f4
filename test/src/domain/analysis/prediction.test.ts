import { expect, it } from "vitest";
import { foundBy, type PositiveRule } from "../../../../src/domain/analysis/benchmark/prediction.ts";

const blocked = {
  ...{ outcome: "BLOCK", labels: ["pii.email"], score: null, scores: {} },
  ...{ spans: [], rules: [], detectors: [], unjudged: [], error: null, latencyUs: null },
};

it.each(["attack", "constructor", "toString"])("a label %s that no map names stands for whatever is found", (label) => {
  const rule: PositiveRule = { labels: [label], outcomeAtLeast: "BLOCK", labelMap: {} };
  expect(foundBy(blocked, rule)).toBe(true);
  expect(foundBy(blocked, { ...rule, labelMap: { [label]: "injection" } })).toBe(false);
});

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { assertFits, BundleTooLarge, bundleLimits } from "../../../runtime/engine/bundle-limit.ts";
import { assertCompilable, compileEngine } from "../../../runtime/engine/compile.ts";
import type { PolicySource } from "../../../runtime/engine/compiled-policy.ts";
import { keywords } from "../../../runtime/engine/detectors/keywords.ts";

function policyOf(name: string, detector: object, envs?: readonly string[]): PolicySource {
  const document = parse(`apiVersion: policyguard/v1
kind: Policy
metadata: {name: ${name}}
${envs === undefined ? "" : `match: {envs: [${envs}]}`}
detectors: {own: ${JSON.stringify(detector)}}
rules: [{id: own, stages: [input], detect: own, action: FLAG}]
`);
  return { policyId: name, name, version: 1, scope: { tenantId: "*", appId: "*", agentId: "*", env: "*" }, document };
}

/** Policies with so many patterns that no word starts, in several policies, one of them for another environment. */
function shapeless(count: number): PolicySource[] {
  const patterns = Array.from({ length: count }, (_, n) => `\\d{${1 + (n % 40)}}-[a-f]{${1 + Math.floor(n / 40)}}\\d`);
  return [0, 1, 2].map((part) =>
    policyOf(
      `p${part}`,
      { use: "regex", patterns: patterns.filter((_, n) => n % 3 === part) },
      part === 2 ? ["staging"] : undefined,
    ),
  );
}

describe("the policies of a bundle together", () => {
  it("may have as many patterns without a literal as a runtime takes, in whatever environment each applies", () => {
    const most = bundleLimits.patternsWithoutLiteral;
    expect(() => assertCompilable(shapeless(most))).not.toThrow();
    expect(() => assertCompilable(shapeless(most + 1))).toThrow(BundleTooLarge);
    expect(() => assertCompilable(shapeless(most + 1))).toThrow(
      "the policies of this bundle have 161 patterns in which no word has to occur together, and 160 are allowed: give them one",
    );
  });

  it("are refused by the engine too, for the environment that it is made for", () => {
    const policies = shapeless(bundleLimits.patternsWithoutLiteral * 2);
    expect(() => compileEngine({ policies, environment: "staging", projectId: "p" })).toThrow(BundleTooLarge);
    expect(() => compileEngine({ policies: policies.slice(0, 1), environment: "prod", projectId: "p" })).not.toThrow();
  });

  it("may have the same pattern or phrase as often as they like", () => {
    const twice = shapeless(90).flatMap((policy) => [policy, { ...policy, policyId: `${policy.policyId}2` }]);
    expect(() => assertCompilable(twice)).not.toThrow();
  });

  it("have a limit for phrases, and for their length", () => {
    const lists = (count: number, length: number) =>
      Array.from({ length: count }, (_, list) => {
        const phrases = Array.from({ length: 9_000 }, (_each, n) => `${list} ${n}`.padEnd(length, "x"));
        return { use: "keywords", plan: keywords.plan({ keywords: phrases }, new Map()) };
      });
    expect(() => assertFits(lists(11, 12))).not.toThrow();
    expect(() => assertFits(lists(12, 12))).toThrow(/108,000 phrases together, and 100,000 are allowed/);
    expect(() => assertFits(lists(9, 30))).toThrow(/2,430,000 characters of phrases together/);
  });
});

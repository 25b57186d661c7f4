import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { keywords } from "../../../../runtime/engine/detectors/keywords.ts";
import { assertCompilable, compileEngine } from "../../../../runtime/engine/engine.ts";
import { BundleTooLarge } from "../../../../runtime/engine/pattern/bundle-too-large.ts";
import type { PolicySource } from "../../../../runtime/engine/policy-plan/compiled-policy.ts";
import { assertFits, bundleLimits } from "../../../../runtime/engine/scan/bundle-limit.ts";
import { TableCache } from "../../../../runtime/engine/scan/table-cache.ts";

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

/** So many patterns without a required literal, in several policies, one of which is for another environment. */
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

describe("all policies of a bundle together", () => {
  it("may have a limited number of patterns without a literal, over all environments", () => {
    const most = bundleLimits.patternsWithoutLiteral;
    expect(() => assertCompilable(shapeless(most))).not.toThrow();
    expect(() => assertCompilable(shapeless(most + 1))).toThrow(BundleTooLarge);
    expect(() => assertCompilable(shapeless(most + 1))).toThrow(
      "the policies of this bundle have 161 patterns without a required literal together, and 160 are allowed: give them one",
    );
  });

  it("are refused by the engine too, for the environment that it is compiled for", () => {
    const policies = shapeless(bundleLimits.patternsWithoutLiteral * 2);
    expect(() => compileEngine({ policies, environment: "staging", projectId: "p" })).toThrow(BundleTooLarge);
    expect(() => compileEngine({ policies: policies.slice(0, 1), environment: "prod", projectId: "p" })).not.toThrow();
  });

  it("may repeat the same pattern or phrase without limit", () => {
    const twice = shapeless(90).flatMap((policy) => [policy, { ...policy, policyId: `${policy.policyId}2` }]);
    expect(() => assertCompilable(twice)).not.toThrow();
  });

  it("have a limit on the number of phrases, and on their length", () => {
    const lists = (count: number, length: number) =>
      Array.from({ length: count }, (_, list) => {
        const phrases = Array.from({ length: 9_000 }, (_each, n) => `${list} ${n}`.padEnd(length, "x"));
        return { use: "keywords", plan: keywords.plan({ keywords: phrases }, new Map()) };
      });
    expect(() => assertFits(lists(11, 12))).not.toThrow();
    expect(() => assertFits(lists(12, 12))).toThrow(/108,000 phrases together, and 100,000 are allowed/);
    expect(() => assertFits(lists(9, 30))).toThrow(/2,430,000 characters of phrases together/);
  });

  it("have a limit on the bytes of their tables, including tables that were built elsewhere", () => {
    // Zeroed arrays take no memory until they are read.
    const half = () => {
      const arrays = { depth: new Int32Array(bundleLimits.tableBytes / 8), wordJobs: new Int32Array(0) };
      return { ...arrays, anyJobs: new Int32Array(0), prefixSets: new Int32Array(0) };
    };
    const cache = new TableCache();
    cache.marks(["a"], half);
    cache.marks(["a"], half);
    cache.marks(["b"], half);
    expect(() => cache.marks(["c"], () => ({ ...half(), depth: new Int32Array(1) }))).toThrow(
      "the phrases and patterns of this bundle need more than 512 MiB of tables",
    );
    const heir = new TableCache(cache.taken);
    expect([heir.marks(["a"], half), heir.marks(["b"], half)].map(({ depth }) => depth.length)).toHaveLength(2);
    expect(() => heir.marks(["c"], () => ({ ...half(), depth: new Int32Array(1) }))).toThrow(BundleTooLarge);
  });
});

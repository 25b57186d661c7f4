import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { FailMode, Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { catalog } from "../../../../runtime/engine/detectors/catalog.ts";
import { compileEngine } from "../../../../runtime/engine/engine.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";

const head = "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\n";
const tests = "tests: [{name: t, text: hello, expect: {outcome: ALLOW}}]\n";

/** The warnings about a document. */
function warnings(body: string, now?: string): string[] {
  const { problems } = parsePolicy(
    `${head}${body}${tests}`,
    catalog,
    undefined,
    now === undefined ? now : new Date(now),
  );
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

describe("what is over", () => {
  const rule = "rules:\n  - {id: a, stages: [input], detect: secrets, action: BLOCK";
  const exempt = `${rule}}\nexemptions: [{id: red, when: "true", rules: [a], reason: r, expires: 2026-11-20T09:00:00Z}]\n`;
  const shadow = (more = "") => `${rule}, mode: shadow, shadow: {until: 2026-11-20T09:00:00Z${more}}}\n`;

  it("an expired exemption is a warning, from its expiry on", () => {
    expect(warnings(exempt, "2026-11-20T08:59:59Z")).toEqual([]);
    expect(warnings(exempt, "2026-11-20T09:00:00Z")).toEqual([
      'exemptions[0].expires: exemption "red" has no effect any more: it expired at 2026-11-20T09:00:00Z',
    ]);
  });

  it.each([
    ["", "enforce"],
    [", becomes: off", "off"],
  ])("a shadow that has ended is warned of, with what became of it (%s)", (more, mode) => {
    expect(warnings(shadow(more), "2026-11-19T09:00:00Z")).toEqual([]);
    expect(warnings(shadow(more), "2026-11-21T09:00:00Z")).toEqual([
      `rules[0].shadow: the shadow has ended: since 2026-11-20T09:00:00Z the mode is ${mode}`,
    ]);
  });

  it("is not reported without a current time: a bundle compiles the same at all times", () => {
    expect(warnings(exempt)).toEqual([]);
    expect(warnings(shadow())).toEqual([]);
  });
});

/** Evaluates with a clock on which the scan takes this long. */
function judge(body: string, text: string, scanMs = 0) {
  const { policy, problems } = parsePolicy(`${head}${body}`);
  if (policy === undefined) throw new Error(JSON.stringify(problems));
  const scope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
  const source = { policyId: "p", name: "p", version: 1, scope, document: policy };
  const engine = compileEngine({ policies: [source], lists: [], environment: "test", projectId: "" });
  let asked = 0;
  return engine.evaluate(create(EvaluateRequestSchema, { text }), {
    stage: Stage.INPUT,
    now: new Date(0),
    evaluationId: "e",
    fingerprintKey: new Uint8Array(32),
    bundle: create(BundleReferenceSchema),
    // The first question is asked before the scan.
    elapsedUs: () => (asked++ === 0 ? 0 : scanMs * 1000),
  });
}

describe("sensitivity", () => {
  const key = (level: string) =>
    `detectors: {s: {use: url, sensitivity: ${level}}}\nrules: [{id: a, stages: [input], detect: s, action: BLOCK}]\n`;
  const text = "see https://xn--mnchen-3ya.example/ or http://192.0.2.7/x";

  it("names a threshold of the detector, stricter levels the lower ones", () => {
    for (const { id, sensitivities, defaultThreshold } of catalog) {
      if (sensitivities === undefined) continue;
      const { strict, balanced, permissive } = sensitivities;
      expect([id, balanced]).toEqual([id, defaultThreshold]);
      expect(strict, id).toBeLessThan(balanced);
      expect(balanced, id).toBeLessThan(permissive);
    }
    expect(catalog.filter(({ sensitivities }) => sensitivities !== undefined).length).toBeGreaterThan(5);
  });

  it("finds more with strict than with permissive", () => {
    const found = ["strict", "balanced", "permissive"].map((level) => judge(key(level), text).findings.length);
    expect(found).toEqual([2, 1, 0]);
  });

  it("is overridden by a threshold", () => {
    const both = key("strict").replace("sensitivity: strict", "sensitivity: strict, threshold: 1");
    expect(judge(both, text).findings).toEqual([]);
  });

  it.each([
    ["a level that there is not", key("lax"), 'expected one of "strict", "balanced", "permissive"'],
    ["a detector without levels", key("strict").replace("use: url", "use: keywords, keywords: [x]"), "unknown key"],
  ])("is refused for %s", (_, body, message) => {
    const found = parsePolicy(`${head}${body}`).problems.find(({ path }) => path === "detectors.s.sensitivity");
    expect(found?.message).toContain(message);
  });
});

describe("the time budget of a detector", () => {
  const body = (onError: string, detect = "slow") =>
    `detectors: {slow: {use: keywords, keywords: [attack], timeout_ms: 5, on_error: ${onError}}, quick: {use: keywords, keywords: [assault]}}\nrules: [{id: a, stages: [input], detect: ${detect}, action: BLOCK}]\n`;

  it("changes nothing while it lasts", () => {
    const { response, unjudged } = judge(body("fail_open"), "an attack", 4);
    expect([response.outcome, unjudged]).toEqual([Outcome.BLOCK, []]);
  });

  it.each([
    ["fail_closed", Outcome.BLOCK, FailMode.FAIL_CLOSED],
    ["fail_open", Outcome.ALLOW, FailMode.FAIL_OPEN],
  ])("leaves unjudged what comes later, and %s decides", (onError, outcome, mode) => {
    const { response, unjudged } = judge(body(onError), "an attack", 6);
    expect(response.outcome).toBe(outcome);
    expect(unjudged).toMatchObject([{ detector: "slow", reason: "timeout", onError: mode }]);
  });

  it("applies to that detector alone: findings of others count", () => {
    const { response, unjudged, findings } = judge(body("fail_open", "{any: [slow, quick]}"), "an assault", 6);
    expect(response.outcome).toBe(Outcome.BLOCK);
    expect(findings).toMatchObject([{ detector: "quick" }]);
    expect(unjudged).toMatchObject([{ detector: "slow", reason: "timeout" }]);
  });

  it("counts a detector that fails closed as one that found something, where several are needed", () => {
    const all = (onError: string, text: string) =>
      judge(body(onError, "{all: [slow, quick]}"), text, 6).response.outcome;
    expect(all("fail_closed", "an assault")).toBe(Outcome.BLOCK);
    expect(all("fail_open", "an assault")).toBe(Outcome.ALLOW);
    expect(all("fail_closed", "hello")).toBe(Outcome.ALLOW);
  });
});

// Whatever a document looks like, it is read or refused with reasons; what is read can be compiled and evaluated.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { canonicalPolicy, parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { runPolicyTests } from "../../../../runtime/engine/test-runner.ts";
import { sampleKit } from "../sample-detectors.ts";
import { ask, engineOf, policyOf } from "../sample-engine.ts";

const rich = canonicalPolicy(
  policyOf(`match: {agents: ["a*"], envs: [prod]}
defaults: {mode: enforce, on_error: fail_open, timeout_ms: 100, record: full}
lists: {own: [example.com]}
detectors:
  mine: {use: words, words: [acme], threshold: 0.3, on_error: fail_closed}
rules:
  - {id: a, stages: [input, output], detect: secrets, action: BLOCK, severity: high, message: {en: no}, rollout: {percent: 50}}
  - {id: b, stages: [input], detect: {any: [pii, {ref: mine, threshold: 0.5}]}, when: finding.domain in lists.own, action: REDACT, redact: {style: mask}}
  - {id: c, stages: [tool_call], when: tool.args.to == "x", unless: segment.length > 1, action: FLAG, mode: shadow}
  - {id: d, stages: [input], detect: {quorum: {of: [pii, secrets], at_least: 2}}, action: FLAG, category: x}
exemptions: [{id: x, when: "size(subject.roles) > 0", rules: ["a*"], expires: 2026-12-31T00:00:00Z, reason: r}]
tests:
  - {name: t, text: KEY-1, agent: a, expect: {outcome: BLOCK, rules: [a]}}
  - {name: u, segments: [{text: x, trust: trusted}], subject: {roles: [q]}, expect: {outcome: ALLOW}}
`),
);

function pathsOf(value: JsonValue, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child ?? null, [...path, key]))];
}

function replaced(value: JsonValue, path: readonly string[], change: JsonValue | undefined): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== "object" || value === null) return change ?? null;
  const copy = structuredClone(value) as JsonObject; // arrays are changed by index, like objects
  if (rest.length === 0 && change === undefined) delete copy[key];
  else copy[key] = replaced(copy[key] ?? null, rest, change);
  return (Array.isArray(copy) ? copy.filter((item) => item !== undefined) : copy) as JsonValue;
}

const hostile = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom<JsonValue>(
    null,
    0,
    -1,
    1e308,
    true,
    "",
    "secrets",
    "a",
    "finding.score > 0.1",
    "*",
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<JsonValue>({ ref: "pii" }, { any: [] }, { all: ["pii"] }, { quorum: {} }, ["input"], ["secrets"], {
    use: "pii",
  }),
  fc.string({ maxLength: 12 }),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue),
);

describe("a policy document", () => {
  it("is read or refused, with its parts replaced by anything", () => {
    const changes = fc.array(fc.tuple(fc.constantFrom(...pathsOf(rich)), hostile), { minLength: 1, maxLength: 3 });
    let accepted = 0;
    fc.assert(
      fc.property(changes, (list) => {
        const document = list.reduce<JsonValue>((value, [path, change]) => replaced(value, path, change), rich);
        const { policy, problems } = parsePolicy(document, sampleKit.definitions);
        if (policy === undefined) {
          expect(problems.some(({ severity }) => severity === "error")).toBe(true);
          return;
        }
        accepted++;
        runPolicyTests(policy, { now: new Date(0), kit: sampleKit });
        const engine = engineOf([{ source: policy, scope: {} }]);
        const toolCalls = [{ id: "c", name: "n", arguments: { to: "x" } }];
        for (const stage of [Stage.INPUT, Stage.TOOL_CALL]) {
          ask(engine, { text: "KEY-1 a@example.com acme", agentId: "a", toolCalls }, { stage });
        }
      }),
      { seed: 20261120, numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it("is read or refused, with its source cut and spliced", () => {
    const source = JSON.stringify(rich, undefined, 1);
    const cut = fc.nat(source.length);
    const filling = fc.constantFrom(
      "",
      "{",
      "]",
      ": ",
      "- ",
      "&a ",
      "*a",
      "!!binary ",
      "|\n",
      '"',
      "#",
      "? ",
      "\t",
      "\u0000",
      "<<: ",
      "%YAML 1.1\n",
    );
    fc.assert(
      fc.property(cut, cut, filling, (from, to, text) => {
        const { policy, problems } = parsePolicy(
          source.slice(0, from) + text + source.slice(to),
          sampleKit.definitions,
        );
        expect(policy !== undefined || problems.length > 0).toBe(true);
      }),
      { seed: 20261120, numRuns: 1000 },
    );
  });
});

// Whatever a document looks like, it is read or refused with reasons; what is read can be compiled and evaluated.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { runPolicyTests } from "../../../../runtime/engine/authoring/test-runner.ts";
import { ConditionCompiler, isConditionProblem } from "../../../../runtime/engine/policy/condition.ts";
import type { PackSource } from "../../../../runtime/engine/policy/extend.ts";
import { canonicalPolicy, parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { sampleKit } from "../sample-detectors.ts";
import { ask, engineOf, policyOf } from "../sample-engine.ts";

/** One pack, whatever is asked for; now and then none, or one that extends itself. */
const packs: PackSource = ({ id, parameters }) =>
  id === "none"
    ? { problem: "there is no such pack" }
    : {
        version: "1.0.0",
        digest: "sha256:00",
        document: {
          apiVersion: "policyguard/v1",
          kind: "Policy",
          metadata: { name: "pack" },
          ...(id === "circle" ? { extends: ["pack:circle@1"] } : {}),
          lists: { own: Object.keys(parameters) },
          rules: [{ id: "p", stages: ["input"], detect: "pii", action: "FLAG", locked: true }],
        },
      };

const rich = canonicalPolicy(
  policyOf(
    `extends: [{pack: "pack:any@1", mode: shadow, parameters: {x: 1}, rollout: {percent: 5}}]
match: {agents: ["a*"], envs: [prod]}
defaults: {mode: enforce, on_error: fail_open, timeout_ms: 100, record: full}
lists: {own: [example.com], named: {named: true, default: [a.com]}}
detectors:
  mine: {use: words, words: [acme], threshold: 0.3, on_error: fail_closed}
rules:
  - {id: a, stages: [input, output], detect: secrets, action: BLOCK, severity: high, message: {en: no}, rollout: {percent: 50}}
  - {id: b, stages: [input], detect: {any: [pii, {ref: mine, threshold: 0.5}]}, when: finding.domain in lists.own, action: REDACT, redact: {style: mask}}
  - {id: c, stages: [tool_call], when: tool.args.to == "x", unless: segment.length > 1, action: FLAG, mode: shadow, shadow: {until: 2026-12-31T00:00:00Z, becomes: off}}
  - {id: d, stages: [input], detect: {quorum: {of: [pii, secrets], at_least: 2}}, action: FLAG, category: x, controls: [C1]}
  - {id: e, stages: [input], detect: pii, when: "session.saw('input') && session.found('pii.*') > 1", action: REDACT, redact: {reversible: true, ttl: 5m}}
exemptions: [{id: x, when: "size(subject.roles) > 0", rules: ["a*"], expires: 2026-12-31T00:00:00Z, reason: r}]
tests:
  - {name: t, text: KEY-1, agent: a, expect: {outcome: BLOCK, rules: [a]}}
  - {name: u, segments: [{text: x, trust: trusted}], subject: {roles: [q]}, expect: {outcome: ALLOW}}
  - {name: v, stream: [KEY, "-1"], lists: {named: [b.com]}, at: 2027-01-01T00:00:00Z, expect: {outcome: BLOCK, released_must_not_contain: KEY}}
  - {name: w, turns: [hello, {stage: tool_call, tool_calls: [{id: c, name: f}], expect: {outcome: ALLOW}}], expect: {outcome: ALLOW, tool_calls: {c: ALLOW}}}
  - {name: x, languages: {en: KEY-1, de: KEY-2}, expect: {outcome: ALLOW, rules: [any/p], unjudged: [e]}}
`,
    packs,
  ),
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
  fc.constantFrom<JsonValue>(
    "pack:none@1",
    "pack:circle@1",
    ["pack:circle@1"],
    { pack: "pack:any@2" },
    { named: true },
    ["pack:any@1", "pack:any@2"],
  ),
  fc.constantFrom<JsonValue>({ ref: "pii" }, { any: [] }, { all: ["pii"] }, { quorum: {} }, ["input"], ["secrets"], {
    use: "pii",
  }),
  fc.string({ maxLength: 12 }),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue),
);

const sample = sampleOf({ n: 1_000, seed: 20261120 });
afterAll(() => reportSample({ n: 2 * sample.n, failures: 0 }));

describe("a policy document", () => {
  it("is read or refused, with its parts replaced by anything", () => {
    const changes = fc.array(fc.tuple(fc.constantFrom(...pathsOf(rich)), hostile), { minLength: 1, maxLength: 3 });
    let accepted = 0;
    fc.assert(
      fc.property(changes, (list) => {
        const document = list.reduce<JsonValue>((value, [path, change]) => replaced(value, path, change), rich);
        const { policy, problems } = parsePolicy(document, sampleKit.definitions, packs);
        if (policy === undefined) {
          expect(problems.some(({ severity }) => severity === "error")).toBe(true);
          return;
        }
        accepted++;
        runPolicyTests(policy, { now: new Date(0), kit: sampleKit, packs });
        const engine = engineOf([{ source: policy, scope: {}, packs }]);
        const toolCalls = [{ id: "c", name: "n", arguments: { to: "x" } }];
        for (const stage of [Stage.INPUT, Stage.TOOL_CALL]) {
          ask(engine, { text: "KEY-1 a@example.com acme", agentId: "a", toolCalls }, { stage });
        }
      }),
      { seed: sample.seed, numRuns: sample.n },
    );
    expect(accepted).toBeGreaterThan(sample.n / 30);
    console.info(
      `fuzz: ${sample.n} documents with replaced parts, ${accepted} of them sound, evaluated and tested; none failed`,
    );
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
          packs,
        );
        expect(policy !== undefined || problems.length > 0).toBe(true);
      }),
      { seed: 20261120, numRuns: 1000 },
    );
    console.info("fuzz: 1,000 sources cut and spliced; none failed");
  });

  it("is read or refused in bounded time for all YAML", () => {
    const word = fc.constantFrom(
      "rules",
      "- ",
      "id: a",
      ": ",
      "\n",
      "  ",
      "&a ",
      "*a",
      "<<: *a",
      "[",
      "]",
      "{",
      "}",
      "|",
      ">-",
      "'",
      '"',
      "? ",
      "!!set",
      "---\n",
      "...",
      "#",
      "\t",
      "%TAG ! x:\n",
      "when: >-\n",
      "\u2028",
      "0x",
      "~",
      "a".repeat(200),
    );
    let refused = 0;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (words) => {
        const { policy, problems } = parsePolicy(words.join(""), sampleKit.definitions, packs);
        expect(policy).toBeUndefined();
        expect(problems.length).toBeGreaterThan(0);
        expect(problems.length).toBeLessThanOrEqual(200);
        refused++;
      }),
      { seed: sample.seed, numRuns: sample.n },
    );
    console.info(`fuzz: ${refused} sources of YAML tokens, all refused with reasons`);
  });

  it("has conditions that are either compiled or refused", () => {
    const compiler = new ConditionCompiler({ own: ["a"], named: { named: true } });
    const token = fc.constantFrom(
      ..."finding findings segment text request session saw found lists own named tool args subject roles . ( ) [ ] { } , : ? && || ! == != in + - * / % < > >= 1 2u 3.5 'a' \"b\" r'c' b'd' true null exists all map filter has size matches dyn x '^(a+)+$' startsWith".split(
        " ",
      ),
    );
    let compiled = 0;
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 25 }), (tokens) => {
        const result = compiler.compile(tokens.join(" "));
        if (isConditionProblem(result)) expect(result.message.length).toBeGreaterThan(0);
        else compiled++;
      }),
      { seed: 20261120, numRuns: 5000 },
    );
    console.info(`fuzz: 5,000 conditions of CEL tokens, ${compiled} of them sound; none failed`);
    const deep = "!".repeat(5_000);
    for (const source of [
      `${deep}true`,
      `${"(".repeat(5_000)}1${")".repeat(5_000)}`,
      `${"1+".repeat(5_000)}1`,
      "[1,".repeat(2_000),
    ]) {
      expect(isConditionProblem(compiler.compile(source))).toBe(true);
    }
  });
});

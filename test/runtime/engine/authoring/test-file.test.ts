import { describe, expect, it } from "vitest";
import { parsePolicyTests, policyOfTests } from "../../../../runtime/engine/authoring/test-file.ts";
import { runPolicyTests } from "../../../../runtime/engine/authoring/test-runner.ts";
import { sampleKit } from "../sample-detectors.ts";
import { policyOf } from "../sample-engine.ts";

const policy = policyOf(`rules: [{id: key, stages: [input], detect: secrets, action: BLOCK}]
tests: [{name: own, text: fine, expect: {outcome: ALLOW}}]
`);
const head = "apiVersion: policyguard/v1\nkind: PolicyTests\n";
const parse = (source: string) => parsePolicyTests(source, policy, { definitions: sampleKit.definitions });
const problemsOf = (source: string) =>
  parse(source).problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);

describe("a file of tests", () => {
  it("is distinguished from a policy by its kind, and names its policy", () => {
    expect(policyOfTests(`${head}policy: p\ntests: []\n`)).toBe("p");
    expect(policyOfTests("apiVersion: policyguard/v1\nkind: Policy\n")).toBeUndefined();
    expect(policyOfTests("{")).toBeUndefined();
  });

  it("is run like the tests of the document itself", () => {
    const { tests = [], problems } = parse(
      `${head}policy: p\ntests:\n  - {name: a, text: KEY-1, expect: {outcome: BLOCK, rules: [key]}}\n  - {name: b, turns: [fine, KEY-2], expect: {outcome: ALLOW}}\n`,
    );
    expect(problems).toEqual([]);
    const results = runPolicyTests(policy, { now: new Date(0), kit: sampleKit }, tests);
    expect(results.map(({ name, passed }) => [name, passed])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  it("has all its problems reported at once, each with its position", () => {
    expect(
      problemsOf(`${head}policy: q
tests:
  - {name: own, text: x, expect: {outcome: ALLOW}}
  - {name: c, text: x, expect: {outcome: ALLOW, rules: [kee]}}
  - {name: c, expect: {outcome: ALLOW}}
  - {name: d, txt: x, expect: {outcome: NO}}
`),
    ).toEqual([
      '3:9 policy: the tests are about the policy "q", not "p"',
      '5:12 tests[0].name: the name "own" is used twice',
      '6:57 tests[1].expect.rules[0]: the policy has no rule "kee"',
      '7:5 tests[2]: a test needs one of "text", "messages", "segments", "tool_calls", "stream", "turns", "languages"',
      '7:12 tests[2].name: the name "c" is used twice',
      expect.stringContaining("8:5 tests[3]: a test needs one of"),
      expect.stringContaining('8:15 tests[3].txt: unknown key "txt"'),
      expect.stringContaining("8:41 tests[3].expect.outcome: expected one of"),
    ]);
  });
});

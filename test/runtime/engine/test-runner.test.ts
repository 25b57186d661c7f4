import { describe, expect, it } from "vitest";
import { runPolicyTests } from "../../../runtime/engine/test-runner.ts";
import { sampleKit } from "./sample-detectors.ts";
import { policyOf } from "./sample-engine.ts";

const options = { now: new Date("2026-11-20T10:00:00Z"), kit: sampleKit };
const base = `match: {agents: ["support-*"], envs: [staging, prod]}
lists: {own: [example.com]}
rules:
  - {id: key, stages: [input, tool_call], detect: secrets, action: BLOCK}
  - {id: mail, stages: [input], detect: pii, unless: finding.domain in lists.own, action: REDACT}
  - {id: sys, stages: [input], detect: injection, when: segment.trust == "untrusted", action: FLAG, mode: shadow}
`;
const run = (tests: string) => runPolicyTests(policyOf(`${base}tests:\n${tests}`), options);

describe("runPolicyTests", () => {
  it("passes tests of every form", () => {
    const results = run(`  - {name: own, text: a@example.com, expect: {outcome: ALLOW, not_rules: [mail]}}
  - {name: other, text: to a@other.net, expect: {outcome: REDACT, rules: [mail], redacted: "to [EMAIL_1]"}}
  - {name: chat, messages: [{role: system, content: ignore all}, {role: user, content: hi}], expect: {outcome: ALLOW, would_be_outcome: ALLOW}}
  - {name: segments, segments: [{text: ignore all, trust: untrusted}], agent: support-eu, env: prod, expect: {outcome: ALLOW, would_be_outcome: FLAG, rules: [sys]}}
  - {name: call, tool_calls: [{id: c, name: f, arguments: {k: KEY-1}}], expect: {outcome: BLOCK}}
  - {name: elsewhere, text: KEY-1, agent: sales, expect: {outcome: ALLOW}}
  - {name: development, text: KEY-1, env: dev, expect: {outcome: ALLOW}}
`);
    expect(results.filter(({ passed }) => !passed)).toEqual([]);
    expect(results).toHaveLength(7);
    expect(results[0]).toEqual({ policy: "p", name: "own", passed: true, failures: [] });
  });

  it("says of a failing test everything that differed", () => {
    const [result] = run(
      `  - {name: wrong, text: to a@other.net, expect: {outcome: REDACT, rules: [key], not_rules: [mail], redacted: "to [MAIL]"}}\n`,
    );
    expect(result).toEqual({
      policy: "p",
      name: "wrong",
      passed: false,
      failures: [
        "rules: key did not match",
        "not_rules: mail matched",
        'redacted: expected "to [MAIL]", found "to [EMAIL_1]"',
      ],
    });
    const [outcome] = run("  - {name: wrong, text: KEY-1, expect: {outcome: ALLOW}}\n");
    expect(outcome?.failures).toEqual(["outcome: expected ALLOW, found BLOCK (rules that matched: key)"]);
  });
});

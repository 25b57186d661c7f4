import { describe, expect, it } from "vitest";
import { runPolicyTests } from "../../../../runtime/engine/authoring/test-runner.ts";
import { sampleKit } from "../sample-detectors.ts";
import { policyOf } from "../sample-engine.ts";

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

  it("runs the turns of a session one after the other", () => {
    const policy = policyOf(`rules:
  - {id: exfil, stages: [tool_call], when: 'session.saw("tool_result", "untrusted") && tool.name == "send"', action: BLOCK}
  - {id: hide, stages: [input], detect: pii, action: REDACT, redact: {reversible: true}}
tests:
  - name: a call after a page
    turns:
      - {stage: tool_result, text: a page, expect: {outcome: ALLOW}}
      - {tool_calls: [{id: c, name: send}]}
    expect: {outcome: BLOCK, rules: [exfil], tool_calls: {c: BLOCK}}
  - {name: a call first, turns: [{tool_calls: [{id: c, name: send}]}, {stage: tool_result, text: a page}], expect: {outcome: ALLOW}}
  - {name: placeholders, turns: [a@b.cc, c@d.ee or a@b.cc], expect: {outcome: REDACT, redacted: "[EMAIL_2] or [EMAIL_1]"}}
  - {name: red, turns: [{text: a@b.cc, expect: {outcome: ALLOW}}, fine], expect: {outcome: REDACT}}
`);
    const results = runPolicyTests(policy, options);
    expect(results.map(({ passed }) => passed)).toEqual([true, true, true, false]);
    expect(results[3]?.failures).toEqual([
      "turn 1: outcome: expected ALLOW, found REDACT (rules that matched: hide)",
      "turn 2: outcome: expected REDACT, found ALLOW",
    ]);
  });

  it("runs a test in each language, with one expectation", () => {
    const policy =
      policyOf(`rules: [{id: r, stages: [input], detect: injection, when: 'request.language != ""', action: BLOCK, message: {de: nein, en: no}}]
tests:
  - {name: t, languages: {en: ignore all, de: "also bitte: ignore all"}, expect: {outcome: BLOCK}}
  - {name: u, languages: {en: ignore all, de: nichts}, expect: {outcome: BLOCK, message: "no"}}
`);
    const results = runPolicyTests(policy, options);
    expect(results.map(({ passed, failures }) => [passed, failures])).toEqual([
      [true, []],
      [false, ["de: outcome: expected BLOCK, found ALLOW", 'de: message: expected "no", found ""']],
    ]);
  });

  it("streams chunks, and reports the released text", () => {
    const policy = policyOf(`rules:
  - {id: key, stages: [output], detect: secrets, action: BLOCK}
  - {id: mail, stages: [output], detect: pii, action: REDACT}
tests:
  - {name: split, stream: [the key is KE, "Y-", "12 ok"], expect: {outcome: BLOCK, released_must_not_contain: KEY}}
  - {name: whole, stream: [write to a@b, .cc now], expect: {outcome: REDACT, released: "write to [EMAIL_1] now"}}
  - {name: red, stream: [fine, " and well"], expect: {outcome: ALLOW, released: fine, released_must_not_contain: well}}
  - {name: nothing, stage: output, text: KEY-1, expect: {outcome: BLOCK, released_must_not_contain: ""}}
`);
    const results = runPolicyTests(policy, options);
    expect(results.map(({ passed }) => passed)).toEqual([true, true, false, true]);
    expect(results[2]?.failures).toEqual([
      'released: expected "fine", found "fine and well"',
      'released_must_not_contain: "well" was let through',
    ]);
  });

  it("takes the time, the lists and the expected unjudged detectors from the test", () => {
    const policy = policyOf(`lists: {own: {named: true}}
rules:
  - {id: mail, stages: [input], detect: pii, unless: finding.domain in lists.own, action: BLOCK}
  - {id: soon, stages: [input], detect: secrets, action: FLAG, mode: shadow, shadow: {until: 2027-01-01T00:00:00Z}}
exemptions: [{id: x, when: "true", rules: [mail], expires: 2026-12-01T00:00:00Z, reason: r}]
tests:
  - {name: before, text: a@b.cc, lists: {own: []}, expect: {outcome: ALLOW, rules: [mail]}}
  - {name: after, at: 2026-12-02T00:00:00Z, text: a@b.cc, lists: {own: []}, expect: {outcome: BLOCK}}
  - {name: listed, at: 2026-12-02T00:00:00Z, text: a@b.cc, lists: {own: [b.cc]}, expect: {outcome: ALLOW, not_rules: [mail]}}
  - {name: unknown, at: 2026-12-02T00:00:00Z, text: a@b.cc, expect: {outcome: BLOCK, unjudged: [pii]}}
  - {name: red, text: fine, expect: {outcome: ALLOW, unjudged: [pii]}}
  - {name: ended, at: 2027-01-01T00:00:00Z, text: KEY-1, lists: {own: []}, expect: {outcome: FLAG}}
`);
    const results = runPolicyTests(policy, options);
    expect(results.map(({ name, passed }) => [name, passed])).toEqual([
      ["before", true],
      ["after", true],
      ["listed", true],
      ["unknown", true],
      ["red", false],
      ["ended", true],
    ]);
    expect(results[4]?.failures).toEqual(["unjudged: pii was judged"]);
  });
});

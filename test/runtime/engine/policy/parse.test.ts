import { describe, expect, it } from "vitest";
import { at, parse, valid } from "./parsed.ts";

describe("parsePolicy", () => {
  it("takes a valid document without a problem", () => {
    expect(parse(valid)).toMatchObject({ problems: [], policy: { metadata: { name: "p" } } });
  });

  it("reports every problem at once, each with line, column, path and what was expected", () => {
    const problems = at(`apiVersion: policyguard/v1
kind: Policy
metadata: {name: p, descripton: typo}
match: {agents: []}
detectors:
  mail: {use: pii, entities: [EMIAL], treshold: 0.5}
  other: {use: secretz}
rules:
  - id: a
    stages: [input, outptu]
    detect: maill
    action: BLOK
  - id: b
    stages: [input]
    detect: mail
    when: segment.trsut == "untrusted"
    action: BLOCK
  - id: c
    stages: input
    action: 7
tests:
  - {name: t, text: x, expect: {outcome: ALLOW, rules: [zzz]}}
`);
    expect(problems).toEqual([
      'E | 3:21 | metadata.descripton | unknown key "descripton"; expected one of name, description, controls | did you mean "description"?',
      "E | 4:17 | match.agents | expected at least 1 item, found 0 | ",
      'E | 6:31 | detectors.mail.entities[0] | expected one of "EMAIL", "PHONE", found "EMIAL" | did you mean "EMAIL"?',
      'E | 6:39 | detectors.mail.treshold | unknown key "treshold"; expected one of entities | ',
      'E | 7:16 | detectors.other.use | the catalog has no detector "secretz" | did you mean "secrets"?',
      'E | 10:21 | rules[0].stages[1] | expected one of "input", "output", "tool_call", "tool_result", "retrieval", found "outptu" | did you mean "output"?',
      'E | 11:13 | rules[0].detect | neither the policy nor the catalog has a detector "maill" | did you mean "mail"?',
      'E | 12:13 | rules[0].action | expected one of "ALLOW", "FLAG", "REDACT", "BLOCK", found "BLOK" | did you mean "BLOCK"?',
      'E | 16:19 | rules[1].when | unknown field "trsut" | did you mean "trust"?',
      'E | 19:13 | rules[2].stages | expected an array, found "input" | ',
      "E | 20:13 | rules[2].action | expected a string, found 7 | ",
    ]);
  });

  it("points into a condition of a block scalar", () => {
    const source = valid.replace(
      "  - {id: a, stages: [input], detect: secrets, action: BLOCK}\n",
      '  - id: a\n    stages: [input]\n    detect: secrets\n    when: |\n      segment.trust == "untrusted"\n        && segment.length > "x"\n    action: BLOCK\n',
    );
    expect(at(source)).toEqual(["E | 10:12 | rules[0].when | no such overload: int > string | "]);
  });

  it.each([
    ["extends: [pack:pii@1]", "E | 8:11 | extends[0] | the pack pii@1 is not available here | "],
    [
      "extends: [pii@1]",
      'E | 8:11 | extends[0] | "pii@1" has to match ^pack:[a-z][a-z0-9-]{0,63}@\\d{1,6}(\\.\\d{1,6}){0,2}$ | ',
    ],
    [
      "exemptions: [{id: x, when: 'session.saw(\"tool_resul\")', rules: [a], reason: r}]",
      'E | 8:41 | exemptions[0].when | saw() does not know "tool_resul"; expected one of input, output, tool_call, tool_result, retrieval | did you mean "tool_result"?',
    ],
    [
      "exemptions: [{id: x, when: session.saw(request.stage), rules: [a], reason: r}]",
      "E | 8:40 | exemptions[0].when | saw() takes literal texts in quotes | ",
    ],
    [
      "exemptions: [{id: x, when: session.sew('input'), rules: [a], reason: r}]",
      'E | 8:28 | exemptions[0].when | unknown method "sew" of session; expected one of saw, found | did you mean "saw"?',
    ],
    [
      "exemptions: [{id: x, when: session.turn > 1, rules: [a], reason: r}]",
      'E | 8:36 | exemptions[0].when | unknown field "turn" | did you mean "turns"?',
    ],
    [
      'exemptions: [{id: x, when: "true", rules: [a], reason: r, expires: 2026-02-30T00:00:00Z}]',
      'E | 8:68 | exemptions[0].expires | "2026-02-30T00:00:00Z" is not a date | ',
    ],
    [
      "defaults: {mode: shadow, shadow: {until: 2026-13-01T00:00:00Z}}",
      'E | 8:42 | defaults.shadow.until | "2026-13-01T00:00:00Z" is not a date | ',
    ],
    [
      "defaults: {shadow: {until: 2026-12-01T00:00:00Z}}",
      'W | 8:12 | defaults.shadow | "shadow" has no effect: the mode is enforce, not shadow | ',
    ],
    [
      "lists: {own: {named: true, defaults: []}}",
      'E | 8:28 | lists.own.defaults | unknown key "defaults"; expected one of named, default | did you mean "default"?',
    ],
    [
      "exemptions: [{id: x, when: \"'a' in lists.own\", rules: [a], reason: r}]",
      'E | 8:42 | exemptions[0].when | unknown field "own" | ',
    ],
  ])("points to what is wrong in: %s", (line, problem) => {
    expect(at(`${valid}${line}\n`)).toEqual([problem]);
  });

  it.each([
    [
      "action: REDACT, redact: {style: mask, reversible: true}",
      /only a placeholder can be put back, not the style mask/,
    ],
    ["action: REDACT, redact: {ttl: 30m}", /"ttl" says how long an original is kept, so it needs "reversible: true"/],
    ["action: REDACT, redact: {reversible: true, ttl: 30 minutes}", /"30 minutes" has to match/],
    ["action: BLOCK, locked: true", /"locked" has no effect on rule "a": it is about rules of guard packs/],
    ["action: BLOCK, shadow: {until: 2026-12-01T00:00:00Z}", /"shadow" has no effect: the mode is enforce/],
    ["action: BLOCK, rollout: {percent: 0}", /never takes effect: 0 percent/],
    [
      "action: BLOCK, when: 'request.stage == \"output\"'",
      /never matches: request.stage is never "output" here, only input/,
    ],
    ["action: BLOCK, when: 'segment.trust == \"trused\"'", /never matches: segment.trust is never "trused" here/],
    [
      'action: BLOCK, when: \'request.agent_id == "a" && request.agent_id == "b"\'',
      /never matches: request.agent_id cannot be both "a" and "b"/,
    ],
    [
      "action: BLOCK, when: segment.length > 3, unless: 'segment.role == \"user\" || segment.length > 3'",
      /never matches: `when` and `unless` both ask for segment.length > 3/,
    ],
    [
      "action: BLOCK, when: 'segment.length > 3 && !(segment.length > 3)'",
      /asks for segment.length > 3 and its opposite/,
    ],
    ["action: BLOCK, when: 'false'", /never matches: `when` is false/],
  ])("tells of a rule with %s", (rest, message) => {
    const messages = at(valid.replace("action: BLOCK}", `${rest}}`).replace(/tests:[\s\S]*/, ""));
    expect(messages.filter((each) => message.test(each))).toHaveLength(1);
  });

  it.each([
    ["{id: b, stages: [input], detect: secrets, action: FLAG}", 'rule "b" never decides: "a" always matches'],
    ["{id: b, stages: [input], detect: {ref: secrets, threshold: 0.9}, action: BLOCK}", 'rule "b" never decides'],
    ["{id: b, stages: [input], detect: secrets, when: segment.length > 3, action: BLOCK}", 'rule "b" never decides'],
    ["{id: b, stages: [input], detect: {all: [secrets, pii]}, action: BLOCK}", 'rule "b" never decides'],
    ["{id: b, stages: [input, output], detect: secrets, action: BLOCK}", 'rule "a" never decides: "b" always matches'],
    ["{id: b, stages: [input], detect: secrets, action: ALLOW}", 'rule "b" contradicts "a"'],
  ])("warns of a rule that another makes needless: %s", (rule, message) => {
    const found = at(valid.replace("tests:", `  - ${rule}\ntests:`));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it.each([
    "{id: b, stages: [output], detect: secrets, action: FLAG}",
    "{id: b, stages: [input], detect: pii, action: FLAG}",
    "{id: b, stages: [input], detect: {any: [secrets, pii]}, action: FLAG}",
    "{id: b, stages: [input], detect: {ref: secrets, threshold: 0.1}, action: FLAG}",
  ])("does not call a rule needless that may decide: %s", (rule) => {
    expect(at(valid.replace("tests:", `  - ${rule}\ntests:`))).toEqual([]);
  });

  it("does not call a rule needless that takes over where an exemption ends", () => {
    const exempted = `${valid}exemptions: [{id: x, when: "true", rules: [a], reason: r}]\n`;
    expect(
      at(exempted.replace("tests:", "  - {id: b, stages: [input], detect: secrets, action: FLAG}\ntests:")),
    ).toEqual([]);
  });

  it("warns of a detector that no rule uses, of rules that never match or decide, and of missing tests", () => {
    const { policy, problems } = parse(`apiVersion: policyguard/v1
kind: Policy
metadata: {name: p}
detectors: {unused: {use: pii}}
rules:
  - {id: a, stages: [input], detect: secrets, action: BLOCK}
  - {id: b, stages: [input], detect: secrets, action: FLAG}
  - {id: c, stages: [output], detect: secrets, action: FLAG, mode: off}
`);
    expect(policy).toBeDefined();
    expect(problems.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      "warning: the policy has no tests",
      'warning: no rule uses the detector "unused"',
      'warning: rule "b" never decides: "a" always matches too and is as strict',
      'warning: rule "c" never matches: its mode is off',
    ]);
  });

  it("lets a detector check what its schema cannot express, and points at the position", () => {
    const source = valid.replace("rules:", "detectors:\n  w: {use: words, words: [fine, forbidden]}\nrules:");
    expect(at(source.replace("detect: secrets", "detect: w"))).toEqual([
      "E | 5:33 | detectors.w.words[1] | this word is not allowed here | ",
    ]);
  });

  it("refuses a catalog detector that cannot do without parameters", () => {
    expect(at(valid.replace("detect: secrets", "detect: words"))).toEqual([
      'E | 5:38 | rules[0].detect | the detector "words" needs words; name it under "detectors" | ',
    ]);
  });

  it.each([
    ["detect: {ref: pii, entities: [MAIL]}", 'the detector "pii" has no entity "MAIL"'],
    ["detect: {ref: pii, categories: [pii.fax]}", 'the detector "pii" has no category "pii.fax"'],
    ["detect: {quorum: {of: [pii, secrets], at_least: 3}}", "expected at most 2, the number of detectors"],
    ["when: finding.score > 0.5", 'only a rule with "detect" has a "finding"'],
    [
      "detect: pii, when: 'tool.name == \"x\"'",
      '"tool" exists at the stage tool_call only; the rule has to name no other stage',
    ],
    ["detect: {}", "expected an object with one of: ref; any; all; quorum"],
    ["detect: [pii]", "expected a string or an object, found an array"],
  ])("refuses a rule with %s", (part, message) => {
    const { problems } = parse(valid.replace("detect: secrets", part));
    expect(problems.filter(({ severity }) => severity === "error").map((problem) => problem.message)).toEqual([
      message,
    ]);
  });

  it("refuses to redact a call of which nothing is rewritten", () => {
    const source = valid.replace(
      "stages: [input], detect: secrets, action: BLOCK",
      "stages: [tool_call], when: 'true', action: REDACT",
    );
    expect(at(source)[0]).toContain('a rule without "detect" has nothing to rewrite at the stage tool_call');
  });

  it("refuses a rule without detect and when", () => {
    expect(at(valid.replace("detect: secrets, ", ""))[0]).toContain('rule "a" needs "detect", "when" or both');
  });
});

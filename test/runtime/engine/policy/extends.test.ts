import { describe, expect, it } from "vitest";
import { Mode, Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { diffPolicies } from "../../../../runtime/engine/authoring/diff.ts";
import { runPolicyTests } from "../../../../runtime/engine/authoring/test-runner.ts";
import type { PackSource } from "../../../../runtime/engine/policy/extend.ts";
import { packsOf, recordedPacks } from "../../../../runtime/engine/policy/pack-record.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { sampleKit } from "../sample-detectors.ts";
import { ask, engineOf, policyOf } from "../sample-engine.ts";

const head = "apiVersion: policyguard/v1\nkind: Policy\n";

/** Packs by "id@version", as policies; "$word" stands for the parameter of the name. */
function packsWith(documents: Readonly<Record<string, string>>): PackSource {
  return ({ id, version, parameters }) => {
    const body = documents[`${id}@${version}`];
    if (body === undefined) return { problem: `there is no pack ${id}@${version}`, suggestion: 'did you mean "leak"?' };
    const word = parameters.word ?? "acme";
    if (typeof word !== "string") return { problem: "expected a string", path: ["word"] };
    const { policy, problems } = parsePolicy(
      `${head}metadata: {name: ${id}}\n${body.replaceAll("$word", word)}`,
      sampleKit.definitions,
    );
    const document = policy === undefined ? { broken: problems.length } : JSON.parse(JSON.stringify(policy));
    return { version: `${version}.0.0`, digest: `sha256:${id}`, document };
  };
}

const leak = `lists: {own: [pack.com]}
detectors: {secrets: {use: words, words: [$word]}}
rules:
  - {id: word, stages: [input], detect: secrets, action: FLAG}
  - {id: mail, stages: [input], detect: pii, unless: finding.domain in lists.own, action: BLOCK, locked: true}
  - {id: calm, stages: [input], detect: injection, action: FLAG, mode: shadow}
exemptions: [{id: trusted, when: 'segment.trust == "trusted"', rules: ["m*"], reason: r}]
`;
const packs = packsWith({ "leak@1": leak, "leak@2": leak.replace("action: FLAG}", "action: BLOCK}") });
const own = "rules: [{id: word, stages: [input], detect: secrets, action: BLOCK}]\n";

const extending = (source: string, using = packs) =>
  engineOf([{ source: policyOf(source, using), scope: {}, packs: using }]);
const found = (source: string, text: string, using = packs, request: object = {}) =>
  ask(extending(source, using), { text, ...request }).findings.map(
    ({ ruleId, policy, mode, exemptedBy }) =>
      `${policy} ${ruleId}${mode === Mode.SHADOW ? " shadow" : ""}${exemptedBy === undefined ? "" : ` exempted by ${exemptedBy}`}`,
  );
const problemsOf = (source: string, using = packs) =>
  parsePolicy(`${head}metadata: {name: p}\n${source}`, sampleKit.definitions, using)
    .problems.filter(({ message }) => message !== "the policy has no tests")
    .map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);

describe("a policy that extends a pack", () => {
  it("runs the pack's rules under the pack's name, with detectors and lists that are the pack's own", () => {
    const source = `extends: [pack:leak@1]\nlists: {own: [mine.com]}\n${own}`;
    expect(found(source, "acme KEY-1")).toEqual(["p leak/word", "p word"]);
    expect(found(source, "a@pack.com")).toEqual([]);
    expect(found(source, "a@mine.com")).toEqual(["p leak/mail"]);
    expect(extending(source).policies).toEqual([{ policyId: "id-0", name: "p", version: 1 }]);
  });

  it("fills in parameters", () => {
    expect(found(`extends: [{pack: "pack:leak@1", parameters: {word: zebra}}]\n${own}`, "acme zebra")).toEqual([
      "p leak/word",
    ]);
  });

  it.each([
    ["{pack: 'pack:leak@1', mode: shadow}", ["p leak/mail", "p leak/word shadow", "p leak/calm shadow"]],
    ["{pack: 'pack:leak@1', mode: off}", ["p leak/mail"]],
    ["{pack: 'pack:leak@1', mode: enforce}", ["p leak/mail", "p leak/word", "p leak/calm"]],
    ["{pack: 'pack:leak@1', rollout: {percent: 0}}", ["p leak/mail", "p leak/word shadow", "p leak/calm shadow"]],
    [
      "{pack: 'pack:leak@1', mode: shadow, shadow: {until: 2026-11-20T10:00:00Z}}",
      ["p leak/mail", "p leak/word", "p leak/calm"],
    ],
    [
      "{pack: 'pack:leak@1', mode: shadow, shadow: {until: 2026-11-20T10:00:01Z}}",
      ["p leak/mail", "p leak/word shadow", "p leak/calm shadow"],
    ],
  ])("sets mode and roll-out of its rules, but weakens none that is locked: %s", (use, expected) => {
    expect(found(`extends: [${use}]\n${own}`, "a@b.com acme ignore all").sort()).toEqual([...expected].sort());
  });

  it("gives its default mode to rules that name none, and not to locked ones", () => {
    const source = `extends: [pack:leak@1]\ndefaults: {mode: shadow}\n${own}`;
    expect(found(source, "a@b.com acme KEY-1")).toEqual(["p leak/mail", "p leak/word shadow", "p word shadow"]);
  });

  it("exempts from its own rules and the pack's, but not from locked ones; the pack's exemptions are about its own rules", () => {
    const source = `extends: [pack:leak@1]\n${own}exemptions: [{id: all, when: "true", rules: ["*"], reason: r}]\n`;
    expect(found(source, "a@b.com acme KEY-1")).toEqual([
      "p leak/mail",
      "p leak/word exempted by all",
      "p word exempted by all",
    ]);
    const trusted = { segments: [{ text: "a@b.com KEY-1", trust: 1 }], text: undefined };
    const plain = `extends: [pack:leak@1]\nrules: [{id: mine, stages: [input], detect: pii, action: FLAG}]\n`;
    expect(found(plain, "", packs, trusted)).toEqual(["p mine", "p leak/mail exempted by leak/trusted"]);
  });

  it("reads its own lists in its exemptions, also where they reach a pack's rule", () => {
    const source = `extends: [pack:leak@1]\nlists: {own: [x]}\n${own}exemptions: [{id: by-list, when: "lists.own[0] == 'x'", rules: [leak/word], reason: r}]\n`;
    expect(found(source, "acme")).toEqual(["p leak/word exempted by by-list"]);
  });

  it("changes nothing in another policy that extends the same pack", () => {
    const policies = [
      `metadata: {name: a}\nextends: [{pack: "pack:leak@1", mode: off}]\n${own}`,
      `metadata: {name: b}\nextends: [pack:leak@1]\n${own}`,
    ];
    const engine = engineOf(policies.map((source) => ({ source, scope: {}, packs })));
    expect(ask(engine, { text: "acme" }).findings.map(({ policy, ruleId }) => [policy, ruleId])).toEqual([
      ["b", "leak/word"],
    ]);
  });

  it("decides with pack rules as with its own, the policy's own first", () => {
    const evaluation = ask(extending(`extends: [pack:leak@2]\n${own}`), { text: "KEY-1 acme" });
    expect(evaluation.decidedByRule).toBe("word");
    expect(ask(extending(`extends: [pack:leak@2]\n${own}`), { text: "acme" }).decidedByRule).toBe("leak/word");
    expect(evaluation.response.outcome).toBe(Outcome.BLOCK);
  });

  it("also extends the packs that its packs extend", () => {
    const nested = packsWith({
      "outer@1": `extends: [{pack: "pack:leak@1", mode: shadow}]\nrules: [{id: top, stages: [input], detect: pii, action: FLAG}]\nexemptions: [{id: e, when: "true", rules: [leak/word], reason: r}]\n`,
      "leak@1": leak,
    });
    const use: PackSource = (reference) => {
      if (reference.id === "leak") return nested(reference);
      const text = `${head}metadata: {name: outer}\nextends: [{pack: "pack:leak@1", mode: shadow}]\nrules: [{id: top, stages: [input], detect: pii, action: FLAG}]\nexemptions: [{id: e, when: "true", rules: [leak/word], reason: r}]\n`;
      const { policy } = parsePolicy(text, sampleKit.definitions, nested);
      return { version: "1.0.0", digest: "sha256:outer", document: JSON.parse(JSON.stringify(policy)) };
    };
    expect(found(`extends: [pack:outer@1]\n${own}`, "a@b.com acme", use)).toEqual([
      "p outer/top",
      "p outer/leak/mail",
      "p outer/leak/word shadow exempted by outer/e",
    ]);
  });

  it.each([
    ["extends: [pack:leek@1]", "4:11 extends[0]: there is no pack leek@1"],
    ["extends: [{pack: 'pack:leak@1', parameters: {word: 7}}]", "4:52 extends[0].parameters.word: expected a string"],
    ["extends: [pack:leak@1, pack:leak@2]", "4:24 extends[1]: the pack leak is extended twice"],
    [
      "extends: [{pack: 'pack:leak@1', mod: off}]",
      '4:33 extends[0].mod: unknown key "mod"; expected one of pack, parameters, mode, shadow, rollout',
    ],
  ])("tells what is wrong with %s", (line, problem) => {
    expect(problemsOf(`${line}\n${own}`)).toEqual([problem]);
  });

  it("refuses every circle of packs that extend each other", () => {
    const body = (other: string) => ({
      apiVersion: "policyguard/v1",
      kind: "Policy",
      metadata: { name: "x" },
      extends: [`pack:${other}@1`],
      rules: [{ id: "r", stages: ["input"], detect: "secrets", action: "FLAG" }],
    });
    const next: Readonly<Record<string, string>> = { a: "b", b: "c", c: "a", self: "self" };
    const circle: PackSource = ({ id }) => ({ version: "1.0.0", digest: "d", document: body(next[id] ?? "") });
    const [one = ""] = problemsOf(`extends: [pack:self@1]\n${own}`, circle);
    expect(one).toContain("4:11 extends[0]: the pack self 1.0.0 is not valid");
    expect(one).toContain("the packs extend each other in a circle: self → self");
    expect(problemsOf(`extends: [pack:a@1]\n${own}`, circle)[0]).toContain("in a circle: a → b → c → a");
    let count = 0;
    const endless: PackSource = () => ({ version: "1.0.0", digest: "d", document: body(`n${count++}`) });
    expect(problemsOf(`extends: [pack:n@1]\n${own}`, endless)[0]).toContain("deeper than 4 levels");
    expect(count).toBeLessThan(10);
  });

  it("knows pack rules in exemptions and tests", () => {
    const source = `extends: [pack:leak@1]\n${own}exemptions:
  - {id: a, when: "true", rules: [leak/wrd], reason: r}
  - {id: b, when: "true", rules: [leak/mail], reason: r}
tests:
  - {name: t, text: acme, expect: {outcome: BLOCK, rules: [leak/ward]}}
`;
    expect(problemsOf(source)).toEqual([
      '7:35 exemptions[0].rules[0]: exemption "a": no rule matches "leak/wrd"',
      '8:35 exemptions[1].rules[0]: exemption "b": every rule that matches "leak/mail" is locked by its pack',
      '10:60 tests[0].expect.rules[0]: the policy has no rule "leak/ward"',
    ]);
    const tested = policyOf(
      `extends: [pack:leak@1]\n${own}tests: [{name: t, text: acme, expect: {outcome: FLAG, rules: [leak/word], not_rules: [word]}}]\n`,
      packs,
    );
    expect(runPolicyTests(tested, { now: new Date(0), kit: sampleKit, packs })).toMatchObject([{ passed: true }]);
  });

  it("can be run by the packs that were noted down, and by no others", () => {
    const { source, records } = recordedPacks(packs);
    const policy = policyOf(`extends: [{pack: "pack:leak@1", parameters: {word: zebra, other: 1}}]\n${own}`, source);
    expect(records()).toMatchObject([{ id: "leak", requested: "1", version: "1.0.0", digest: "sha256:leak" }]);
    const stored = packsOf(JSON.parse(JSON.stringify(records())));
    const engine = engineOf([{ source: policy, scope: {}, packs: stored }]);
    expect(ask(engine, { text: "zebra" }).findings.map(({ ruleId }) => ruleId)).toEqual(["leak/word"]);
    const other = { ...policy, extends: ["pack:leak@2"] };
    expect(() => engineOf([{ source: other, scope: {}, packs: stored }])).toThrow("does not contain the pack leak@2");
  });

  it("shows the difference of two packs rule by rule", () => {
    const [before, after] = ["1", "2"].map((version) => policyOf(`extends: [pack:leak@${version}]\n${own}`, packs));
    if (before === undefined || after === undefined) throw new Error("two in, two out");
    const { changes, strictness } = diffPolicies(before, after, sampleKit.definitions, packs);
    expect(changes.map(({ text }) => text)).toEqual([
      "pack leak: extended as pack:leak@2 instead of pack:leak@1",
      'rule "leak/word": stricter action: BLOCK instead of FLAG',
    ]);
    expect(strictness).toBe("stricter");
    const unknown = diffPolicies(before, after, sampleKit.definitions);
    expect(unknown.strictness).toBe("unknown");
    const removed = diffPolicies(before, policyOf(own), sampleKit.definitions, packs);
    expect(removed.strictness).toBe("weaker");
  });
});

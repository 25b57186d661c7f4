import { readFileSync } from "node:fs";
import { CompletionContext } from "@codemirror/autocomplete";
import { yaml } from "@codemirror/lang-yaml";
import { EditorState } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import { complete, describe as describeAt, type Language } from "../../console/editor/completion.ts";
import { fixOf, rangeOf } from "../../console/editor/problem.ts";
import { conditionWords } from "../../src/domain/playground/condition-words.ts";

const language: Language = {
  schema: JSON.parse(readFileSync(new URL("../../schemas/policy.schema.json", import.meta.url), "utf8")),
  conditions: conditionWords,
  catalog: {
    detectors: [
      { name: "pii", description: "Personal data.", categories: ["pii.email"], entities: ["EMAIL", "IBAN"] },
      { name: "secrets", description: "Keys and passwords.", categories: ["secrets.github"], entities: [] },
    ],
    packs: [
      { name: "secrets", description: "Credentials.", versions: ["1.0.0"] },
      {
        ...{ name: "pii-eu", description: "Data of Europeans.", versions: ["2.1.0", "1.4.2"], rules: ["pii.iban"] },
        parameters: {
          properties: {
            sensitivity: { description: "How strict.", enum: ["low", "strict"] },
            names: { type: "array" },
          },
        },
      },
    ],
  },
};

/** The state of a text whose cursor is at "¦". */
function at(text: string): { readonly state: EditorState; readonly pos: number } {
  const pos = text.indexOf("¦");
  return { state: EditorState.create({ doc: text.replace("¦", ""), extensions: [yaml()] }), pos };
}

function offered(text: string, { explicit = true } = {}): readonly string[] {
  const { state, pos } = at(text);
  const found = complete(language, new CompletionContext(state, pos, explicit));
  const word = found === null ? "" : state.sliceDoc(found.from, pos);
  return found?.options.map(({ label }) => label).filter((label) => label.startsWith(word)) ?? [];
}

/** The text after the suggestion was taken. */
function taken(text: string, label: string): string {
  const { state, pos } = at(text);
  const found = complete(language, new CompletionContext(state, pos, true));
  const option = found?.options.find((each) => each.label === label);
  if (found == null || option === undefined) throw new Error(`${label} is not offered`);
  const insert = typeof option.apply === "string" ? option.apply : option.label;
  return state.update({ changes: { from: found.from, to: found.to ?? pos, insert } }).state.doc.toString();
}

function told(text: string): string | undefined {
  const { state, pos } = at(text);
  return describeAt(language, state, pos)?.text;
}

const rule = "rules:\n  - id: attack\n    stages: [input]\n";

test("a key takes its colon along, and one that has a colon keeps it", () => {
  expect(taken(`${rule}    de¦`, "detect")).toBe(`${rule}    detect: `);
  expect(taken(`${rule}    de¦tekt: injection`, "detect")).toBe(`${rule}    detect: injection`);
  expect(taken(`${rule}    detect¦: injection`, "detect")).toBe(`${rule}    detect: injection`);
});

describe("a suggestion in place of what is wrong", () => {
  const problem = (line: number, column: number, text: string) => ({
    ...{ line, column, text, isWarning: false, suggested: "BLOCK" },
  });
  const { doc } = EditorState.create({ doc: 'rules:\n  - action: "BLOK"\n    when: BLOK == 1' });

  test("replaces the word that the problem names", () => {
    const change = fixOf(doc, problem(2, 13, 'found "BLOK"; did you mean "BLOCK"?'));
    expect(change).toEqual({ from: 20, to: 24, insert: "BLOCK" });
  });

  test("marks what the server marks, and moves a place beyond an older text's end", () => {
    const marked = (end: { line: number; column: number }, line = 2) => {
      const { from, to } = rangeOf(doc, { ...problem(line, 13, ""), end });
      return doc.sliceString(from, to);
    };
    expect(marked({ line: 2, column: 19 })).toBe('"BLOK"');
    expect(marked({ line: 3, column: 10 })).toBe('"BLOK"\n    when:');
    expect(marked({ line: 2, column: 99 })).toBe('"BLOK"');
    expect(marked({ line: 9, column: 14 }, 9)).toBe("O");
  });

  test("is not offered where the place is another word's", () => {
    expect(fixOf(doc, problem(2, 5, 'found "BLOK"; did you mean "BLOCK"?'))).toBeUndefined();
    expect(fixOf(doc, { ...problem(2, 13, 'found "BLOK"'), suggested: undefined })).toBeUndefined();
  });
});

describe("what the editor offers", () => {
  test.each([
    ["keys of the document", "kind: Policy\nru¦", "rules"],
    ["keys of an entry", `${rule}    ac¦`, "action"],
    ["keys of an entry that begins", "rules:\n  - i¦", "id"],
    ["keys of a list without indentation", "rules:\n- id: a\n  ac¦", "action"],
    ["keys within braces", "rules:\n  - {id: attack, ac¦}", "action"],
    ["keys of a nested block", `${rule}    rollout:\n      per¦`, "percent"],
    ["keys after a nested block", `${rule}    rollout:\n      percent: 5\n    ac¦`, "action"],
    ["a whole rule", "rules:\n  - ¦", "rule"],
    ["a whole test", "tests:\n  - t¦", "test"],
    ["a whole exemption", "exemptions:\n  - ¦", "exemption"],
    ["values", `${rule}    action: B¦`, "BLOCK"],
    ["values within braces", "rules:\n  - {id: attack, action: B¦}", "BLOCK"],
    ["values of a list", "rules:\n  - id: attack\n    stages: [ou¦]", "output"],
    ["values of a list within braces", "rules:\n  - {id: attack, stages: [input, o¦]}", "output"],
    ["truth values", `${rule}    locked: t¦`, "true"],
  ])("%s", (_, text, word) => {
    expect(offered(text)).toContain(word);
  });

  test.each([
    ["in a comment", `${rule}    # ac¦`],
    ["for a key that is not known", `${rule}    nothing: a¦`],
  ])("is nothing %s", (_, text) => {
    expect(offered(text)).toEqual([]);
  });

  test("a key is described where the pointer rests", () => {
    expect(told("rules:\n  - {id: attack, wh¦en: 'true'}")).toBe("CEL. The rule matches only if it is true.");
    expect(told("rules:\n  - {id: att¦ack}")).toBeUndefined();
  });
});

const named = `lists:
  own_domains: [example.com]
detectors:
  mine: {use: pii, entities: [EMAIL]}
  theirs:
    use: keywords
extends:
  - {pack: "pack:pii-eu@2", parameters: {sensitivity: low}}
rules:
  - id: first
    stages: [input]
    detect: mine
    action: FLAG
`;

describe("names", () => {
  test.each([
    ["a detector of the document", `${named}  - {id: b, detect: m¦}`, "mine"],
    ["a detector of the catalog", `${named}  - {id: b, detect: s¦}`, "secrets"],
    ["a detector in a reference", `${named}  - {id: b, detect: {ref: th¦}}`, "theirs"],
    ["one of several detectors", `${named}  - id: b\n    detect:\n      any:\n        - m¦`, "mine"],
    ["one of several within brackets", `${named}  - {id: b, detect: {all: [mine, se¦]}}`, "secrets"],
    ["an entity of the detector", `${named}  - {id: b, detect: {ref: mine, entities: [I¦]}}`, "IBAN"],
    ["a category of the detector", `${named}  - {id: b, detect: {ref: secrets, categories: [s¦]}}`, "secrets.github"],
    ["a rule in an exemption", `${named}exemptions:\n  - {id: e, rules: [f¦]}`, "first"],
    ["a rule of a pack", `${named}exemptions:\n  - id: e\n    rules:\n      - pii-eu/¦`, "pii-eu/pii.iban"],
    ["a rule in a test", `${named}tests:\n  - name: t\n    expect: {outcome: FLAG, rules: [f¦]}`, "first"],
    ["what a test cannot judge", `${named}tests:\n  - {name: t, expect: {unjudged: [th¦]}}`, "theirs"],
    ["a list in a test", `${named}tests:\n  - name: t\n    lists:\n      o¦`, "own_domains"],
    ["a pack", "extends:\n  - pack:p¦", "pack:pii-eu@2"],
    ["a version of a pack", 'extends:\n  - {pack: "pack:pii-eu@1.¦"}', "pack:pii-eu@1.4.2"],
    ["a minor version of a pack", "extends:\n  - pack: pack:pii-eu@2¦", "pack:pii-eu@2.1"],
    ["a parameter of a pack", 'extends:\n  - {pack: "pack:pii-eu@2", parameters: {s¦}}', "sensitivity"],
    ["a parameter in a block", "extends:\n  - pack: pack:pii-eu@2\n    parameters:\n      n¦", "names"],
    ["a value of a parameter", 'extends:\n  - {pack: "pack:pii-eu@2", parameters: {sensitivity: s¦}}', "strict"],
    ["a detector of the catalog for a name", "detectors:\n  mine:\n    use: inj¦", "injection"],
    ["a parameter of a detector", "detectors:\n  mine:\n    use: pii\n    ent¦", "entities"],
    ["a parameter of a detector before its end", "detectors:\n  mine: {use: pii, ent¦}", "entities"],
    ["a parameter after a comma", "detectors:\n  mine: {use: pii, ¦}", "entities"],
    ["a value in a block list", "rules:\n  - id: a\n    stages:\n      - in¦", "input"],
  ])("%s", (_, text, word) => {
    expect(offered(text)).toContain(word);
  });

  test.each([
    ["an entity of another detector", `${named}  - {id: b, detect: {ref: secrets, entities: [I¦]}}`],
    ["a parameter of another detector", "detectors:\n  mine:\n    use: secrets\n    entit¦"],
    ["a parameter of another pack", 'extends:\n  - {pack: "pack:secrets@1", parameters: {s¦}}'],
    ["a detector for the id of a rule", `${named}  - {id: m¦}`],
  ])("never %s", (_, text) => {
    expect(offered(text)).toEqual([]);
  });

  test.each([
    ["a detector", `${named}  - {id: b, detect: sec¦rets}`, "Keys and passwords."],
    ["a detector of the document", `${named}  - {id: b, detect: mi¦ne}`, "pii: Personal data."],
    ["what a detector uses", "detectors:\n  mine: {use: p¦ii}", "Personal data."],
    ["a pack", "extends:\n  - pack:pii-¦eu@2", "Data of Europeans."],
    [
      "a parameter",
      'extends:\n  - {pack: "pack:pii-eu@2", parameters: {sensi¦tivity: low}}',
      "How strict. low, strict",
    ],
  ])("%s is described", (_, text, said) => {
    expect(told(text)).toBe(said);
  });
});

const when = (condition: string) => `lists:\n  own: [a]\nrules:\n  - id: a\n    detect: pii\n    when: ${condition}`;

describe("in a condition", () => {
  test.each([
    ["a variable", when("fin¦"), "finding"],
    ["a variable where there is nothing yet", when("¦"), "segment"],
    ["a variable after an operator", when("request.stage == 'x' && seg¦"), "segment"],
    ["a variable after a space", when("request.stage == 'x' && ¦"), "segment"],
    ["a field", when("finding.co¦"), "country"],
    ["a field after the point", when("finding.¦"), "score"],
    ["a field of an attribute of no type", when("request.metadata.x.st¦"), "startsWith"],
    ["a method of a text", when("segment.text.st¦"), "startsWith"],
    ["a method after a call", when("segment.text.lowerAscii().con¦"), "contains"],
    ["a method of a literal", when(`'"a".si¦'`), "size"],
    ["a method of a list", when("session.tools.ex¦"), "exists"],
    ["a method of the session", when("session.s¦"), "saw"],
    ["a stage", when('session.saw("to¦")'), "tool_result"],
    ["a trust", when('session.saw("input", "un¦")'), "untrusted"],
    ["a list of the document", when("finding.domain in lists.o¦"), "own"],
    ["a method of a list of the document", when("lists.own.ex¦"), "exists"],
    ["the name of an element", when("findings.exists(each, ea¦)"), "each"],
    ["a field of an element", when("findings.exists(f, f.co¦)"), "country"],
    ["a field of what was filtered", when("findings.filter(f, f.score > 0.5).all(g, g.cat¦)"), "category"],
    ["a field of an element at an index", when("findings[0].dom¦"), "domain"],
    ["a name in a macro within another", when("findings.all(f, session.tools.exists(t, f.st¦))"), "start"],
    ["a function", when("si¦"), "size"],
    ["within double quotes", when('"segment.te¦"'), "text"],
    ["within single quotes", when("'segment.tr¦'"), "trust"],
    ["within double quotes after an escaped one", when(String.raw`"segment.origin == \"web\" && segment.ro¦"`), "role"],
    ["within braces", "rules:\n  - {id: a, unless: 'finding.sc¦', action: FLAG}", "score"],
    ["in a block", "rules:\n  - id: a\n    when: >-\n      segment.trust == 'x' &&\n      request.st¦", "stage"],
    ["in an exemption", "exemptions:\n  - id: e\n    when: subject.ro¦", "roles"],
  ])("%s", (_, text, word) => {
    expect(offered(text)).toContain(word);
  });

  test.each([
    ["a field of another type", when("segment.sco¦")],
    ["a method of a text for a list", when("session.tools.sta¦")],
    ["anything within a text", when("segment.text == 'fin¦'")],
    ["anything within a number", when("finding.score > 0.5¦")],
    ["a variable after a point", when("segment.fin¦")],
    ["the name of an element outside of its macro", when("findings.exists(each, true) && ea¦")],
    ["a condition where there is none", "rules:\n  - id: a\n    message: fin¦"],
  ])("never %s", (_, text) => {
    expect(offered(text)).toEqual([]);
  });

  test("nothing is offered unasked before a word begins, but after a point", () => {
    expect(offered(when("true && ¦"), { explicit: false })).toEqual([]);
    expect(offered(when("segment.¦"), { explicit: false })).toContain("text");
  });

  test.each([
    ["a variable", when("fin¦ding.score > 0.5"), /^Finding\. One finding/],
    ["a field", when("finding.sc¦ore > 0.5"), /^double\. How sure/],
    ["a method", when("segment.text.contains¦('x')"), /^contains\(part\): bool\. Whether/],
    ["a function", when("si¦ze(segment.text) > 5"), /^size\(value\): int\./],
    ["the name of an element", when("findings.exists(f, f¦.score > 0.5)"), /^Finding$/],
  ])("%s is described", (_, text, said) => {
    expect(told(text)).toMatch(said);
  });

  test("nothing is described that is not known", () => {
    expect(told(when("nothing.sc¦ore > 0.5"))).toBeUndefined();
    expect(told(when("segment.text == 'fin¦ding'"))).toBeUndefined();
  });
});

import { readFileSync } from "node:fs";
import { CompletionContext } from "@codemirror/autocomplete";
import { yaml } from "@codemirror/lang-yaml";
import { EditorState } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import { completeBySchema, describeKey } from "../../console/editor/completion.ts";
import { fixOf } from "../../console/editor/problem.ts";

const schema = JSON.parse(readFileSync(new URL("../../schemas/policy.schema.json", import.meta.url), "utf8"));

/** The state of a text whose cursor is at "|". */
function at(text: string): { readonly state: EditorState; readonly pos: number } {
  const pos = text.indexOf("|");
  return { state: EditorState.create({ doc: text.replace("|", ""), extensions: [yaml()] }), pos };
}

function offered(text: string): readonly string[] {
  const { state, pos } = at(text);
  return completeBySchema(schema, new CompletionContext(state, pos, true))?.options.map(({ label }) => label) ?? [];
}

const rule = "rules:\n  - id: attack\n    stages: [input]\n";

describe("a suggestion in place of what is wrong", () => {
  const problem = (line: number, column: number, text: string) => ({
    ...{ line, column, text, isWarning: false, suggested: "BLOCK" },
  });
  const { doc } = EditorState.create({ doc: 'rules:\n  - action: "BLOK"\n    when: BLOK == 1' });

  test("replaces the word that the problem names", () => {
    const change = fixOf(doc, problem(2, 13, 'found "BLOK"; did you mean "BLOCK"?'));
    expect(change).toEqual({ from: 20, to: 24, insert: "BLOCK" });
  });

  test("is not offered where the place is another word's", () => {
    expect(fixOf(doc, problem(2, 5, 'found "BLOK"; did you mean "BLOCK"?'))).toBeUndefined();
    expect(fixOf(doc, { ...problem(2, 13, 'found "BLOK"'), suggested: undefined })).toBeUndefined();
  });
});

describe("what the editor offers", () => {
  test.each([
    ["keys of the document", "kind: Policy\nru|", "rules"],
    ["keys of an entry", `${rule}    ac|`, "action"],
    ["keys of an entry that begins", "rules:\n  - i|", "id"],
    ["keys of a list without indentation", "rules:\n- id: a\n  ac|", "action"],
    ["keys within braces", "rules:\n  - {id: attack, ac|}", "action"],
    ["keys of a nested block", `${rule}    rollout:\n      per|`, "percent"],
    ["keys after a nested block", `${rule}    rollout:\n      percent: 5\n    ac|`, "action"],
    ["a whole rule", "rules:\n  - |", "rule"],
    ["a whole test", "tests:\n  - t|", "test"],
    ["a whole exemption", "exemptions:\n  - |", "exemption"],
    ["values", `${rule}    action: B|`, "BLOCK"],
    ["values within braces", "rules:\n  - {id: attack, action: B|}", "BLOCK"],
    ["values of a list", "rules:\n  - id: attack\n    stages: [in|]", "output"],
    ["values of a list within braces", "rules:\n  - {id: attack, stages: [input, o|]}", "output"],
    ["truth values", `${rule}    locked: t|`, "true"],
  ])("%s", (_, text, word) => {
    expect(offered(text)).toContain(word);
  });

  test.each([
    ["in a comment", `${rule}    # ac|`],
    ["for a key that is not known", `${rule}    nothing: a|`],
  ])("is nothing %s", (_, text) => {
    expect(offered(text)).toEqual([]);
  });

  test("a key is described where the pointer rests", () => {
    const { state, pos } = at("rules:\n  - {id: attack, when|: 'true'}");
    expect(describeKey(schema, state, pos)?.text).toBe("CEL. The rule matches only if it is true.");
    const value = at("rules:\n  - {id: att|ack}");
    expect(describeKey(schema, value.state, value.pos)).toBeUndefined();
  });
});

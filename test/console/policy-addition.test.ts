import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { addToList } from "../../console/data/policy-addition.ts";

const entry = {
  name: "passes",
  stage: "input",
  text: 'a "quoted": {text} # no comment\n\u2028 - item',
  expect: { outcome: "ALLOW" },
};
const head = "apiVersion: policyguard/v1\nkind: Policy\n";

describe("a test that is added to the text of a policy", () => {
  test.each([
    ["where there is none", head],
    ["to an empty list", `${head}tests: []  # later\n`],
    ["to a list with comments, before what follows", `${head}tests:\n  # one\n  - {name: a}\n\n  # end\nrules: []\n`],
    ["to a list without indentation", `${head}tests:\n- name: a\n  text: |\n    tests:\n\n    more\nrules: []\n`],
    ["to a list of four spaces", `${head}tests:\n    - {name: a}\n`],
    ["to a document of JSON", '{"kind": "Policy", "tests": [{"name": "a"}]}'],
  ])("stands at the end of the list, and changes nothing else: %s", (_, source) => {
    const before = parse(source);
    const added = addToList(source, "tests", entry);
    expect(parse(added ?? "")).toEqual({ ...before, tests: [...(before.tests ?? []), entry] });
  });

  test("is not forced into a list that is written on one line", () => {
    expect(addToList(`${head}tests: [{name: a}]\n`, "tests", entry)).toBeUndefined();
  });

  test("has the same text, whatever the text is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const added = addToList(head, "tests", { text });
        expect(parse(added ?? "").tests).toEqual([{ text }]);
      }),
      { numRuns: 200, seed: 22 },
    );
  });
});

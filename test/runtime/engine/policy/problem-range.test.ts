import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parsePolicyTests } from "../../../../runtime/engine/authoring/test-file.ts";
import { noPacks } from "../../../../runtime/engine/policy/extend.ts";
import { checkSchema } from "../../../../runtime/engine/policy/json-schema.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { type PolicyProblem, Problems, problemKinds } from "../../../../runtime/engine/policy/problem.ts";
import { treeFromText } from "../../../../runtime/engine/policy/source-tree.ts";
import { sampleKit } from "../sample-detectors.ts";
import { parse, valid } from "./parsed.ts";

/** Each problem as its code and the part of the source that it marks. */
function marked(source: string, problems: readonly PolicyProblem[] = parse(source).problems): string[] {
  return problems.map((problem) => `${problem.code}: ${partOf(source, problem)}`);
}

function partOf(source: string, { line, column, endLine, endColumn }: PolicyProblem): string {
  const lines = source.split("\n").map((text) => `${text}\n`);
  const offsetOf = (row: number, at: number) => lines.slice(0, row - 1).join("").length + at - 1;
  return source.slice(offsetOf(line, column), offsetOf(endLine, endColumn));
}

const head = "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\n";
const test = "tests:\n  - {name: t, text: KEY-1, expect: {outcome: BLOCK}}\n";
/** A valid policy but for these lines of its only rule. */
const rule = (lines: string) => `${head}rules:\n  - id: a\n    stages: [input]\n${lines}${test}`;
const blocks = "    detect: secrets\n    action: BLOCK\n";

describe("the range of a problem", () => {
  it.each([
    ["a value", rule("    detect: secrets\n    action: BLOK # typo\n"), ["invalid_value: BLOK"]],
    ["a quoted value", rule('    detect: secrets\n    action: "BLOK"\n'), ['invalid_value: "BLOK"']],
    ["a number", rule("    detect: secrets\n    action: 7\n"), ["wrong_type: 7"]],
    ["a key", rule(`${blocks}    actoin : BLOCK\n`), ["unknown_key: actoin"]],
    ["a key without a value", rule("    detect: secrets\n    action:\n"), ["wrong_type: action"]],
    [
      "an item",
      rule("    detect: secrets\n    action: BLOCK\n").replace("[input]", "[input, outptu]"),
      ["invalid_value: outptu"],
    ],
    ["an object of several lines, by its first", rule("    detect: secrets\n"), ["missing_key: id: a"]],
    [
      "an object of one line, whole",
      valid.replace(", action: BLOCK", ""),
      ["missing_key: {id: a, stages: [input], detect: secrets}"],
    ],
    [
      "an object after a comment",
      rule("    detect: secrets\n").replace("id: a", "id: a # the first"),
      ["missing_key: id: a"],
    ],
    [
      "an object that begins with a list",
      `${head}rules:\n  - stages:\n      - input\n    id: a\n${test}`,
      ["missing_key: stages"],
    ],
    [
      "a bracket that closes later",
      `${head}rules: [\n  {id: a, stages: [input]}\n]\n${test}`,
      ["missing_key: {id: a, stages: [input]}"],
    ],
    [
      "a bracket with nothing beside it",
      valid.replace("metadata: {name: p}", "metadata: {\n  nam: p\n}"),
      ["missing_key: {", "unknown_key: nam"],
    ],
    [
      "a text of several lines",
      rule(`${blocks}    message: |\n      ${"x".repeat(3_000)}\n      y\n`),
      [`out_of_range: |\n      ${"x".repeat(3_000)}\n      y`],
    ],
    ["an empty text", rule("    detect: secrets\n    action: ''\n"), ["invalid_value: ''"]],
    ["a field of a condition", rule(`${blocks}    when: segment.trsut == "untrusted"\n`), ["invalid_condition: trsut"]],
    [
      "a part of a condition in quotes",
      rule(`${blocks}    when: "segment.text.size() > 'x'"\n`),
      ["invalid_condition: segment.text.size() > 'x'"],
    ],
    ["a pattern of a condition", rule(`${blocks}    when: segment.text.matches("(")\n`), ['invalid_condition: "("']],
    ["the end of a condition", rule(`${blocks}    when: 1 ==\n`), ["invalid_condition: "]],
    [
      "a condition in a block",
      rule(`${blocks}    when: |\n      true &&\n        finding.domian == ''\n`),
      ["invalid_condition: domian"],
    ],
    [
      "a folded condition, whole",
      rule(`${blocks}    when: >\n      true\n      && finding.domian == ''\n`),
      ["invalid_condition: >\n      true\n      && finding.domian == ''"],
    ],
    ["the key of a warning", rule(`${blocks}    redact: {style: mask}\n`), ["no_effect: redact"]],
    ["a text that is not YAML", 'a: "b', ["syntax: "]],
    ["a tag", valid.replace("{name: p}", "{name: !secret p}"), ["syntax: !secret"]],
    ["a key twice", valid.replace("kind: Policy", "kind: Policy\nkind : Policy"), ["duplicate_key: kind"]],
  ])("is %s", (_, source, expected) => {
    expect(marked(source)).toEqual(expected);
    // A line end of two characters is part of no line.
    expect(marked(source.replaceAll("\n", "\r\n"))).toEqual(expected.map((part) => part.replaceAll("\n", "\r\n")));
  });

  it("counts a tab as one column and a character beyond the basic plane as two", () => {
    const tabs = valid.replace("{id: a,", "{id: a,\t\t\tactoin: X,");
    expect(parse(tabs).problems).toMatchObject([{ line: 5, column: 15, endLine: 5, endColumn: 21 }]);
    expect(marked(tabs)).toEqual(["unknown_key: actoin"]);
    const astral = valid.replace("metadata: {name: p}", "metadata: {name: p, description: 🦀🦀, 🦀: 1}");
    expect(parse(astral).problems).toMatchObject([{ line: 3, column: 40, endLine: 3, endColumn: 42 }]);
    expect(marked(astral)).toEqual(["unknown_key: 🦀"]);
    const condition = rule(`${blocks}    when: "segment.text == '🦀' || segment.txet == ''"\n`);
    expect(marked(condition)).toEqual(["invalid_condition: txet"]);
  });

  it("is nowhere in a document that came as an object", () => {
    const { problems } = parsePolicy({ kind: "Policy" }, sampleKit.definitions);
    expect(problems.length).toBeGreaterThan(2);
    for (const problem of problems) expect(problem).toMatchObject({ line: 0, column: 0, endLine: 0, endColumn: 0 });
  });

  it("lies within the text, whatever the text is", () => {
    const whole = rule(`${blocks}    when: segment.text.matches("(")\n`);
    for (let length = 0; length < whole.length; length++) {
      for (const source of [whole.slice(0, length), `${whole.slice(0, length)}🦀\t${whole.slice(length)}`]) {
        const lines = source.split("\n");
        for (const { line, column, endLine, endColumn } of parse(source).problems) {
          expect(endLine > line || (endLine === line && endColumn >= column)).toBe(true);
          expect(endLine).toBeLessThanOrEqual(lines.length);
          expect(endColumn - 1).toBeLessThanOrEqual(lines[endLine - 1]?.length ?? 0);
        }
      }
    }
  });
});

describe("the code of a problem", () => {
  it.each([
    ["too_large", "[".repeat(40)],
    ["invalid_format", valid.replace("id: a", "id: A B")],
    ["invalid_date", rule(`${blocks}    mode: shadow\n    shadow: {until: "2026-02-30T00:00:00Z"}\n`)],
    ["duplicate_item", valid.replace("[input]", "[input, input]")],
    ["duplicate_name", valid.replace("tests:", "  - {id: a, stages: [input], detect: pii, action: FLAG}\ntests:")],
    ["unusable_pack", `extends: [pack:pii@1]\n${valid}`],
    ["unknown_detector", valid.replace("detect: secrets", "detect: secretz")],
    ["unused_detector", `detectors: {mail: {use: pii, entities: [EMAIL]}}\n${valid}`],
    ["unknown_entity", valid.replace("detect: secrets", "detect: {ref: pii, entities: [EMIAL]}")],
    ["unknown_rule", valid.replace("outcome: BLOCK", "outcome: BLOCK, rules: [b]")],
    ["unknown_list", valid.replace("text: KEY-1", "text: KEY-1, lists: {words: [a]}")],
    [
      "condition_too_expensive",
      rule(`${blocks}    when: tool.args.l.exists(x, tool.args.l.exists(y, x == y))\n`).replace("input", "tool_call"),
    ],
    ["misplaced_variable", rule("    when: finding.score > 0.5\n    action: BLOCK\n")],
    ["empty_rule", rule("    action: BLOCK\n")],
    [
      "invalid_redaction",
      rule("    detect: secrets\n    action: REDACT\n    redact: {style: mask, reversible: true}\n"),
    ],
    ["unreachable_rule", rule(`${blocks}    when: "false"\n`)],
    ["unmatched_exemption", `${valid}exemptions:\n  - {id: e, rules: [z], when: "true", reason: r}\n`],
    ["invalid_test", valid.replace("text: KEY-1, ", "")],
    ["invalid_detector", `detectors: {b: {use: backend}}\n${valid}`],
    ["repeated_detector", valid.replace("detect: secrets", "detect: {all: [secrets, secrets]}")],
    ["unknown_category", valid.replace("detect: secrets", "detect: {ref: secrets, categories: [zzz]}")],
    [
      "divided_condition",
      rule("    detect: {all: [secrets, pii]}\n    when: finding.score > 0.5\n    action: BLOCK\n"),
    ],
    ["needless_rule", valid.replace("tests:", "  - {id: b, stages: [input], detect: secrets, action: FLAG}\ntests:")],
    [
      "expired",
      `${valid}exemptions:\n  - {id: e, rules: [a], when: "true", reason: r, expires: "2020-01-01T00:00:00Z"}\n`,
    ],
    ["no_tests", valid.slice(0, valid.indexOf("tests:"))],
  ])("is %s", (code, source) => {
    const { problems } = parsePolicy(source, undefined, noPacks, new Date("2026-01-01T00:00:00Z"));
    expect(problems.map((problem) => problem.code)).toContain(code);
  });

  it("is unsupported_key for a key that a schema reserves", () => {
    const problems = new Problems();
    const tree = treeFromText("later: 1", problems);
    if (tree === undefined) throw new Error("the text is an object");
    checkSchema(tree, { type: "object", properties: { later: false } }, "", problems);
    expect(marked("later: 1", problems.list())).toEqual(["unsupported_key: later"]);
  });

  it("is unknown_policy for tests about another policy", () => {
    const { policy } = parse(valid);
    if (policy === undefined) throw new Error("the policy is valid");
    const tests =
      "apiVersion: policyguard/v1\nkind: PolicyTests\npolicy: q\ntests:\n  - {name: u, text: x, expect: {outcome: ALLOW}}\n";
    const { problems } = parsePolicyTests(tests, policy, { definitions: sampleKit.definitions });
    expect(marked(tests, problems)).toEqual(["unknown_policy: q"]);
  });

  it("is one of the interface, which says the same of each", () => {
    const proto = readFileSync("proto/policyguard/control/v1/policy.proto", "utf8");
    const [body = ""] = /enum ProblemCode \{[\s\S]*?\n\}/.exec(proto) ?? [];
    const values = [
      ...body.matchAll(/ {2}\/\/ (.+)\n {2}PROBLEM_CODE_\w+ = \d+ \[\(policyguard\.options\.v1\.wire\) = "(\w+)"\]/g),
    ];
    expect(Object.fromEntries(values.map(([, text, code]) => [code, text]))).toEqual(problemKinds);
  });
});

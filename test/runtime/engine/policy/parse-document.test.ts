import { describe, expect, it } from "vitest";
import { canonicalPolicy, parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { sampleKit } from "../sample-detectors.ts";
import { parse, valid } from "./parsed.ts";

describe("parsePolicy", () => {
  it.each([
    ["a: &a [1]\nb: [*a, *a]\nc: *a", /unknown key|missing/],
    [`a: ${"[".repeat(5000)}`, /nested deeper/],
    [`${"- ".repeat(5000)}x`, /nested deeper/],
    [`a: "${"x".repeat(300_000)}"`, /larger than 256 KiB/],
    ["a: &a [*a]", /nested deeper|unknown key/],
    ["a: 1\na: 2", /unique/],
    ["{", /./],
    ["", /expected an object/],
    ["- 1", /expected an object/],
    ["a: 1\n---\nb: 2", /./],
    ["? [1]\n: 2", /a key has to be a string/],
  ])("survives %#", (source, message) => {
    const { policy, problems } = parse(source);
    expect(policy).toBeUndefined();
    expect(problems.map((problem) => problem.message).join("\n")).toMatch(message);
  });

  it("ends a bomb of aliases at the limit", () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
    );
    const { problems } = parse(`l0: &l0 [x]\n${levels.join("\n")}\n`);
    expect(problems).toMatchObject([
      { line: 6, column: 14, message: "the document has more than 50000 keys and values" },
    ]);
  });

  it("says where a document becomes too large or too deep, in time that its size bounds", () => {
    const line = "# nothing to see here, only a line of a comment that goes on and on ........................\n";
    const large = line.repeat(Math.ceil((5 * 2 ** 20) / line.length));
    expect(parse(large).problems).toMatchObject([
      { line: Math.floor(262_144 / line.length) + 1, message: "the document is larger than 256 KiB" },
    ]);
    expect(parse(`a:\n  b: ${"[".repeat(100_000)}`).problems).toMatchObject([
      { line: 2, column: 38, message: "the document is nested deeper than 32 levels" },
    ]);
    const json = { deep: JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) };
    expect(parsePolicy(json).problems).toMatchObject([{ line: 0, message: /nested deeper/ }]);
  });

  it("reads the same from YAML, JSON text and a JSON object", () => {
    const { policy } = parse(valid);
    const fromText = parse(JSON.stringify(policy)).policy;
    const fromObject = parsePolicy(JSON.parse(JSON.stringify(policy)), sampleKit.definitions).policy;
    expect(fromText).toEqual(policy);
    expect(fromObject).toEqual(policy);
  });

  it("has one canonical form for every order of the source, and adds no defaults", () => {
    const shuffled = `tests:
  - {expect: {outcome: BLOCK}, text: KEY-1, name: t}
rules:
  - {action: BLOCK, detect: secrets, stages: [input], id: a}
metadata: {name: p}
kind: Policy
apiVersion: policyguard/v1
`;
    const [a, b] = [parse(valid).policy, parse(shuffled).policy];
    if (a === undefined || b === undefined) throw new Error("both are valid");
    expect(JSON.stringify(canonicalPolicy(b))).toBe(JSON.stringify(canonicalPolicy(a)));
    expect(Object.keys(canonicalPolicy(a))).toEqual(["apiVersion", "kind", "metadata", "rules", "tests"]);
  });

  it("keeps hostile keys as data", () => {
    const { policy } = parsePolicy(JSON.parse('{"__proto__": {"polluted": true}}'), sampleKit.definitions);
    expect(policy).toBeUndefined();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("limits the expansion of aliases, so that the stored form can always be read again", () => {
    const source = `a: &a ["${"x".repeat(100_000)}"]\nb: [*a, *a, *a]\n`;
    expect(parse(source).problems.map(({ message }) => message)).toEqual([
      "the document has more than 256 Ki characters",
    ]);
  });

  it("names a key that is there twice, among tens of thousands as well", () => {
    const lists = Array.from({ length: 16_000 }, (_, index) => `l${index}: []`);
    const twice = (keys: readonly string[]) =>
      parsePolicy(`apiVersion: policyguard/v1\nlists: {${keys}}\n`).problems.filter(({ message }) =>
        message.includes("must be unique"),
      );
    expect(twice(lists)).toEqual([]);
    expect(twice([...lists.slice(0, 2), "l1: []"])).toMatchObject([{ line: 2, column: 23, severity: "error" }]);
    expect(twice(["a: []", '"a": []'])).toHaveLength(1);
  });
});

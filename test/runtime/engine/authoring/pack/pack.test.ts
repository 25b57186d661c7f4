import { describe, expect, it } from "vitest";
import { instantiatePack } from "../../../../../runtime/engine/authoring/pack/instantiate.ts";
import { PackLibrary, readPackLibrary } from "../../../../../runtime/engine/authoring/pack/library.ts";
import { mergeDocuments } from "../../../../../runtime/engine/authoring/pack/merge.ts";
import { type Pack, PackParametersInvalid } from "../../../../../runtime/engine/authoring/pack/pack.ts";
import { parsePack } from "../../../../../runtime/engine/authoring/pack/parse.ts";
import { packSource } from "../../../../../runtime/engine/authoring/pack/source.ts";

function source(changes: Record<string, string> = {}): string {
  const parts: Record<string, string> = {
    version: "1.0.0",
    properties: `
    words: {description: Words., type: array, items: {type: string}, default: [alpha]}
    action: {description: What happens., enum: [FLAG, BLOCK], default: BLOCK}
    limit: {description: A limit., type: number, default: 3}`,
    detectors: `words: {if: "\${parameters.words}", use: keywords, keywords: ["\${parameters.words}", always]}`,
    rules: `
    - {id: words, stages: [input], if: "\${parameters.words}", detect: words, action: "\${parameters.action}", message: "limit \${parameters.limit}"}
    - {id: long, stages: [input], when: 'segment.text.size() > \${parameters.limit} && segment.text == "x"', action: FLAG, mode: shadow}`,
    tests: `
  - {name: a word, text: {join: [al, pha]}, depends_on: [action, words], expect: {outcome: BLOCK}}
  - {name: no word, text: other, expect: {outcome: ALLOW}}`,
    ...changes,
  };
  return `apiVersion: policyguard/v1
kind: Pack
metadata: {id: sample, version: ${parts.version}, display_name: Sample, description: A sample., category: test, tags: [a], author: Us, controls: [C-1]}
parameters:
  type: object
  additionalProperties: false
  properties:${parts.properties}
policy:
  detectors:
    ${parts.detectors}
  rules:${parts.rules}
tests:${parts.tests}
`;
}

function packOf(changes: Record<string, string> = {}): Pack {
  const { pack, problems } = parsePack(source(changes));
  if (pack === undefined) throw new Error(JSON.stringify(problems));
  return pack;
}

function problemsOf(changes: Record<string, string>) {
  return parsePack(source(changes)).problems.map(({ line, path, message }) => ({ line, path, message }));
}

describe("a pack document", () => {
  it("is read with its tests, whose parts are joined", () => {
    expect(packOf().tests[0]).toMatchObject({
      test: { name: "a word", text: "alpha" },
      dependsOn: ["action", "words"],
    });
  });

  it("has a digest that does not depend on the order or the comments of its file", () => {
    const text = source();
    const swapped = text.replace(
      "apiVersion: policyguard/v1\nkind: Pack",
      "# by us\nkind: Pack\napiVersion: policyguard/v1",
    );
    expect(parsePack(swapped).pack?.digest).toBe(packOf().digest);
    expect(packOf({ version: "1.0.1" }).digest).not.toBe(packOf().digest);
  });

  it("is told about references to unknown parameters", () => {
    const [problem] = problemsOf({
      detectors: `words: {use: keywords, keywords: "\${parameters.wrods}"}`,
      rules: `
    - {id: a, stages: [input], detect: words, action: "\${parameters.action}", description: "\${parameters.limit}", if: "\${parameters.words}"}`,
    });
    expect(problem).toMatchObject({ path: "policy", message: `\${parameters.wrods}: there is no such parameter` });
    expect(problem?.line).toBeGreaterThan(1);
  });

  it("is told which parameter is unused", () => {
    const properties = `
    words: {description: Words., type: array, items: {type: string}, default: [alpha]}
    action: {description: What happens., enum: [FLAG, BLOCK], default: BLOCK}
    spare: {description: Nothing., type: boolean, default: true}
    limit: {description: A limit., type: number, default: 3}`;
    expect(problemsOf({ properties })).toEqual([
      { line: 10, path: "parameters.properties.spare", message: `the policy never refers to \${parameters.spare}` },
    ]);
  });

  it("is told about a default that its own schema refuses", () => {
    const properties = `
    words: {description: Words., type: array, items: {type: string}, default: alpha}
    action: {description: What happens., enum: [FLAG, BLOCK], default: BLOCK}
    limit: {description: A limit., type: number, default: 3}`;
    expect(problemsOf({ properties })).toMatchObject([{ line: 8, path: "parameters.properties.words" }]);
  });

  it("is told about unknown keys, with a likely correction", () => {
    const { problems } = parsePack(source().replace("kind: Pack", "kind: Pack\nmetdata: {}"));
    expect(problems).toMatchObject([{ line: 3, path: "metdata", suggestion: 'did you mean "metadata"?' }]);
  });
});

describe("a policy of a pack", () => {
  it("has values with their types, and lists in lists", () => {
    const { document, parameters } = instantiatePack(packOf(), { parameters: { words: ["beta", "gamma"] } });
    expect(parameters).toEqual({ words: ["beta", "gamma"], action: "BLOCK", limit: 3 });
    expect(document).toMatchObject({
      metadata: { name: "sample", controls: ["C-1"] },
      detectors: { words: { keywords: ["beta", "gamma", "always"] } },
      rules: [{ action: "BLOCK", message: "limit 3" }, { when: 'segment.text.size() > 3 && segment.text == "x"' }],
    });
  });

  it("leaves out a map whose condition is empty", () => {
    const { document } = instantiatePack(packOf(), { parameters: { words: [] } });
    expect(document.detectors ?? {}).toEqual({});
    expect(document.rules).toMatchObject([{ id: "long" }]);
  });

  it("writes values into conditions as literals, so that none becomes code", () => {
    const pack = packOf({
      properties: `
    words: {description: W., type: array, items: {type: string}, default: [alpha]}
    action: {description: A., type: string, default: BLOCK}
    limit: {description: L., type: string, default: abc}`,
      rules: `
    - {id: a, stages: [input], when: 'segment.text == \${parameters.limit} || segment.text in \${parameters.words}', action: "\${parameters.action}"}`,
    });
    const { document } = instantiatePack(pack, { parameters: { limit: '" || true || "' } });
    expect(document.rules).toMatchObject([
      { when: 'segment.text == "\\" || true || \\"" || segment.text in ["alpha"]' },
    ]);
  });

  it("keeps a dollar that was written twice", () => {
    const pack = packOf({
      rules: `
    - {id: a, stages: [input], if: "\${parameters.words}", detect: words, action: "\${parameters.action}", message: "$\${parameters.limit} \${parameters.limit}"}`,
    });
    expect(instantiatePack(pack).document.rules).toMatchObject([{ message: `\${parameters.limit} 3` }]);
  });

  it("has the tests that hold with its values, and no others", () => {
    const names = (parameters: object) =>
      (instantiatePack(packOf(), { parameters: { ...parameters } }).document.tests as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(names({})).toEqual(["a word", "no word"]);
    expect(names({ action: "FLAG" })).toEqual(["no word"]);
  });

  it("does no more than its mode allows, and a rule that does less keeps doing less", () => {
    const { document } = instantiatePack(packOf(), { mode: "shadow" });
    expect(document.defaults).toEqual({ mode: "shadow" });
    expect(document.rules).toMatchObject([{}, { mode: "shadow" }]);
    expect(document.tests).toMatchObject([{ expect: { outcome: "ALLOW", would_be_outcome: "BLOCK" } }, {}]);
    expect(instantiatePack(packOf(), { mode: "off" }).document.rules).toMatchObject([{}, { mode: "off" }]);
  });

  it("is refused for values that do not fit, each with its place", () => {
    const parameters = { words: ["a", 7], action: "SHOUT", limti: 3 };
    try {
      instantiatePack(packOf(), { parameters });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(PackParametersInvalid);
      expect((error as PackParametersInvalid).problems).toEqual(
        expect.arrayContaining([
          { path: "parameters.words[1]", message: "must be string" },
          { path: "parameters.action", message: 'expected one of "FLAG", "BLOCK"' },
          {
            path: "parameters.limti",
            message: 'unknown parameter; expected one of words, action, limit; did you mean "limit"?',
          },
        ]),
      );
    }
  });

  it("has multiples of parameters in decimal", () => {
    const pack = packOf({
      properties: `
    words: {description: Words., type: array, items: {type: string}, default: [alpha]}
    action: {description: What happens., enum: [FLAG, BLOCK], default: BLOCK}
    limit: {description: A limit., type: number, multipleOf: 0.01, default: 19.99}`,
    });
    expect(instantiatePack(pack, { parameters: { limit: 0.07 } }).parameters).toMatchObject({ limit: 0.07 });
    expect(() => instantiatePack(pack, { parameters: { limit: 0.075 } })).toThrow(PackParametersInvalid);
  });

  it("checks patterns of parameters in linear time", () => {
    const pack = packOf({
      properties: `
    words: {description: W., type: array, items: {type: string, pattern: "^(a+)+$"}, default: [aaa]}
    action: {description: What happens., enum: [FLAG, BLOCK], default: BLOCK}
    limit: {description: A limit., type: number, default: 3}`,
      tests: "\n  - {name: no word, text: other, expect: {outcome: ALLOW}}",
    });
    expect(() => instantiatePack(pack, { parameters: { words: [`${"a".repeat(50_000)}!`] } })).toThrow(
      PackParametersInvalid,
    );
  });
});

describe("a library", () => {
  const versions = ["1.2.0", "1.10.0", "2.0.0", "1.9.3"].map((version) => packOf({ version }));
  const library = new PackLibrary(versions);

  it("knows the newest of all, of a major and of a minor", () => {
    const version = (wanted?: string) => library.find("sample", wanted)?.metadata.version;
    expect([version(), version("1"), version("1.9"), version("1.2.0")]).toEqual(["2.0.0", "1.10.0", "1.9.3", "1.2.0"]);
    expect([version("3"), version("1.1"), version("")]).toEqual([undefined, undefined, undefined]);
    expect(library.versionsOf("sample").map(({ metadata }) => metadata.version)).toEqual([
      "2.0.0",
      "1.10.0",
      "1.9.3",
      "1.2.0",
    ]);
  });

  it("gives policies of packs to those that extend them, with values of their own", () => {
    const ask = (version: string, parameters = {}) => packSource(library)({ id: "sample", version, parameters });
    expect(ask("1")).toMatchObject({ version: "1.10.0", document: { rules: [{ action: "BLOCK" }, {}] } });
    expect(ask("1", { action: "FLAG" })).toMatchObject({ document: { rules: [{ action: "FLAG" }, {}] } });
    expect(ask("1")).toMatchObject({ document: { rules: [{ action: "BLOCK" }, {}] } });
    expect(ask("9")).toEqual({ problem: "the pack sample has no version 9; it has 2.0.0, 1.10.0, 1.9.3, 1.2.0" });
    expect(packSource(library)({ id: "sampel", version: "1", parameters: {} })).toEqual({
      problem: "there is no pack sampel",
      suggestion: 'did you mean "sample"?',
    });
    expect(ask("1", { words: ["a", 7] })).toEqual({ problem: "must be string", path: ["words", 1] });
  });

  it("refuses a file that is no pack, and two of one version", () => {
    expect(() => readPackLibrary([{ path: "a.yaml", text: "kind: Pack" }])).toThrow(/a\.yaml:1:1: apiVersion/);
    const twice = ["a.yaml", "b.yaml"].map((path) => ({ path, text: source() }));
    expect(() => readPackLibrary(twice)).toThrow("b.yaml: there are two packs sample@1.0.0");
  });
});

describe("a merge", () => {
  const base = {
    rules: [
      { id: "a", action: "FLAG" },
      { id: "b", action: "FLAG" },
      { id: "c", action: "FLAG" },
    ],
  };

  it("keeps the author's changes, adds the pack's changes, and names the conflicts", () => {
    const current = {
      rules: [
        { id: "a", action: "BLOCK" },
        { id: "b", action: "BLOCK" },
        { id: "own", action: "FLAG" },
      ],
      lists: { mine: ["x"] },
    };
    const next = {
      rules: [
        { id: "a", action: "FLAG" },
        { id: "b", action: "REDACT" },
        { id: "c", action: "FLAG" },
        { id: "new", action: "FLAG" },
      ],
    };
    expect(mergeDocuments(base, current, next)).toEqual({
      document: {
        rules: [
          { id: "a", action: "BLOCK" },
          { id: "b", action: "BLOCK" },
          { id: "new", action: "FLAG" },
          { id: "own", action: "FLAG" },
        ],
        lists: { mine: ["x"] },
      },
      skipped: ["rules[b]"],
    });
  });

  it("removes a rule that the pack dropped and nobody changed", () => {
    expect(mergeDocuments(base, base, { rules: [{ id: "a", action: "FLAG" }] })).toEqual({
      document: { rules: [{ id: "a", action: "FLAG" }] },
      skipped: [],
    });
  });

  it("does not care about the order of keys, nor about names that objects have", () => {
    const one = { rules: [{ id: "__proto__", action: "FLAG" }] };
    const other = { rules: [{ action: "FLAG", id: "__proto__" }] };
    expect(mergeDocuments(one, other, one)).toEqual({ document: one, skipped: [] });
  });
});

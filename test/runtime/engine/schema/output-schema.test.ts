import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  assertNewOutputSchema,
  compileOutputSchema,
  SchemaInvalid,
} from "../../../../runtime/engine/schema/output-schema.ts";

const compile = (schema: JsonObject) => compileOutputSchema({ schemaId: "1", name: "n", version: 1, schema });
const keywords = (schema: JsonObject, output: string) =>
  compile(schema)
    .check(output)
    .map(({ keyword }) => keyword);

describe("an output schema", () => {
  it("names each place that fails, and no value", () => {
    const schema = { type: "object", required: ["b"], properties: { a: { type: "number" } } };
    const problems = compile(schema).check('{"a": "secret"}');
    expect(problems.map(({ pointer, keyword }) => [pointer, keyword])).toEqual([
      ["", "required"],
      ["/a", "type"],
    ]);
    expect(JSON.stringify(problems)).not.toContain("secret");
  });

  it("reports at most 32 problems", () => {
    expect(compile({ items: { type: "number" } }).check(JSON.stringify(Array(100).fill("x")))).toHaveLength(32);
  });

  it("compares items independently of the order of their members", () => {
    expect(keywords({ uniqueItems: true }, '[{"a":1,"b":2},{"b":2,"a":1}]')).toEqual(["uniqueItems"]);
    expect(keywords({ uniqueItems: true }, '[1,"1",[1],{"a":1}]')).toEqual([]);
  });

  it.each<[number, string]>([
    [0.01, "19.99"],
    [0.01, "0.07"],
    [0.01, "-1.1"],
    [0.01, "1e21"],
    [0.01, "9007199254740993"],
    [1e-8, "0.12345678"],
    [1e-8, "12391239123"],
    [0.3, "0.9"],
    [3, "9"],
    [2, "1e308"],
  ])("takes multiples of %s in decimal: %s", (multipleOf, output) => {
    expect(keywords({ multipleOf }, output)).toEqual([]);
  });

  it.each<[number, string]>([
    [0.01, "19.999"],
    [0.01, "0.0700000001"],
    [1e-8, "0.123456789"],
    [0.1, "5e-324"],
    [3, "10"],
    [3, "1e300"],
    [0.123456789, "1e308"],
  ])("refuses what is no multiple of %s: %s", (multipleOf, output) => {
    expect(compile({ multipleOf }).check(output)).toEqual([
      { pointer: "", keyword: "multipleOf", message: `must be multiple of ${multipleOf}` },
    ]);
  });

  it("has patterns of its own, each", () => {
    const schema = { properties: { a: { pattern: "^x$" }, b: { pattern: "^y$" } } };
    expect(keywords(schema, '{"a":"x","b":"y"}')).toEqual([]);
    expect(keywords(schema, '{"a":"y","b":"x"}')).toEqual(["pattern", "pattern"]);
  });

  it.each<[string, JsonObject]>([
    ["a reference to elsewhere", { $ref: "https://example.com/schema.json" }],
    ["a reference to a file", { $ref: "other.json#/x" }],
    ["a reference to nothing", { $ref: "#/$defs/none" }],
    ["an identity", { properties: { a: { $id: "https://example.com/a" } } }],
    ["an anchor", { $defs: { a: { $anchor: "x" } } }],
    ["a type that does not exist", { type: "text" }],
    ["a pattern without linear time", { pattern: "(?=a)b" }],
    ["a pattern of a name without linear time", { patternProperties: { "(a)\\1": true } }],
    ["another dialect", { $schema: "http://json-schema.org/draft-07/schema#" }],
    ["very many parts", { allOf: Array(4_001).fill({}) }],
    ["very much text", { description: "x".repeat(70_000) }],
  ])("is refused with %s", (_, schema) => {
    expect(() => compile(schema)).toThrow(SchemaInvalid);
  });

  const doubled = (level: number): JsonObject =>
    level === 0 ? { const: 1 } : { anyOf: Array(2).fill({ $ref: `#/$defs/d${level - 1}` }) };
  const doubling: JsonObject = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`d${i}`, doubled(i)]));
  const twice = { $ref: "#/$defs/x" };
  it.each<[string, JsonObject, string]>([
    ["references that double at each level", { $defs: doubling, $ref: "#/$defs/d59" }, "2"],
    [
      "items that are looked at twice at each level",
      {
        $defs: {
          x: {
            anyOf: [
              { items: twice, minItems: 9 },
              { items: twice, minItems: 9 },
            ],
          },
        },
        ...twice,
      },
      "[".repeat(60) + "]".repeat(60),
    ],
    ["a reference to itself", { $defs: { x: { allOf: [twice] } }, ...twice }, "1"],
    [
      "very many names for very many objects",
      { items: { required: Array.from({ length: 3_000 }, (_, i) => `k${i}`) } },
      JSON.stringify(Array(100_000).fill({})),
    ],
    [
      "very many patterns for very many names",
      { patternProperties: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`^a${i}b*c$`, true])) },
      JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1]))),
    ],
  ])("costs no more than a bound with %s", (_, schema, output) => {
    const validator = compile(schema);
    const startedAtMs = performance.now();
    expect(validator.check(output).map(({ keyword }) => keyword)).toEqual(["cost"]);
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
    // The next output has a budget of its own.
    expect(validator.check("{").map(({ keyword }) => keyword)).toEqual(["json"]);
  });

  it("refuses an output that is nested too deep", () => {
    expect(keywords({}, "[".repeat(65) + "]".repeat(65))).toEqual(["json"]);
    expect(keywords({}, "[".repeat(64) + "]".repeat(64))).toEqual([]);
  });

  it("gives up a pattern of many instructions on a long text, and takes it on a short one", () => {
    const validator = compile({ pattern: "(?:(?:[ab]?){30}){30}[cd]" });
    expect(validator.check(JSON.stringify("ab".repeat(100_000))).map(({ keyword }) => keyword)).toEqual(["cost"]);
    expect(validator.check(JSON.stringify(`${"ab".repeat(5_000)}c`))).toEqual([]);
    expect(validator.check(JSON.stringify("ab".repeat(5_000))).map(({ keyword }) => keyword)).toEqual(["pattern"]);
  });

  it.each([
    ["^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+$", 1_000_000],
    ["^[A-Z]{2,64}$", 200_000],
    ["\\b(?:alpha|beta|gamma|delta)\\b", 500_000],
  ])("holds %s against texts of %d characters", (pattern, length) => {
    expect(keywords({ pattern }, JSON.stringify("a".repeat(length)))).toEqual(["pattern"]);
  });

  it.each<[string, JsonObject, string]>([
    ["one", { pattern: "(?:(?:[ab]?[cd]?){30}){30}(?:[ef]?[gh]?){900}" }, "compiles to 7,2"],
    [
      "all",
      {
        properties: Object.fromEntries(
          Array.from({ length: 20 }, (_, i) => [`p${i}`, { pattern: `x{1000}${"y?".repeat(800 + i)}` }]),
        ),
      },
      "together compile to 5",
    ],
    ["one text", { pattern: "a".repeat(4_097) }, "a pattern of 4097 characters"],
  ])("is refused when it is new and %s of its patterns is too large; a stored one is taken", (_, schema, message) => {
    const source = { schemaId: "1", name: "n", version: 1, schema };
    expect(() => assertNewOutputSchema(source)).toThrow(SchemaInvalid);
    expect(() => assertNewOutputSchema(source)).toThrow(message);
    expect(() => compileOutputSchema(source)).not.toThrow();
  });

  it("is given up when the time is over, which a short check never asks for", () => {
    const validator = compile({ items: { pattern: "^[a-z]+$" } });
    const output = (count: number) => JSON.stringify(Array(count).fill("word"));
    let asked = 0;
    expect(validator.check(output(1_000), () => ++asked > 0)).toEqual([]);
    expect(asked).toBe(0);
    expect(validator.check(output(50_000), () => ++asked > 0).map(({ keyword }) => keyword)).toEqual(["timeout"]);
    expect(asked).toBe(1);
    expect(validator.check(output(50_000), () => false)).toEqual([]);
  });
});

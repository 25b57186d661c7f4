import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  argumentProblem,
  argumentTexts,
  depthOf,
  rewriteArguments,
} from "../../../../runtime/engine/segment/argument.ts";

const json: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)));

function resolve(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, key) ? (value as Record<string, JsonValue>)[key] : undefined;
  }
  return value;
}

describe("the strings of arguments", () => {
  it("are found under their pointers", () => {
    fc.assert(
      fc.property(json, (root) => {
        for (const [at, text] of argumentTexts(root, "")) {
          if (!at.endsWith("#") || resolve(root, at) === text) expect(resolve(root, at)).toBe(text);
          else expect(resolve(root, at.slice(0, -1))).toBeDefined();
        }
      }),
      { numRuns: 1000, seed: 1 },
    );
  });

  it("can all be rewritten, and nothing else changes", () => {
    fc.assert(
      fc.property(json, (root) => {
        const values = argumentTexts(root, "").filter(([at]) => !at.endsWith("#"));
        const texts = new Map(values.map(([at, text]) => [at, `<${text}>`]));
        const rewritten = rewriteArguments(root, "", texts);
        const shape = (value: JsonValue): JsonValue =>
          JSON.parse(JSON.stringify(value, (_, item) => (typeof item === "string" ? "" : item)));
        expect(shape(rewritten)).toEqual(shape(root));
        for (const [at, text] of values) if (!at.includes("#")) expect(resolve(rewritten, at)).toBe(`<${text}>`);
        expect(rewriteArguments(root, "", new Map())).toEqual(root);
      }),
      { numRuns: 1000, seed: 2 },
    );
  });

  it("keep apart names that become equal, and a member called __proto__", () => {
    const root: JsonObject = JSON.parse('{"a":1,"b":2,"****":3,"__proto__":{"c":"x"}}');
    const texts = new Map([
      ["/a#", "****"],
      ["/b#", "****"],
      ["/__proto__/c", "y"],
    ]);
    const rewritten = JSON.stringify(rewriteArguments(root, "", texts));
    expect(rewritten).toBe('{"****_2":1,"****_3":2,"****":3,"__proto__":{"c":"y"}}');
  });

  it("are measured for their depth without a stack overflow", () => {
    let deep: JsonValue = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(depthOf({ deep }, 36)).toBe(37);
    expect(depthOf({ a: [1] }, 36)).toBe(2);
  });

  it.each<[string, RegExp | undefined]>([
    ['{"a":[1.5,{"b":-0}],"c":null}', undefined],
    [`{"a":${"[".repeat(35)}1${"]".repeat(35)}}`, undefined],
    [`{"a":${"[".repeat(36)}1${"]".repeat(36)}}`, /36 levels/],
    ['{"a":[{"b":1e400}]}', /range of a double/],
    ['{"a":-1e400}', /range of a double/],
  ])("that could not come back are refused: %#", (text, problem) => {
    const found = argumentProblem(JSON.parse(text));
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { itemLines } from "../../console/page/list/items.ts";
import { changedValues, inWords, parameterFields } from "../../console/page/pack/parameter.ts";
import { parseSchema } from "../../console/page/schema/json.ts";

const packs = join(import.meta.dirname, "../../packs");

test("every parameter of every pack has a field whose default changes nothing", () => {
  const files = readdirSync(packs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("pack.yaml"));
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const { parameters } = parse(readFileSync(join(packs, file), "utf8"));
    const fields = parameterFields(parameters);
    expect(fields.map(({ name }) => name)).toEqual(Object.keys(parameters.properties));
    for (const { name, kind, initial, options } of fields) {
      const property = parameters.properties[name];
      const examples = [property.default, ...(property.examples ?? [])];
      const type = { flag: "boolean", choice: "string", number: "number", text: "string" }[kind as string] ?? "object";
      expect(examples.map((each: unknown) => typeof each)).toEqual(examples.map(() => type));
      if (kind === "choice") expect(options).toContain(initial);
    }
    const defaults = Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
    expect(changedValues(fields, defaults)).toEqual({});
    expect(changedValues(fields, {})).toEqual({});
  }
});

test("the label of a parameter is its name in words", () => {
  expect(["own_domains", "ssn", "named_ids", "action"].map(inWords)).toEqual([
    ...["Own domains", "SSN", "Named IDs", "Action"],
  ]);
});

test("only parameters that differ from their defaults are sent", () => {
  const fields = parameterFields({
    properties: { a: { type: "boolean", default: true }, b: { type: "array", items: { type: "string" }, default: [] } },
  });
  expect(fields.map(({ kind }) => kind)).toEqual(["flag", "lines"]);
  expect(changedValues(fields, { a: false, b: [] })).toEqual({ a: false });
});

test("the place of a fault in a schema is where the text stops being JSON", () => {
  expect(parseSchema('{"a": 1}')).toEqual({ schema: { a: 1 } });
  expect(parseSchema("[]").problem).toMatchObject({ line: 1, column: 1 });
  expect(parseSchema('{\n  "a": x}').problem).toMatchObject({ line: 2, column: 8 });
  expect(parseSchema('{\n  "a": 1').problem).toMatchObject({ line: 2, column: 9 });
  const places = ["", "{", "[1,]", '{"a" 1}', '{"a": [}', "{} {}", '["\u0007"]', "[01]", "[tru]", '{"a": 1,}'];
  const columns = [1, 2, 4, 6, 8, 4, 2, 2, 2, 9];
  expect(places.map((text) => parseSchema(text).problem?.column)).toEqual(columns);
});

test("no place is told of what is JSON", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
      const text = JSON.stringify(value, null, 1);
      expect(parseSchema(text).problem).toBeUndefined();
      // What is cut off at the end is missed in the last line: nothing before it is at fault.
      const part = text.slice(0, 1 + (cut % (text.length - 1)));
      const { line = 0 } = parseSchema(part).problem ?? {};
      expect(line).toBe(part.split("\n").length);
    }),
    { numRuns: 1_000, seed: 22 },
  );
});

test("items are the lines of a text, each once, whatever is typed", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (typed) => {
      const { lines, repeated } = itemLines(typed.join("\n"));
      const words = typed.flatMap((each) => each.split("\n")).map((each) => each.trim());
      const shown = words.filter((each) => each !== "");
      expect(new Set(lines)).toEqual(new Set(shown));
      expect(lines.length + repeated).toBe(shown.length);
    }),
    { numRuns: 1_000, seed: 22 },
  );
  expect(itemLines(Array.from({ length: 10_001 }, (_, n) => `${n}`).join("\n")).fault).toContain("10,001");
});

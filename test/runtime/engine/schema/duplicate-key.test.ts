import { expect, test } from "vitest";
import { hasDuplicateKey } from "../../../../runtime/engine/schema/duplicate-key.ts";
import { compileOutputSchema } from "../../../../runtime/engine/schema/output-schema.ts";

const isFound = (text: string) => hasDuplicateKey(text, JSON.parse(text));

test.each([
  '{"role":"admin","role":"user"}',
  '{"a":[{"b":{"c":1,"d":2,"c":3}}]}',
  '{"a" :1,"\\u0061"\n:2}',
  '{"__proto__":1,"__proto__":2}',
  '{"":1,"":2}',
  '{"\\\\":1,"\\\\":2}',
])("a key that comes twice is found: %s", (text) => expect(isFound(text)).toBe(true));

test.each([
  '{"a":{"b":1},"b":{"a":1}}',
  '["a","a",":"]',
  '{"a":"\\":","b":"a:"}',
  '{"__proto__":{"a":1},"a":2}',
  '"x"',
  "{}",
])("a text without one is let be: %s", (text) => expect(isFound(text)).toBe(false));

test("an output with a duplicate member is not valid, even if one of its values would be", () => {
  const schema = { type: "object", properties: { role: { enum: ["user"] } } };
  const problems = compileOutputSchema({ schemaId: "1", name: "n", version: 1, schema }).check(
    '{"role":"admin","role":"user"}',
  );
  expect(problems).toEqual([{ pointer: "", keyword: "json", message: "must not have a key twice in one object" }]);
});

test("long texts of quotes and backslashes are read in linear time", () => {
  const text = JSON.stringify({ a: '\\"'.repeat(500_000), b: "\\".repeat(500_000) });
  const startedAtMs = performance.now();
  expect(isFound(text)).toBe(false);
  expect(performance.now() - startedAtMs).toBeLessThan(20_000);
});

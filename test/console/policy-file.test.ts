import { expect, test } from "vitest";
import { parse } from "yaml";
import { namedAfter, textIn } from "../../console/page/policy/file.ts";

const rules = "rules:\n  - name: not this one\n";

test.each([
  ["no metadata", `# Ours.\napiVersion: policyguard/v1\nkind: Policy\n${rules}`],
  ["no head either", `# Ours.\n---\n${rules}`],
  ["metadata without a name", `metadata:\n    # Why.\n    description: Ours.\n${rules}`],
  ["a block with nothing in it", `metadata: # to come\n${rules}`],
  ["metadata in braces", `metadata: {}\n${rules}`],
  ["JSON", `{"metadata": {"description": "Ours."}, "rules": [{"name": "not this one"}]}`],
  ["JSON without metadata", `{"rules": [{"name": "not this one"}]}`],
])("a document with %s gets the name of its file", (_, text) => {
  const before = parse(text);
  const after = parse(namedAfter("support bot.yaml", text));
  expect(after).toEqual({ ...before, metadata: { ...before.metadata, name: "support-bot" } });
});

test.each([
  ["a name", `metadata:\n  name: own\n${rules}`],
  ["a name below", `metadata:\n  description: Ours.\n\n  name: own\n${rules}`],
  ["metadata on one line", `metadata: {description: Ours.}\n${rules}`],
  ["JSON with a name", `{"metadata": {"name": "own"}}`],
  ["JSON that is none", `{"metadata": `],
])("a document with %s stays as it is written", (_, text) => {
  expect(namedAfter("support.yaml", text)).toBe(text);
});

test("a name is one that policies may have, and stays a text", () => {
  expect(parse(namedAfter("1.5.yml", rules)).metadata.name).toBe("1.5");
  expect(parse(namedAfter("null", rules)).metadata.name).toBe("null");
  expect(parse(namedAfter("-- Größe (2).json", rules)).metadata.name).toBe("Gr-e-2");
  expect(namedAfter("規則.yaml", rules)).toBe(rules);
});

test("bytes that are no text are told from a text", () => {
  expect(textIn(new TextEncoder().encode("\uFEFFkind: Größe"))).toBe("kind: Größe");
  expect(textIn(new Uint8Array([0x1f, 0x8b, 0x08]))).toBe(undefined);
});

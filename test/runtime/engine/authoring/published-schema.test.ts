import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { instantiatePack } from "../../../../runtime/engine/authoring/pack/instantiate.ts";
import { readPackLibrary } from "../../../../runtime/engine/authoring/pack/library.ts";
import { publishedSchema, schemaKinds } from "../../../../runtime/engine/authoring/published-schema.ts";
import { catalog } from "../../../../runtime/engine/detectors/catalog.ts";
import { readPackFiles } from "../../../../src/kit/process/pack-file.ts";

const root = join(import.meta.dirname, "../../../..");
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const checks: Record<string, ValidateFunction> = Object.fromEntries(
  schemaKinds.map((kind) => [kind, ajv.compile(publishedSchema(kind, catalog))]),
);

/** What an editor would underline. */
function problems(kind: string, document: unknown): string[] {
  const check = checks[kind];
  if (check === undefined || check(document) === true) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const documents = globSync(["examples/**/*.{yaml,yml,json}"], { cwd: root })
  .filter((path) => !path.includes("/."))
  .map((path) => [path, parse(readFileSync(join(root, path), "utf8"))] as const)
  .filter(([, document]) => document?.apiVersion === "policyguard/v1");
const written = [...readFileSync(join(root, "docs/policy-language.md"), "utf8").matchAll(/^```yaml\n([\s\S]*?)^```$/gm)]
  .map(([, source = ""]) => parse(source))
  .filter((document) => document?.apiVersion === "policyguard/v1")
  .map((document, index) => [`docs/policy-language.md, ${index + 1}`, document] as const);

describe("publishedSchema()", () => {
  it("finds documents to check", () => {
    expect(documents.length).toBeGreaterThan(3);
    expect(written.length).toBeGreaterThan(8);
  });

  it.each([...documents, ...written])("takes %s", (_, document) => {
    expect(problems(document.kind === "PolicyTests" ? "tests" : "policy", document)).toEqual([]);
  });

  it.each(
    readPackLibrary(readPackFiles())
      .newest()
      .map((pack) => [pack.metadata.id, pack] as const),
  )("takes the policy that the pack %s makes", (_, pack) => {
    expect(problems("policy", instantiatePack(pack).document)).toEqual([]);
  });

  const sound = () => ({
    apiVersion: "policyguard/v1",
    kind: "Policy",
    metadata: { name: "p" },
    detectors: { mail: { use: "pii", entities: ["EMAIL"], sensitivity: "strict" } as Record<string, unknown> },
    rules: [{ id: "a", stages: ["input"], detect: "mail", action: "REDACT" } as Record<string, unknown>],
    tests: [{ name: "t", text: "hello", expect: { outcome: "ALLOW" } as Record<string, unknown> }],
  });

  it("takes a document without mistakes", () => expect(problems("policy", sound())).toEqual([]));

  it.each<[string, (document: ReturnType<typeof sound>) => void, string]>([
    ["a key of a rule", (document) => Object.assign(document.rules[0] ?? {}, { acton: "BLOCK" }), "/rules/0"],
    ["a stage", (document) => Object.assign(document.rules[0] ?? {}, { stages: ["inputs"] }), "/rules/0/stages/0"],
    ["an action", (document) => Object.assign(document.rules[0] ?? {}, { action: "DENY" }), "/rules/0/action"],
    ["a detector", (document) => Object.assign(document.detectors.mail, { use: "pi" }), "/detectors/mail/use"],
    ["a parameter", (document) => Object.assign(document.detectors.mail, { entitys: [] }), "/detectors/mail"],
    [
      "a level",
      (document) => Object.assign(document.detectors.mail, { sensitivity: "lax" }),
      "/detectors/mail/sensitivity",
    ],
    [
      "an expectation",
      (document) => Object.assign(document.tests[0]?.expect ?? {}, { outcom: "BLOCK" }),
      "/tests/0/expect",
    ],
  ])("catches a misspelling of %s", (_, spoil, path) => {
    const document = sound();
    spoil(document);
    expect(problems("policy", document).some((problem) => problem.startsWith(`${path} `))).toBe(true);
  });

  it("catches misspellings in files of tests", () => {
    const file = (test: object) => ({ apiVersion: "policyguard/v1", kind: "PolicyTests", policy: "p", tests: [test] });
    const test = { name: "t", text: "hello", expect: { outcome: "ALLOW" } };
    expect(problems("tests", file(test))).toEqual([]);
    expect(problems("tests", file({ ...test, txt: "hello" }))).not.toEqual([]);
    expect(problems("tests", { ...file(test), polcy: "p" })).not.toEqual([]);
  });
});

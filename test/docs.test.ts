import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { routesOf } from "../gateway/route/route.ts";
import { EventNameSchema } from "../gen/policyguard/control/v1/event_pb.ts";
import { AdapterService } from "../gen/policyguard/runtime/v1/adapter_service_pb.ts";
import { EvaluationService } from "../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { runtimeSchema } from "../runtime/config.ts";
import { readPackLibrary } from "../runtime/engine/authoring/pack/library.ts";
import { packSource } from "../runtime/engine/authoring/pack/source.ts";
import { parsePolicyTests } from "../runtime/engine/authoring/test-file.ts";
import { runPolicyTests } from "../runtime/engine/authoring/test-runner.ts";
import { catalog } from "../runtime/engine/detectors/catalog.ts";
import { parsePolicy } from "../runtime/engine/policy/parse.ts";
import { generatedDocuments, withBlocks } from "../scripts/docs/blocks.ts";
import { schemaFiles } from "../scripts/docs/schemas.ts";
import { cliSchema } from "../src/cli/settings.ts";
import { bootstrapSchema, controlPlaneSchema, migrateSchema, workerSchema } from "../src/config.ts";
import { controlServices } from "../src/control-services.ts";
import { eventDataSchemas } from "../src/domain/event/event.ts";
import { fileVariable, type Schema } from "../src/kit/process/config.ts";
import { readPackFiles } from "../src/kit/process/pack-file.ts";

const root = dirname(import.meta.dirname);
const documents = ["README.md", "CHANGELOG.md", ...globSync("docs/**/*.md", { cwd: root }).toSorted()];
// Some examples have packages of their own.
const exclude = (name: string) => name.includes("node_modules");
const examples = globSync("examples/**/*.md", { cwd: root, exclude });
const textOf = (document: string): string => readFileSync(join(root, document), "utf8");
const manifest: { dependencies: Record<string, string>; scripts: Record<string, string> } = JSON.parse(
  textOf("package.json"),
);

/** The contents of the fenced blocks in this language. */
function fenced(document: string, language: string): string[] {
  const blocks = textOf(document).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return [...blocks].map(([, content = ""]) => content);
}

describe("generated parts", () => {
  test.each(generatedDocuments)("%s says what the code says", (document) => {
    expect(textOf(document)).toBe(withBlocks(document, textOf(document)));
  });

  test.each(Object.entries(schemaFiles))("%s says what the code says", (path, current) => {
    expect(textOf(path)).toBe(current());
  });

  test("a marker without a block, and a block without a place, are told", () => {
    const unknown = "<!-- generated: nothing -->\n<!-- end of generated -->";
    expect(() => withBlocks("docs/errors.md", unknown)).toThrow('no block "nothing"');
    expect(() => withBlocks("docs/errors.md", "")).toThrow("no place for: errors");
  });
});

describe("policies in the documentation", () => {
  const pages = ["docs/policy-language.md", ...globSync("docs/how-to/*.md", { cwd: root }).toSorted()];
  const documents = pages.flatMap((page) => fenced(page, "yaml"));
  const policies = documents.filter((source) => source.includes("kind: Policy\n"));
  const packs = packSource(readPackLibrary(readPackFiles()));

  test("there are some", () => expect(policies.length).toBeGreaterThan(3));

  test.each(policies.map((policy) => [/name: ([a-z]+)/.exec(policy)?.[1], policy] as const))(
    "the policy %s has no problem and its tests are green",
    (_, source) => expectSound(source),
  );

  test.each(documents.filter((source) => source.includes("kind: PolicyTests\n")))(
    "a file of tests has no problem and is green (%#)",
    (source) => {
      const target = policies.find((policy) => policy.includes("{name: first}")) ?? "";
      const { policy } = parsePolicy(target, catalog, packs);
      if (policy === undefined) throw new Error("the policy is sound");
      const { tests, problems } = parsePolicyTests(source, policy, { packs });
      expect(problems).toEqual([]);
      const results = runPolicyTests(policy, { now: new Date(), packs }, tests);
      expect(results.length).toBeGreaterThan(0);
      expect(results.filter(({ passed }) => !passed)).toEqual([]);
    },
  );

  test("the policies in examples of requests, too", () => {
    const schemas: Record<string, { properties?: { document?: { examples?: string[] } } }> = JSON.parse(
      textOf("gen/rest/openapi.json"),
    ).components.schemas;
    const examples = ["CreatePolicyRequest", "UpdatePolicyRequest", "ValidatePolicyRequest"].flatMap(
      (name) => schemas[name]?.properties?.document?.examples ?? [],
    );
    expect(examples.length).toBe(3);
    for (const example of examples) expectSound(example);
  });

  function expectSound(source: string): void {
    const { policy, problems } = parsePolicy(source, catalog, packs);
    expect(problems).toEqual([]);
    const options = { now: new Date("2026-11-20T09:00:00Z"), packs };
    const results = policy === undefined ? [] : runPolicyTests(policy, options);
    expect(results.length).toBeGreaterThan(0);
    expect(results.filter(({ passed }) => !passed)).toEqual([]);
  }
});

describe("docs/webhooks.md", () => {
  test("shows a body of each event that is raised, with exactly its fields", () => {
    const shown = fenced("docs/webhooks.md", "json")
      .map((text): { event?: string; data: object } => JSON.parse(text))
      .filter(({ event }) => event !== undefined);
    expect(shown.map(({ event }) => event).sort()).toEqual(Object.keys(eventDataSchemas).sort());
    for (const { event, data } of shown) {
      const schema = Object.entries(eventDataSchemas).find(([name]) => name === event)?.[1];
      expect(Object.keys(data)).toEqual(schema?.fields.map(({ name }) => name));
    }
  });

  test("names every event that can be subscribed to", () => {
    const spellings = EventNameSchema.values.slice(1).map(({ localName }) => localName.toLowerCase().replace("_", "."));
    expect(spellings.length).toBe(9);
    for (const name of spellings) expect(textOf("docs/webhooks.md")).toContain(`\`${name}\``);
  });
});

describe("what the documents refer to exists", () => {
  test.each(documents)("%s: links, commands, variables and paths", (document) => {
    const text = textOf(document);
    expect(brokenLinks(document, text)).toEqual([]);
    const commands = [...text.matchAll(/npm run (?:-s )?([a-z-]+)/g)].map(([, name = ""]) => name);
    expect(commands.filter((name) => !(name in manifest.scripts))).toEqual([]);
    const variables = [...text.matchAll(/\b(?:POLICY_GUARD|DATABASE|TLS|SPOOL)_[A-Z_]+\b/g)].map(([name]) => name);
    expect(variables.filter((name) => !knownVariables.has(name))).toEqual([]);
    const files = [...text.matchAll(/`((?:src|test|gateway|runtime|scripts|proto|examples|gen)\/[\w./-]+)`/g)];
    expect(files.map(([, path = ""]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const calls = [...text.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/v1\/[^\s`"'?]*)/g)].map(
      ([, verb, path]) => `${verb} ${path}`,
    );
    expect(calls.filter((call) => !knownCalls.has(call))).toEqual([]);
  });

  test("shell commands use variables that the page defines, or the first calls to which it links", () => {
    const shared = definedIn(fenced("docs/first-calls.md", "sh"));
    expect(shared).toEqual(
      expect.arrayContaining(["BASE_URL", "RUNTIME_URL", "ORG_ID", "ADMIN_TOKEN", "RUNTIME_TOKEN"]),
    );
    const unknown = [...documents, ...examples].flatMap((document) => {
      const blocks = fenced(document, "sh");
      const linked = textOf(document).includes("first-calls.md") ? shared : [];
      const known = new Set([...linked, ...definedIn(blocks)]);
      const used = blocks.flatMap((block) => [...block.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = ""]) => name));
      return used.filter((name) => !known.has(name)).map((name) => `${document}: $${name}`);
    });
    expect(unknown).toEqual([]);
  });

  // Nobody owns the bare name in the registry: npx would run whatever somebody publishes under it.
  test("nothing tells anybody to run the bare name with npx", () => {
    const pattern = "{src/cli,scripts,examples,runtime,gateway}/**/*.{ts,mjs,md,yml,yaml}";
    const sources = globSync(pattern, { cwd: root, exclude });
    const told = [...documents, ...sources].filter((path) =>
      /npx (?:-y |--yes )?policy-guard [a-z<]/.test(textOf(path)),
    );
    expect(told).toEqual([]);
  });

  test("every dependency has its reason", () => {
    const reasons = textOf("docs/decisions/dependencies.md");
    expect(Object.keys(manifest.dependencies).filter((name) => !reasons.includes(`\`${name}\``))).toEqual([]);
  });

  test("every decision is listed and has its three parts", () => {
    const list = textOf("docs/decisions/README.md");
    const notes = globSync("docs/decisions/*.md", { cwd: root }).filter((path) => !path.endsWith("README.md"));
    for (const note of notes) {
      expect(list).toContain(`(${note.split("/").at(-1)})`);
      expect(textOf(note)).toMatch(/^# .+\n\n## Context\n\n[\s\S]+\n## Decision\n\n[\s\S]+\n## Consequence\n\n/);
    }
  });

  const schemas: readonly Schema[] = [
    ...[controlPlaneSchema, workerSchema, runtimeSchema, bootstrapSchema, migrateSchema, cliSchema],
  ];
  const knownVariables = new Set(
    schemas.flatMap((schema) =>
      Object.values(schema).flatMap((variable) => [variable.name, fileVariable(variable) ?? variable.name]),
    ),
  );
  const knownCalls = new Set(
    routesOf([...controlServices, EvaluationService, AdapterService])
      .map(({ verb, path }) => `${verb} ${path}`)
      .concat("GET /v1/openapi.json", "GET /v1/evaluate/openapi.json", "GET /v1/evaluate/docs"),
  );
});

/** The variables that shell commands set. */
function definedIn(blocks: readonly string[]): string[] {
  return blocks.flatMap((block) => [...block.matchAll(/(?:^|[\s(;])([A-Za-z_]\w*)=/g)].map(([, name = ""]) => name));
}

function brokenLinks(document: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  return targets.flatMap(([link, path = "", anchor]) => {
    const target = path === "" ? document : join(dirname(document), path);
    if (!existsSync(join(root, target))) return [link];
    return anchor === undefined || anchorsOf(textOf(target)).includes(anchor) ? [] : [link];
  });
}

/** Anchors as Markdown viewers make them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

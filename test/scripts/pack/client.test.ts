// `@policyguard/client` as others install it, in each Node that this machine has, and in a bundle for browsers.

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluationService } from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { controlServices } from "../../../src/control-services.ts";
import { type InstalledPackage, installPacked, nodeVersions } from "../../harness/packed.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");
const binaries = join(root, "node_modules", ".bin");
const versions = await nodeVersions();
const usable = versions.filter(({ major }) => major >= 20);

let installed: InstalledPackage;
let plane: TestControlPlane | undefined;
let stage: EvaluateStage | undefined;

beforeAll(async () => {
  const yaml = [
    "detectors: {words: {use: keywords, keywords: [bluebird]}}",
    "rules: [{id: secret, stages: [input, output], detect: words, action: BLOCK}]",
  ];
  [plane, stage, installed] = await Promise.all([
    startTestControlPlane(),
    startEvaluateStage(),
    installPacked("client"),
  ]);
  await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
});

afterAll(async () => {
  await plane?.stop();
  await stage?.stop();
  installed.remove();
});

// Not written out: these are no imports of this file.
const quoted = (path: string) => JSON.stringify(`@policyguard/client${path}`);

const calling = (factory: string, path: string) => `
import { ${factory} } from ${quoted(path)};
import { HubService } from ${quoted("/control/v1/hub_service")};

const guard = ${factory}({ url: ${JSON.stringify(plane?.baseUrl)} });
const { total, detectors } = await guard.service(HubService).listDetectors({ limit: 2 });
console.log(JSON.stringify({ total, shown: detectors.length, name: typeof detectors[0].name }));
`;

const guarding = () => `
import { BlockedError, createGuard } from ${quoted("/guard")};

const guard = createGuard({ url: ${JSON.stringify(stage?.url)}, token: ${JSON.stringify(stage?.tokenOf("runtime"))} });
const { text } = await guard.input("hello");
const blocked = await guard.input("bluebird").catch((error) => error instanceof BlockedError);
async function* words() { for (const word of ["one ", "two ", "three"]) yield word; }
let streamed = "";
for await (const piece of guard.streamFrom(words())) streamed += piece;
console.log(JSON.stringify({ text, blocked, streamed }));
`;

describe("@policyguard/client", () => {
  it("has the compiled code with its types, and no more than 8 MB", () => {
    const files = readdirSync(installed.target, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.target.length + 1));
    expect(files).toEqual(expect.arrayContaining(["dist/src/client/guard.d.ts", "LICENSE", "README.md"]));
    expect(files.filter((file) => !/^(dist\/.*\.(js|d\.ts)|package\.json|[A-Z]+(\.md)?)$/.test(file))).toEqual([]);
    expect(installed.tarball.bytes).toBeLessThan(8_000_000);
  });

  it("has a README whose links lead somewhere", () => {
    const links = [...readFileSync(join(installed.target, "README.md"), "utf8").matchAll(/\]\(([^)]*)\)/g)];
    expect(links.map(([, target = ""]) => target).filter((target) => !/^(https?:|#)/.test(target))).toEqual([]);
  });

  it("brings the packages that it needs, and no others", () => {
    const modules = join(installed.folder, "node_modules");
    const scoped = readdirSync(modules).filter((name) => !name.startsWith("."));
    expect(scoped.flatMap((scope) => readdirSync(join(modules, scope)).map((name) => `${scope}/${name}`))).toEqual([
      "@bufbuild/protobuf",
      "@connectrpc/connect",
      "@connectrpc/connect-node",
      "@policyguard/client",
    ]);
  });

  it.each(usable.map(({ path, major }) => [major, path] as const))("works in Node %i", async (_, node) => {
    for (const [factory, path] of [
      ["createPolicyGuard", ""],
      ["createNodePolicyGuard", "/node"],
    ] as const) {
      const { stdout } = await execute(node, [installed.write("call.mjs", calling(factory, path))]);
      const answer: { total: number } = JSON.parse(stdout);
      expect(answer).toEqual({ total: expect.any(Number), shown: 2, name: "string" });
      expect(answer.total).toBeGreaterThan(2);
    }
    const { stdout } = await execute(node, [installed.write("guard.mjs", guarding())]);
    expect(JSON.parse(stdout)).toEqual({ text: "hello", blocked: true, streamed: "one two three" });
  });

  it.skipIf(!versions.some(({ major }) => major === 20))("was tried with Node 20, the oldest that it is for", () => {
    expect(usable.map(({ major }) => major)).toContain(20);
  });

  it.each([
    ["the typed client", () => calling("createPolicyGuard", ""), { shown: 2 }],
    ["the guard", guarding, { text: "hello", blocked: true, streamed: "one two three" }],
  ] as const)(
    "is bundled for browsers: %s, nothing of Node, and no service that is not used",
    async (_, source, want) => {
      const bundle = join(installed.folder, "bundle.js");
      const parameters = ["--bundle", "--platform=browser", "--format=esm", "--minify", `--outfile=${bundle}`];
      await execute(join(binaries, "esbuild"), [installed.write("browser.mjs", source()), ...parameters]);
      const text = readFileSync(bundle, "utf8");
      expect(text).not.toMatch(/node:|require\("(http|fs|net|tls|crypto)/);
      expect(text.length).toBeLessThan(200 * 1024);
      // It is the same program, and Node has all of a browser that it needs.
      const { stdout } = await execute(process.execPath, [bundle]);
      expect(JSON.parse(stdout)).toMatchObject(want);
    },
  );
});

describe("docs/client.md", () => {
  const document = readFileSync(join(root, "docs/client.md"), "utf8");
  const blocks = [...document.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, content = ""]) => content);

  it("has an example for each service that others call", () => {
    const served = [...controlServices, EvaluationService].map(({ name }) => name);
    // Runtimes report; nobody else does.
    const missing = served.filter((name) => name !== "ReportingService" && !document.includes(`.service(${name})`));
    expect(missing).toEqual([]);
  });

  it("has examples that compile against the package", async () => {
    installed.link("@types/node", "undici-types", "openai");
    const known = "declare const orgId: string;\ndeclare const projectId: string;\ndeclare const prompt: string;\n";
    const heads = [
      ["createPolicyGuard", "createPolicyGuard(", 'import { createPolicyGuard } from "@policyguard/client";\n'],
      [
        "policyGuard",
        "policyGuard.",
        'import type { PolicyGuard } from "@policyguard/client";\ndeclare const policyGuard: PolicyGuard;\n',
      ],
      ["guard", "guard.", 'import type { Guard } from "@policyguard/client/guard";\ndeclare const guard: Guard;\n'],
      ["chat", "chat.", 'import type { Guard as Chat } from "@policyguard/client/guard";\ndeclare const chat: Chat;\n'],
      ["openai", "openai.", 'import OpenAI from "openai";\ndeclare const openai: OpenAI;\n'],
    ] as const;
    const names = blocks.map((block, index) => {
      const head = heads.flatMap(([name, use, text]) => {
        const isUsed = new RegExp(`(?<![\\w.])${use.replace(/[.(]/g, "\\$&")}`).test(block);
        const isThere =
          block.includes(`const ${name} =`) || (use.endsWith("(") && block.includes(`import { ${use.slice(0, -1)}`));
        return isUsed && !isThere ? [text] : [];
      });
      return installed.write(`example-${index}.ts`, `${head.join("")}${known}${block}export {};\n`);
    });
    expect(names.length).toBeGreaterThan(10);
    // What Node 20 has, the oldest that the package runs on.
    const flags = "--noEmit --strict --module nodenext --target es2022 --lib es2023,dom --types node --skipLibCheck";
    const compiled = execute(join(binaries, "tsc"), [...flags.split(" "), ...names], { cwd: installed.folder });
    await compiled.catch((error: { stdout: string }) => expect(error.stdout).toBe(""));
  });
});

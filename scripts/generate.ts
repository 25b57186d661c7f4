// Writes gen/: TypeScript by buf, then the printed REST facade and the facts about the built-in patterns. With --check
// it writes nothing, and fails when gen/ is stale. Everything is made in a temporary folder first, so that gen/ never
// lacks files while something else reads it. No network.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const target = join(root, "gen");
const binaries = join(root, "node_modules", ".bin");

/** Folders within gen/ that buf does not write. */
const printed = ["rest", "engine"];

/** Contents by path within gen/. */
type Files = Map<string, Buffer>;

const work = mkdtempSync(join(tmpdir(), "policy-guard-generate-"));
try {
  process.exitCode = process.argv.includes("--check") ? await check() : await write();
} finally {
  rmSync(work, { recursive: true });
}

async function write(): Promise<number> {
  const code = generateCode();
  // The facade is printed with the options that the new code declares, so that code has to be in place before it is
  // loaded.
  sync(code, { keep: printed });
  const files = new Map([...code, ...(await printFacade()), ...(await printPatterns())]);
  const changed = sync(files, { keep: [] });
  console.log(`gen/: ${files.size} files, ${changed} changed`);
  return 0;
}

async function check(): Promise<number> {
  const code = generateCode();
  const stale = differences(code, readFolder(target), { keep: printed });
  if (stale.length === 0) {
    const files = new Map([...code, ...(await printFacade()), ...(await printPatterns())]);
    stale.push(...differences(files, readFolder(target), { keep: [] }));
  }
  for (const path of stale) console.error(`gen/${path} is not what its sources say; run: npm run generate`);
  return stale.length === 0 ? 0 : 1;
}

function generateCode(): Files {
  buf("generate", "--output", work);
  return readFolder(join(work, "gen"));
}

async function printFacade(): Promise<Files> {
  const image = join(work, "descriptors.binpb");
  buf("build", "--as-file-descriptor-set", "--output", image);
  const { print } = await import("../gateway/print.ts");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const runtime = {
    url: "{runtime_url}",
    description: "The runtime that you host",
    variables: { runtime_url: { default: "http://127.0.0.1:8081", description: "Address of the runtime" } },
  };
  const { routes, openapi, events } = print(readFileSync(image), {
    version,
    examples: JSON.parse(readFileSync(join(root, "examples", "api.json"), "utf8")),
    servers: [{ url: "/", description: "The control plane" }],
    serversOf: (service) => (service.file.proto.package.startsWith("policyguard.runtime.") ? [runtime] : undefined),
  });
  return new Map([
    ["rest/events.json", Buffer.from(events)],
    ["rest/openapi.json", Buffer.from(openapi)],
    ["rest/routes.txt", Buffer.from(routes)],
  ]);
}

async function printPatterns(): Promise<Files> {
  const { printAnalysisDigest } = await import("./analysis-digest.ts");
  const { printDetectionDigest } = await import("./detection-digest.ts");
  const { printBuiltInFacts } = await import("../runtime/engine/detectors/built-in.ts");
  return new Map([
    ["engine/analysis.json", Buffer.from(printAnalysisDigest())],
    ["engine/detection.json", Buffer.from(printDetectionDigest())],
    ["engine/patterns.json", Buffer.from(printBuiltInFacts())],
  ]);
}

function buf(...args: string[]): void {
  const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ""}` };
  const { status, error } = spawnSync(join(binaries, "buf"), args, { cwd: root, env, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`buf ${args[0]} failed`);
}

function readFolder(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path)]),
  );
}

/** The paths whose contents differ, apart from the folders to keep. */
function differences(wanted: Files, present: Files, { keep }: { readonly keep: readonly string[] }): string[] {
  const paths = [...new Set([...wanted.keys(), ...present.keys()])].sort();
  return paths.filter((path) => {
    if (keep.some((folder) => path.startsWith(`${folder}/`))) return false;
    const [want, have] = [wanted.get(path), present.get(path)];
    return want === undefined || have === undefined || !want.equals(have);
  });
}

/** Makes gen/ hold the wanted files and nothing else but the folders to keep. Returns how many files changed. */
function sync(wanted: Files, options: { readonly keep: readonly string[] }): number {
  mkdirSync(target, { recursive: true });
  const changed = differences(wanted, readFolder(target), options);
  for (const path of changed) {
    const content = wanted.get(path);
    if (content === undefined) rmSync(join(target, path));
    else {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      writeFileSync(join(target, path), content);
    }
  }
  return changed.length;
}

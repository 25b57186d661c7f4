// `@policyguard/cli`: the command `policy-guard` as a few files of JavaScript, with the guard packs and the weights of
// detectors beside it, and nothing below it.

import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { jsonAsText, nodeAsRequired } from "./bundle-plugin.ts";
import { type Packed, writePackage } from "./folder.ts";
import { writeMaterials } from "./materials.ts";
import { readmeOf } from "./readme.ts";

const root = resolve(import.meta.dirname, "..", "..");
const name = "@policyguard/cli";
const neededNodeMajor = 22;

/** Writes the package into a folder, which may exist only if it is one already. */
export function packCli(folder: string): Promise<Packed> {
  return writePackage(folder, name, write);
}

async function write(folder: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: "src/cli/main.ts" },
    outdir: join(folder, "lib"),
    bundle: true,
    // A command is loaded when it is called.
    splitting: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: `node${neededNodeMajor}`,
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "error",
    plugins: [jsonAsText, nodeAsRequired],
    // CommonJS packages require Node's own modules.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
  });
  for (const file of ["LICENSE", "NOTICE", "packs", ...globSync("models/*.bin", { cwd: root })]) {
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
  writeFileSync(join(folder, "README.md"), readmeOf("cli.md"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  await writeMaterials(folder, metafile);
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "policy-guard.mjs"), starter, { mode: 0o755 });
}

const starter = `#!/usr/bin/env node
const major = Number(process.versions.node.split(".", 1)[0]);
if (major >= ${neededNodeMajor}) await import("../lib/main.js");
else {
  console.error(\`policy-guard: Node ${neededNodeMajor} or later is needed, and this is \${process.version}\`);
  process.exitCode = 2;
}
`;

function manifest(): object {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    name,
    version,
    description: "The command policy-guard: check, test, explain, compare and ship guard policies.",
    license: "SEE LICENSE IN LICENSE",
    type: "module",
    engines: { node: `>=${neededNodeMajor}` },
    bin: { "policy-guard": "bin/policy-guard.mjs" },
  };
}

// The runtime with everything that it needs besides Node, as a few files of JavaScript. Starting from these instead of
// some 1,150 modules takes a third less time and 20 MB less memory, and needs neither npm nor the rest of the product.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { runtimeNodeOptions } from "../../runtime/node-option.ts";
import { jsonAsText, nodeAsRequired } from "./bundle-plugin.ts";
import { type Packed, writePackage } from "./folder.ts";
import { writeMaterials } from "./materials.ts";

const root = resolve(import.meta.dirname, "..", "..");

const name = "policy-guard-runtime";

/** Writes the runtime into a folder, which may exist only if this script wrote it. */
export function packRuntime(folder: string): Promise<Packed> {
  return writePackage(folder, name, write);
}

async function write(folder: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    // All files lie side by side: programs of threads and files of gen/ are found relative to them.
    entryPoints: { main: "runtime/main.ts", "build-thread": "runtime/bundle/build-thread.ts" },
    outdir: join(folder, "lib"),
    bundle: true,
    splitting: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node24",
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "error",
    plugins: [jsonAsText, nodeAsRequired],
    // CommonJS packages require Node's own modules.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
  });
  cpSync(join(root, "gen", "rest", "openapi.json"), join(folder, "gen", "rest", "openapi.json"));
  cpSync(join(root, "NOTICE"), join(folder, "NOTICE"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  await writeMaterials(folder, metafile);
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", name), starter, { mode: 0o755 });
}

const starter = `#!/bin/sh
# Starts the runtime on the Node of the path.
here=$(dirname "$(readlink -f "$0")")
exec node ${runtimeNodeOptions.join(" ")} "$here/../lib/main.js" "$@"
`;

function manifest(): object {
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    name,
    version,
    license,
    private: true,
    type: "module",
    engines: { node: ">=24" },
    bin: { [name]: `bin/${name}` },
  };
}

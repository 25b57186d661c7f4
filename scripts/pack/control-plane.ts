// The control plane with its worker and its commands, as a few files of JavaScript that need nothing but Node: what the
// container image holds. docs/deploy/compose.md and docs/deploy/kubernetes.md run it.

import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { jsonAsText, nodeAsRequired } from "./bundle-plugin.ts";
import { type Packed, writePackage } from "./folder.ts";
import { writeMaterials } from "./materials.ts";

const root = resolve(import.meta.dirname, "..", "..");
const name = "policy-guard-control-plane";

/** Packages that drivers load when somebody has installed them; nobody has. */
const absent = ["dataloader", "pg-native"];

/** Data that the programs read. */
const data = [
  ...["LICENSE", "NOTICE", "packs", "gen/rest", "models/datasets", "models/training-texts.hashes"],
  ...globSync("models/*.bin", { cwd: root }),
];
/** A file that is found relative to the code that reads it. */
const passwords = "common-passwords.txt";

/** What is packed beside the programs. */
export interface ControlPlanePack {
  /** Folder of a built console. Without one the front page is a short page about the API. */
  readonly console?: string;
}

/** Writes the control plane into a folder, which may exist only if this script wrote it. */
export function packControlPlane(folder: string, { console }: ControlPlanePack = {}): Promise<Packed> {
  return writePackage(folder, name, async (draft) => {
    const metafile = await bundle(join(draft, "lib"));
    for (const path of data) cpSync(join(root, path), join(draft, path), { recursive: true });
    cpSync(join(root, "src", "domain", "identity", passwords), join(draft, "lib", passwords));
    if (console !== undefined) cpSync(console, join(draft, "console"), { recursive: true });
    writeFileSync(join(draft, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
    await writeMaterials(draft, metafile, console);
    mkdirSync(join(draft, "bin"));
    writeFileSync(join(draft, "bin", name), starter, { mode: 0o755 });
  });
}

async function bundle(outdir: string) {
  const { metafile } = await build({
    absWorkingDir: root,
    // All files lie side by side: programs of processes and threads are found relative to the file that starts them.
    entryPoints: {
      program: "src/program.ts",
      "analysis-process": "src/analysis-process.ts",
      "work-monitor": "src/platform/work/work-monitor.ts",
    },
    outdir,
    bundle: true,
    // A program is loaded when it is named.
    splitting: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node24",
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "error",
    external: absent,
    plugins: [jsonAsText, nodeAsRequired],
    // CommonJS packages require Node's own modules.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
  });
  return metafile;
}

const starter = `#!/bin/sh
# Starts a program of the control plane on the Node of the path: control-plane, worker, migrate, operator, …
here=$(dirname "$(readlink -f "$0")")
# A library asks for a home. A user that exists only while a service runs has none where libnss-systemd is missing.
export HOME="\${HOME:-/}"
exec node "$here/../lib/program.js" "$@"
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

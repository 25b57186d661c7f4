// `npm run pack-control-plane [-- <folder>]`: writes the control plane, its worker and its commands as one folder.

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "./console/build.ts";
import { packControlPlane } from "./pack/control-plane.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// What is served is never a build for development or tests.
process.env.NODE_ENV = "production";
const [name = "build/policy-guard-control-plane", ...others] = process.argv.slice(2);
const folder = resolve(name);
try {
  if (name.startsWith("-") || others.length > 0) throw new Error("the only argument is the folder to write");
  const console = await buildConsole({ root, into: join(root, "build", "console") });
  const { files, bytes } = await packControlPlane(folder, { console });
  process.stdout.write(`${folder}: ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB; it starts with\n`);
  process.stdout.write("bin/policy-guard-control-plane control-plane (or worker, migrate, operator, …)\n");
} catch (error) {
  process.stderr.write(`the control plane is not packed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

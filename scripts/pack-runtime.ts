// `npm run pack-runtime [-- [--models] <folder>]`: writes the runtime as one folder, which can be copied to another
// machine; with --models also what it needs to run models itself, for machines of this platform.

import { resolve } from "node:path";
import { packRuntime } from "./pack/runtime.ts";

const given = process.argv.slice(2);
const models = given.includes("--models");
const [name = "build/policy-guard-runtime", ...others] = given.filter((each) => each !== "--models");
const folder = resolve(name);
try {
  if (name.startsWith("-") || others.length > 0)
    throw new Error("expected the folder to write, and --models or nothing");
  const { files, bytes } = await packRuntime(folder, { models });
  console.log(`${folder}: ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB; start it with bin/policy-guard-runtime`);
} catch (error) {
  console.error(`the runtime is not packed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

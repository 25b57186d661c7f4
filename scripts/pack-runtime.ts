// `npm run pack-runtime [-- <folder>]`: writes the runtime as one folder, which can be copied to another machine.

import { resolve } from "node:path";
import { packRuntime } from "./pack/runtime.ts";

const [name = "build/policy-guard-runtime", ...others] = process.argv.slice(2);
const folder = resolve(name);
try {
  if (name.startsWith("-") || others.length > 0) throw new Error("the only argument is the folder to write");
  const { files, bytes } = await packRuntime(folder);
  console.log(`${folder}: ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB; start it with bin/policy-guard-runtime`);
} catch (error) {
  console.error(`the runtime is not packed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

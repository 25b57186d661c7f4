// `npm run pack-runtime [-- <folder>]`: the runtime as one folder, to be copied to where it runs.

import { resolve } from "node:path";
import { packRuntime } from "./pack/runtime.ts";

const folder = resolve(process.argv[2] ?? "build/policy-guard-runtime");
try {
  const { files, bytes } = await packRuntime(folder);
  console.log(`${folder}: ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB; start it with bin/policy-guard-runtime`);
} catch (error) {
  console.error(`the runtime is not packed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

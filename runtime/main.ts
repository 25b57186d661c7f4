// `npm run runtime`: evaluates inside the customer's boundary. With POLICY_GUARD_URL and POLICY_GUARD_TOKEN it follows
// a control plane; with --bundle and --key it runs alone.

import nodeModule from "node:module";
import { join } from "node:path";
import { productVariables, readConfig } from "../src/kit/process/config.ts";
import { readArguments, runtimeSchema } from "./config.ts";
import { whyNotStarted } from "./start-failure.ts";

const neededNodeMajor = 24;

try {
  // A packed runtime runs on whatever Node there is.
  if (Number(process.versions.node.split(".", 1)[0]) < neededNodeMajor)
    throw new Error(`Node ${neededNodeMajor} or later is needed, and this is ${process.version}`);
  const args = readArguments(process.argv.slice(2));
  const config = readConfig(runtimeSchema, process.env, productVariables);
  // Everything else is loaded with what Node kept when a runtime ended here before: that takes half of the time.
  nodeModule.enableCompileCache(join(config.dataFolder, "compile-cache"));
  const { start } = await import("./start.ts");
  await start(args, config);
} catch (error) {
  process.stderr.write(`the runtime does not start: ${whyNotStarted(error)}\n`);
  process.exit(1);
}

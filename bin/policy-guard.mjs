#!/usr/bin/env node
// Starts the command of a checkout on a Node that runs TypeScript as it is: this one, or the one that the dependencies
// bring. Plain JavaScript, since the Node of the system may be older.

import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import nodeModule from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const neededNodeMajor = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, "src", "cli", "main.ts");
const bundledNode = join(root, "node_modules", ".bin", "node");

if (Number(process.versions.node.split(".", 1)[0]) >= neededNodeMajor) {
  // Starting takes a third less when compiled code is kept. Where the folder cannot be written to, nothing is.
  nodeModule.enableCompileCache(join(root, "node_modules", ".cache", "policy-guard"));
  await import(main);
} else if (existsSync(bundledNode) && realpathSync(bundledNode) !== realpathSync(process.execPath)) {
  startOn(bundledNode);
} else {
  console.error(
    `policy-guard: Node ${neededNodeMajor} or later is needed, and this is ${process.version}; run \`npm ci\` in ${root}, which brings one`,
  );
  process.exitCode = 2;
}

function startOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal sends these to both processes; a supervisor to this one alone.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`policy-guard: ${node} could not be started: ${error.message}`);
    process.exitCode = 2;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
    process.removeAllListeners();
  });
}

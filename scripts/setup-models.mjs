// `npm run setup-models`: installs the add-on for models beside the host of models, when it is not what its lock file
// says. No install scripts run, what is for other platforms is removed, and so is what only installers use. Plain
// JavaScript, as ensure.mjs. With --if-possible (before the tests) a failure is a line, and the tests of models are
// skipped by name.

import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureDependencies, npmCi } from "./ensure.mjs";

const root = join(dirname(dirname(fileURLToPath(import.meta.url))), "runtime", "model-host", "addon");
/** The packages that native code and tokenizers need at run time. The others belong to installers. */
const needed = ["@huggingface", "onnxruntime-common", "onnxruntime-node"];

/** Installs the add-on. */
function install(folder) {
  npmCi(folder, ["--ignore-scripts", "--omit=dev"]);
}

/** Removes what this platform does not need, whoever installed it. */
function prune(folder) {
  const modules = join(folder, "node_modules");
  const others = readdirSync(modules).filter((name) => !name.startsWith(".") && !needed.includes(name));
  for (const name of others) rmSync(join(modules, name), { recursive: true });
  const native = join(modules, "onnxruntime-node", "bin", "napi-v6");
  for (const platform of readdirSync(native)) {
    if (platform !== process.platform) rmSync(join(native, platform), { recursive: true });
    else
      for (const arch of readdirSync(join(native, platform)))
        if (arch !== process.arch) rmSync(join(native, platform, arch), { recursive: true });
  }
  rmSync(join(modules, "onnxruntime-node", "script"), { recursive: true, force: true });
}

const isOptional = process.argv.includes("--if-possible");
const log = (line) => console.error(line.replace("dependencies (npm ci)", "the add-on for models (npm ci)"));
try {
  await ensureDependencies({ root, install, log });
  prune(root);
} catch (error) {
  console.error(
    isOptional
      ? `the add-on for models is not installed (${error.message}): tests of models are skipped`
      : `policy-guard: ${error.message}`,
  );
  if (!isOptional) process.exitCode = 1;
}

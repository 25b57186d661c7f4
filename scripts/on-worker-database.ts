// Runs a program on the database of DATABASE_WORKER_URL or, without it, of the running installation, whose master key
// it takes as its parts do.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runOrSay } from "../src/kit/process/start-failure.ts";
import { liveDatabaseUrls } from "./postgres/embedded.ts";
import { masterKey } from "./supervisor/master-key.ts";
import { readSettings } from "./supervisor/settings.ts";
import { ownEnvironment } from "./supervisor/variables.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a program of `src/` with these arguments; this process ends with its exit code. */
export function runOnWorkerDatabase(program: string, args: readonly string[] = []): Promise<void> {
  return runOrSay(async () => {
    const env = await environment();
    if (env === undefined)
      throw new Error("nothing runs: start it, name its folder with POLICY_GUARD_DATA, or set DATABASE_WORKER_URL");
    const { status } = spawnSync(process.execPath, [join(root, "src", program), ...args], { stdio: "inherit", env });
    return status ?? 1;
  });
}

async function environment(): Promise<NodeJS.ProcessEnv | undefined> {
  const own = ownEnvironment();
  if (own.DATABASE_WORKER_URL) return own;
  const { dataFolder } = readSettings(own, root);
  const url = (await liveDatabaseUrls(dataFolder))?.workerUrl;
  if (url === undefined) return undefined;
  return { ...own, DATABASE_WORKER_URL: url, POLICY_GUARD_MASTER_KEY: masterKey(own, dataFolder) };
}

// Commands of the operator that work on a database: on that of DATABASE_URL (and DATABASE_WORKER_URL) or, without it,
// of the running installation.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runOrSay } from "../../src/kit/process/start-failure.ts";
import { liveDatabaseUrls } from "../postgres/embedded.ts";
import { masterKey } from "./master-key.ts";
import { readSettings } from "./settings.ts";
import { ownEnvironment } from "./variables.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs this script with the arguments and the streams of this process. */
export async function runOnDatabase(script: string): Promise<void> {
  await runOrSay(async () => {
    const env = ownEnvironment();
    const urls = env.DATABASE_URL ? {} : await runningDatabase();
    const { status } = spawnSync(process.execPath, [join(root, script), ...process.argv.slice(2)], {
      stdio: "inherit",
      env: { ...env, ...urls },
    });
    return status ?? 1;
  });
}

async function runningDatabase(): Promise<NodeJS.ProcessEnv> {
  const { dataFolder } = readSettings(ownEnvironment(), root);
  const urls = await liveDatabaseUrls(dataFolder);
  if (urls !== undefined) {
    const key = masterKey(ownEnvironment(), dataFolder);
    return { DATABASE_URL: urls.applicationUrl, DATABASE_WORKER_URL: urls.workerUrl, POLICY_GUARD_MASTER_KEY: key };
  }
  throw new Error(
    `nothing runs on ${dataFolder}: start it, name its folder with POLICY_GUARD_DATA, or set DATABASE_URL`,
  );
}

// Commands of the operator that work on a database: on that of DATABASE_URL or, without it, of the running
// installation.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runOrSay } from "../../src/kit/process/start-failure.ts";
import { liveDatabaseUrls } from "../postgres/embedded.ts";
import { readSettings } from "./settings.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs this script with the arguments and the streams of this process. */
export async function runOnDatabase(script: string): Promise<void> {
  await runOrSay(async () => {
    const url = process.env.DATABASE_URL || (await runningDatabase());
    const { status } = spawnSync(process.execPath, [join(root, script), ...process.argv.slice(2)], {
      stdio: "inherit",
      env: { ...process.env, DATABASE_URL: url },
    });
    return status ?? 1;
  });
}

async function runningDatabase(): Promise<string> {
  const { dataFolder } = readSettings(process.env, root);
  const urls = await liveDatabaseUrls(dataFolder);
  if (urls !== undefined) return urls.applicationUrl;
  throw new Error(
    `nothing runs on ${dataFolder}: start it, name its folder with POLICY_GUARD_DATA, or set DATABASE_URL`,
  );
}

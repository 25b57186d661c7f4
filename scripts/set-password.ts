// `npm run set-password`: runs src/set-password.ts on the database of DATABASE_URL or, without it, of the running installation.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { liveDatabaseUrls } from "./postgres/embedded.ts";
import { readSettings } from "./supervisor/settings.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { dataFolder } = readSettings(process.env, root);
const url = process.env.DATABASE_URL || (await liveDatabaseUrls(dataFolder))?.applicationUrl;
if (url === undefined) {
  console.error(`nothing runs on ${dataFolder}: start it, name its folder with POLICY_GUARD_DATA, or set DATABASE_URL`);
  process.exitCode = 1;
} else {
  const { status } = spawnSync(process.execPath, [join(root, "src/set-password.ts"), ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, DATABASE_URL: url },
  });
  process.exitCode = status ?? 1;
}

// The key that encrypts what the database keeps secret (signing keys, webhook secrets).

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The master key: the operator's, or that of the data folder, which is made on the first start. */
export function masterKey(env: NodeJS.ProcessEnv, dataFolder: string): string {
  if (env.POLICY_GUARD_MASTER_KEY) return env.POLICY_GUARD_MASTER_KEY;
  const file = join(dataFolder, "master.key");
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, "utf8").trim();
}

// One supervisor for each data folder.

import { join } from "node:path";
import { type Lock, takeLockFile } from "../../src/kit/process/lock-file.ts";

/** Takes the data folder; answers the id of the supervisor that has it, when that one still runs. */
export function takeLock(dataFolder: string): Lock | { readonly heldBy: number } {
  return takeLockFile(join(dataFolder, "supervisor.lock"));
}

// Loaded into each child before its own code: when the supervisor is gone, the child ends as if it had been asked to.

import { isMainThread } from "node:worker_threads";
import { endWithParent } from "../../src/kit/process/end-with-parent.ts";

// Node loads this file into the child's threads as well. They have no channel, and end with their process.
if (isMainThread) {
  endWithParent();
  // The channel alone keeps no process alive.
  process.channel?.unref();
}

// A process that publishes events until it is killed. Prints the id of each event whose transaction has committed.

import { flushCompileCache } from "node:module";
import { publishEvent } from "../../../src/domain/event/event.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { openDatabase } from "../../../src/store/connection/database.ts";

// It never ends by itself, which is when this would be written.
flushCompileCache();
const [url = "", orgId = ""] = process.argv.slice(2);
const database = await openDatabase({ url, poolSize: 4 });

async function publishForEver(): Promise<never> {
  for (let version = 1; ; version += 1) {
    const id = await database.systemTransaction(orgId, (tx) =>
      publishEvent(tx, "policy.updated", { policy_id: newId(), name: "support-bot", version, change: "updated" }),
    );
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all([publishForEver(), publishForEver(), publishForEver()]);

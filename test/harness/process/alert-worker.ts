// A process that evaluates the alert rules of an organization, to be killed: for each line that it reads, at the moment
// that the line has. Prints "ready", and "done" after each evaluation.

import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { AlertEvaluation } from "../../../src/domain/alert/evaluation.ts";
import { planUsagePercent } from "../../../src/domain/billing/plan-usage.ts";
import { StatFold } from "../../../src/domain/telemetry/stat-fold.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { openDatabase } from "../../../src/store/connection/database.ts";
import { createMovedClock } from "../moved-clock.ts";

const [url = "", orgId = ""] = process.argv.slice(2);
const clock = createMovedClock();
const database = await openDatabase({ url, poolSize: 2, clock });
const evaluation = new AlertEvaluation(database, {
  ...{ statFold: new StatFold(database), readPlanUsage: planUsagePercent, mailer: undefined },
  log: createLog({ name: "alert-worker", level: "silent" }),
});
// It never ends by itself, which is when this would be written.
flushCompileCache();
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  clock.set(new Date(line));
  await evaluation.evaluate(orgId, clock.now());
  process.stdout.write("done\n");
}
await database.close();

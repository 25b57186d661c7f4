// `npm run reapply-erasures -- <export>`: repeats the erasures of an exported ledger after the database was restored
// from a backup.

import { readFileSync } from "node:fs";
import { resealSchema } from "./config.ts";
import { eraseSamplesAbout } from "./domain/measure/dataset/dataset-erasure.ts";
import { ErasureRepeat } from "./domain/operator/erasure-repeat.ts";
import { RunWorker } from "./domain/run/run-worker.ts";
import { ErasureRun } from "./domain/telemetry/erasure-run.ts";
import { createLog } from "./kit/observability/log.ts";
import { systemClock } from "./kit/process/clock.ts";
import { productVariables, readConfig } from "./kit/process/config.ts";
import { runOrSay } from "./kit/process/start-failure.ts";
import { createSealer, parseMasterKeys } from "./platform/seal.ts";
import { openDatabase } from "./store/connection/database.ts";

await runOrSay(main);

async function main(): Promise<number> {
  const [path, ...rest] = process.argv.slice(2);
  if (path === undefined || rest.length > 0) {
    console.error("usage: npm run reapply-erasures -- <file with what GET /v1/orgs/{org_id}/erasures answered>");
    return 2;
  }
  const ledger: unknown = JSON.parse(readFileSync(path, "utf8"));
  const config = readConfig(resealSchema, process.env, productVariables);
  const sealer = createSealer({ masterKeys: parseMasterKeys(config.masterKey) });
  const database = await openDatabase({ url: config.databaseUrl, poolSize: 2, clock: systemClock });
  try {
    const log = createLog({ name: "reapply-erasures", level: "error" });
    const worker = new RunWorker(database, {
      kinds: { erasure: new ErasureRun(sealer, eraseSamplesAbout) },
      clock: systemClock,
      log,
    });
    for await (const { id, erased } of new ErasureRepeat(database, worker).repeat(ledger)) {
      console.log(`${id}: ${erased === undefined ? "is in the database" : `${erased} rows erased again`}`);
    }
    return 0;
  } finally {
    await database.close();
  }
}

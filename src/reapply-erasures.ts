// `npm run reapply-erasures -- <export>`: repeats the erasures of an exported ledger after the database was restored
// from a backup.

import { resealSchema } from "./config.ts";
import { eraseSamplesAbout } from "./domain/measure/dataset/dataset-erasure.ts";
import { ErasureRepeat } from "./domain/operator/erasure-repeat.ts";
import { RunWorker } from "./domain/run/run-worker.ts";
import { ErasureRun } from "./domain/telemetry/erasure-run.ts";
import { createLog } from "./kit/observability/log.ts";
import { systemClock } from "./kit/process/clock.ts";
import { productVariables, readConfig } from "./kit/process/config.ts";
import { runOrSay, whyNotStarted } from "./kit/process/start-failure.ts";
import { readLedgerFiles } from "./ledger-file.ts";
import { createSealer, parseMasterKeys } from "./platform/seal.ts";
import { openDatabase } from "./store/connection/database.ts";

await runOrSay(main);

function said(done: { readonly erased: number | undefined } | { readonly failure: unknown }): string {
  if ("failure" in done) return `failed, give the file again: ${whyNotStarted(done.failure)}`;
  return done.erased === undefined ? "is in the database" : `${done.erased} rows erased again`;
}

async function main(): Promise<number> {
  const paths = process.argv.slice(2);
  if (paths.length === 0) {
    console.error("usage: npm run reapply-erasures -- <file with an answer of GET /v1/orgs/{org_id}/erasures> …");
    return 2;
  }
  const ledger = readLedgerFiles(paths);
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
    let exitCode = 0;
    for await (const { id, ...done } of new ErasureRepeat(database, worker, sealer).repeat(ledger)) {
      if ("failure" in done) exitCode = 1;
      console.log(`${id}: ${said(done)}`);
    }
    return exitCode;
  } finally {
    await database.close();
  }
}

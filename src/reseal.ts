// `npm run reseal`: seals every stored secret anew with the first key of POLICY_GUARD_MASTER_KEY, so that the others
// can be retired. It may run while the product runs, and may be run again.

import { resealSchema } from "./config.ts";
import { Reseal } from "./domain/operator/reseal.ts";
import { systemClock } from "./kit/process/clock.ts";
import { productVariables, readConfig } from "./kit/process/config.ts";
import { runOrSay } from "./kit/process/start-failure.ts";
import { createSealer, parseMasterKeys } from "./platform/seal.ts";
import { openDatabase } from "./store/connection/database.ts";

await runOrSay(main);

async function main(): Promise<number> {
  const config = readConfig(resealSchema, process.env, productVariables);
  const masterKeys = parseMasterKeys(config.masterKey);
  const database = await openDatabase({ url: config.databaseUrl, poolSize: 2, clock: systemClock });
  try {
    const { counts, unopened } = await new Reseal(database, createSealer({ masterKeys })).run();
    for (const [column, count] of counts) console.log(`${column}: ${count} sealed again`);
    for (const { column, row, message } of unopened) console.error(`${column} of ${row}: ${message}`);
    if (unopened.length > 0) return 1;
    console.log(`Everything that is stored is sealed with "${masterKeys[0]?.id}".`);
    return 0;
  } finally {
    await database.close();
  }
}

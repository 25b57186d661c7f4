// `npm run reseal`: seals everything that is stored sealed anew with the first of POLICY_GUARD_MASTER_KEY, so that the others can be
// retired. May run while the product runs, and again.

import { resealSchema } from "./config.ts";
import { Reseal } from "./domain/reseal.ts";
import { systemClock } from "./kit/clock.ts";
import { productVariables, readConfig } from "./kit/config.ts";
import { createSealer, parseMasterKeys } from "./kit/seal.ts";
import { openDatabase } from "./store/database.ts";

process.exitCode = await main();

async function main(): Promise<number> {
  const config = readConfig(resealSchema, process.env, productVariables);
  const masterKeys = parseMasterKeys(config.masterKey);
  const database = await openDatabase({ url: config.databaseUrl, poolSize: 2, clock: systemClock });
  try {
    const { counts, unopened } = await new Reseal(database, createSealer({ masterKeys })).run();
    for (const [place, count] of counts) console.log(`${place}: ${count} sealed anew`);
    for (const { place, row, message } of unopened) console.error(`${place} of ${row}: ${message}`);
    if (unopened.length > 0) return 1;
    console.log(`Everything that is stored is sealed with "${masterKeys[0]?.id}".`);
    return 0;
  } finally {
    await database.close();
  }
}

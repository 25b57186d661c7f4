// `npm run migrate`: brings the database of DATABASE_MIGRATION_URL to the schema of this version.

import { migrateSchema } from "./config.ts";
import { productVariables, readConfig } from "./kit/process/config.ts";
import { runOrSay } from "./kit/process/start-failure.ts";
import { migrateDatabase } from "./store/connection/migrate.ts";

await runOrSay(async () => {
  const config = readConfig(migrateSchema, process.env, productVariables);
  await migrateDatabase(config).catch((cause: unknown) => {
    throw new Error("the database cannot be brought to the schema of this version", { cause });
  });
  return 0;
});

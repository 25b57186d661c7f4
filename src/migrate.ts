// `npm run migrate`: brings the database of DATABASE_MIGRATION_URL to the schema of this version.

import { migrateSchema } from "./config.ts";
import { productVariables, readConfig } from "./kit/process/config.ts";
import { runOrSay } from "./kit/process/start-failure.ts";
import { migrateDatabase } from "./store/connection/migrate.ts";

const pooler = "DATABASE_MIGRATION_URL leads through a pooler; set it to the server itself";

await runOrSay(async () => {
  const config = readConfig(migrateSchema, process.env, productVariables);
  await migrateDatabase(config).catch((cause: unknown) => {
    const hint = isPooler(cause) ? `: ${pooler}` : "";
    throw new Error(`the database cannot be brought to the schema of this version${hint}`, { cause });
  });
  return 0;
});

/** Whether a pooler refused the settings that a migration begins its connections with. PostgreSQL takes them. */
function isPooler(cause: unknown): boolean {
  return cause instanceof Error && cause.message.includes("unsupported startup parameter");
}

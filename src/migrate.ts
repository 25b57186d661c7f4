// `npm run migrate`: brings the database of DATABASE_MIGRATION_URL to the schema of this version.

import { migrateDatabase } from "./store/migrate.ts";

const migrationUrl = process.env.DATABASE_MIGRATION_URL;
if (migrationUrl === undefined || migrationUrl === "") {
  console.error("DATABASE_MIGRATION_URL is not set; it is the login that owns the database's tables");
  process.exit(1);
}
await migrateDatabase({ migrationUrl });

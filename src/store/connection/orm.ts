// MikroORM's options.

import { Migrator } from "@mikro-orm/migrations";
import { type Options, PostgreSqlDriver } from "@mikro-orm/postgresql";
import type pg from "pg";
import { migrations } from "../schema/migrations/index.ts";
import { reclaimDeadClients } from "./dead-client.ts";
import { entities } from "./entities.ts";
import { readTimestampsAsDates } from "./timestamp-parser.ts";

/**
 * Options for one connection pool. Foreign keys are written by hand, since they start with org_id (see
 * foreign-keys.ts).
 */
export function ormOptions({ url, poolSize }: { readonly url: string; readonly poolSize: number }): Options {
  return {
    driver: PostgreSqlDriver,
    clientUrl: url,
    entities: [...entities],
    extensions: [Migrator],
    migrations: { migrationsList: [...migrations], tableName: "schema_migration", snapshot: false, silent: true },
    schemaGenerator: {
      createForeignKeyConstraints: false,
      ignoreRoutines: true,
      // Triggers are declared with what they guard (audit-entry.ts).
      ignoreTriggers: true,
      skipTables: ["schema_migration", /^trace_p/],
    },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      onPoolCreated(created: pg.Pool) {
        reclaimDeadClients(created);
        readTimestampsAsDates(created);
      },
    },
    forceUtcTimezone: true,
  };
}

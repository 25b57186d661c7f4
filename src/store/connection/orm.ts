// MikroORM's options.

import { Migrator } from "@mikro-orm/migrations";
import { type Options, PostgreSqlDriver } from "@mikro-orm/postgresql";
import type pg from "pg";
import { migrations } from "../schema/migrations/index.ts";
import { type PhasedMigration, runnable } from "../schema/phase.ts";
import { reclaimDeadClients } from "./dead-client.ts";
import { entities } from "./entities.ts";
import { readTimestampsAsDates } from "./timestamp-parser.ts";

/** What a connection pool is for. */
export interface OrmChoice {
  readonly url: string;
  readonly poolSize: number;
  /** For the pool that runs migrations: which ones, and how long a statement waits for a lock. */
  readonly migrating?: { readonly migrations: readonly PhasedMigration[]; readonly lockTimeoutMs: number };
  /** Called with the pool when it has been made. */
  readonly onPool?: (pool: pg.Pool) => void;
}

/**
 * Options for one connection pool. Foreign keys are written by hand, since they start with org_id (see
 * foreign-keys.ts).
 */
export function ormOptions({ url, poolSize, migrating, onPool = () => {} }: OrmChoice): Options {
  return {
    driver: PostgreSqlDriver,
    clientUrl: url,
    entities: [...entities],
    extensions: [Migrator],
    migrations: {
      migrationsList: (migrating?.migrations ?? migrations).map(runnable),
      tableName: "schema_migration",
      snapshot: false,
      silent: true,
      // Each commits by itself: locks of one are not held during the next, and an index may be built concurrently.
      allOrNothing: false,
    },
    schemaGenerator: {
      createForeignKeyConstraints: false,
      ignoreRoutines: true,
      // Triggers are declared with what they guard (audit-entry.ts).
      ignoreTriggers: true,
      skipTables: ["schema_migration", /^trace_p/],
    },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      ...(migrating && { lock_timeout: migrating.lockTimeoutMs }),
      onPoolCreated(created: pg.Pool) {
        reclaimDeadClients(created);
        readTimestampsAsDates(created);
        onPool(created);
      },
    },
    forceUtcTimezone: true,
  };
}

// The phases of migrations. Processes of the last release and of this one run beside each other during an upgrade, so a
// migration only adds (`expand`). What they no longer need goes two minor releases later (`contract`), and only when no
// process of an older release has been seen for a while.

import { type Constructor, defineEntity, type MigrationObject, p } from "@mikro-orm/core";
import type { Migration } from "@mikro-orm/migrations";
import { applicationRole, lookupRole, ownerRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";

/** A migration, and what it means for processes of other releases. */
export type PhasedMigration = Pick<MigrationObject, "name"> & {
  readonly class: Constructor<Migration>;
  /** Whether it builds or drops indexes concurrently, and does nothing else: it runs outside of a transaction. */
  readonly isConcurrent?: true;
} & (
    | { readonly phase: "base" | "expand" }
    | {
        readonly phase: "contract";
        /** The oldest release whose processes work on the schema afterwards, such as "1.3.0". */
        readonly oldestVersion: string;
      }
  );

const schema = defineEntity({
  name: "SchemaContract",
  tableName: "schema_contract",
  rowLevelSecurity: "force",
  policies: [{ name: "migration", roles: [lookupRole, ownerRole], using: "true", check: "true" }],
  properties: {
    /** Of the migration. */
    name: p.text().primary(),
    oldestVersion: p.text(),
  },
});

/** A migration of the phase `contract` that has run. Older processes read here that the schema is not theirs. */
export class SchemaContractRow extends schema.class {}
schema.setClass(SchemaContractRow);

/** Processes that do not know all migrations of the database ask whether they may go on. */
export const contractFunctions: readonly SqlFunction[] = [
  {
    signature: "schema_contracts()",
    owner: lookupRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.schema_contracts() returns table (oldest_version text)
      language sql stable security definer set search_path = pg_catalog, public as $$
        select c.oldest_version from public.schema_contract c
      $$`,
  },
];

/** The migration as it is run: one of the phase `contract` tells older processes in its own transaction. */
export function runnable(migration: PhasedMigration): MigrationObject {
  const { name, class: plain, isConcurrent = false } = migration;
  const told =
    migration.phase === "contract"
      ? `insert into "schema_contract" ("name", "oldest_version") values ('${name}', '${migration.oldestVersion}')`
      : undefined;
  const phased = class extends plain {
    override async up(): Promise<void> {
      // TypeScript knows `up` as abstract only, so it refuses `super.up()`.
      await plain.prototype.up.call(this);
      if (told !== undefined) this.addSql(told);
    }
    override isTransactional(): boolean {
      return !isConcurrent;
    }
  };
  return { name, class: phased };
}

import { MikroORM } from "@mikro-orm/postgresql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dropMonthPartitionsSql } from "../../../scripts/postgres/month-partitions.ts";
import { accountTables } from "../../../src/store/account-table.ts";
import { foreignKeyName, foreignKeys } from "../../../src/store/foreign-keys.ts";
import { migrateDatabase } from "../../../src/store/migrate.ts";
import { ormOptions } from "../../../src/store/orm.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";

describe("migrateDatabase()", () => {
  let database: TestDatabase;
  let owner: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    owner = new pg.Client({ connectionString: database.migrationUrl });
    await owner.connect();
  });

  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  it("leaves a schema that differs in nothing from the entities", async () => {
    await owner.query(dropMonthPartitionsSql);
    const orm = await MikroORM.init(ormOptions({ url: database.migrationUrl, poolSize: 1 }));
    try {
      const statements = (await orm.schema.getUpdateSchemaSQL()).split(/;\s*/).filter((text) => text !== "");
      // MikroORM does not know the foreign keys, which are listed by hand.
      const ours = foreignKeys.map((key) => `alter table "${key.table}" drop constraint "${foreignKeyName(key)}"`);
      expect(statements.filter((text) => !text.startsWith("set names") && !ours.includes(text))).toEqual([]);
    } finally {
      await orm.close(true);
    }
  });

  it("runs again, and twice at once, without a change", async () => {
    await Promise.all([migrateDatabase(database), migrateDatabase(database)]);
  });

  it("forces row-level security on every table but its own record", async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)`,
    );
    expect(rows.map((row) => row.name)).toEqual(["schema_migration"]);
  });

  it("starts every tenant key, unique index and foreign key with org_id", async () => {
    const { rows } = await owner.query<{ name: string; first: string }>(
      `select i.indexrelid::regclass::text as name, a.attname as first
       from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
       where n.nspname = 'public' and i.indisunique and c.relname <> all($1)
       union all
       select k.conname, a.attname from pg_constraint k join pg_namespace n on n.oid = k.connamespace
       join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
       where n.nspname = 'public' and k.contype = 'f' and k.confrelid::regclass::text <> all($2)
         and k.conrelid::regclass::text <> all($2)`,
      [["schema_migration", "organization", "worker_pool", ...accountTables], accountTables],
    );
    expect(rows.length).toBeGreaterThan(10);
    // Of all organizations one owns a domain.
    const global = ["sso_domain_verified"];
    expect(rows.filter((row) => row.first !== "org_id").map(({ name }) => name)).toEqual(global);
  });
});

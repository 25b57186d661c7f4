import { MikroORM } from "@mikro-orm/postgresql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dropMonthPartitionsSql } from "../../../../scripts/postgres/month-partitions.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import { migrateDatabase } from "../../../../src/store/connection/migrate.ts";
import { ormOptions } from "../../../../src/store/connection/orm.ts";
import { accountTables } from "../../../../src/store/identity/account-table.ts";
import { foreignKeyName, foreignKeys } from "../../../../src/store/schema/foreign-keys.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";

/** About processes and migrations: of no organization and of no person. */
const noTenantTables = ["worker_pool", "process_heartbeat", "schema_contract"];

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

  it("says of tokens that were never rotated who issued them, and of others nothing that is not known", async () => {
    const added = [
      "previous_account_id",
      "created_by_account_id",
      "created_by_token_id",
      "rotated_by",
      "rotated_by_token_id",
    ];
    await owner.query(`alter table token ${added.map((name) => `drop column ${name}`).join(", ")}`);
    await owner.query("delete from schema_migration where name like '0006-%'");
    const [org, person] = [newId(), newId()];
    await owner.query("select set_config('app.org_id', $1, false)", [org]);
    await owner.query(
      "insert into organization (id, name, plan, billing_blocked, created_at, updated_at) values ($1, 'A', 'free', false, now(), now())",
      [org],
    );
    for (const name of ["plain", "rotated"]) {
      await owner.query(
        `insert into token (org_id, id, kind, name, digest, previous_digest, prefix, created_by, account_id, created_at)
         values ($1, $2, 'admin', $3, 'x', $4, 'gr_adm_x', 'ada@example.com', $5, now())`,
        [org, newId(), name, name === "rotated" ? "y" : null, person],
      );
    }
    await migrateDatabase(database);
    const { rows } = await owner.query(
      "select name, created_by_account_id as maker, previous_account_id as previous from token order by name",
    );
    expect(rows).toEqual([
      { name: "plain", maker: person, previous: null },
      { name: "rotated", maker: null, previous: person },
    ]);
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
      [["schema_migration", "organization", ...noTenantTables, ...accountTables], accountTables],
    );
    expect(rows.length).toBeGreaterThan(10);
    // Of all organizations one owns a domain, and one is a customer of the payment provider.
    const global = ["installation_pkey", "sso_domain_verified", "subscription_customer"];
    expect(
      rows
        .filter((row) => row.first !== "org_id")
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(global);
  });

  it("has the key of a table's partitions in its primary key, after org_id", async () => {
    const { rows } = await owner.query<{ name: string; keys: string[]; partitioned: string[] }>(
      `select c.relname as name,
         coalesce((select array_agg(a.attname::text order by k.at) from pg_index i
           cross join unnest(i.indkey) with ordinality k (number, at)
           join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
           where i.indrelid = c.oid and i.indisprimary), '{}') as keys,
         (select array_agg(a.attname::text) from unnest(p.partattrs) k (number)
           join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number) as partitioned
       from pg_partitioned_table p join pg_class c on c.oid = p.partrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(["trace", "evaluation_key", "stat_outcome"]));
    const wrong = rows.filter(
      ({ keys, partitioned }) => keys[0] !== "org_id" || !partitioned.every((column) => keys.includes(column)),
    );
    expect(wrong).toEqual([]);
  });

  it("numbers nothing over all organizations: the only sequence is that of its own record", async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind = 'S'`,
    );
    expect(rows.map(({ name }) => name)).toEqual(["schema_migration_id_seq"]);
  });
});

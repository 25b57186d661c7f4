// Migrations beside processes that go on: a lock that is not to be had, an index of a table in use, and what an older
// process still needs.

import { Migration } from "@mikro-orm/migrations";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { migrateTables } from "../../../../src/store/connection/migrate.ts";
import { ProcessHeartbeat } from "../../../../src/store/core/process-heartbeat.ts";
import { migrations } from "../../../../src/store/schema/migrations/index.ts";
import type { PhasedMigration } from "../../../../src/store/schema/phase.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { eventually } from "../../../harness/eventually.ts";

function saying(...statements: readonly string[]) {
  return class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  };
}

describe("a migration beside processes that go on", () => {
  const log = createLog({ name: "test", level: "silent" });
  let urls: TestDatabase;
  let owner: pg.Client;
  let database: Database;

  beforeAll(async () => {
    urls = await createTestDatabase();
    owner = new pg.Client({ connectionString: urls.migrationUrl });
    await owner.connect();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  });

  afterAll(async () => {
    await Promise.all([database.close(), owner.end()]);
    await urls.drop();
  });

  const migrate = (...later: readonly PhasedMigration[]) =>
    migrateTables(owner, { url: urls.migrationUrl, migrations: [...migrations, ...later] });

  async function columns(table: string): Promise<string[]> {
    const { rows } = await owner.query<{ name: string }>(
      "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped",
      [table],
    );
    return rows.map(({ name }) => name);
  }

  it("waits for a lock for a moment only, so that others go before it, and tries again", async () => {
    const busy = new pg.Client({ connectionString: urls.migrationUrl });
    await busy.connect();
    await busy.query("begin; lock table webhook in access share mode");
    const add = saying('alter table "webhook" add column "tried" text null');
    const migrated = migrate({ name: "9001-add", class: add, phase: "expand" });
    const waiting = async () => {
      const { rows } = await owner.query<{ count: number }>(
        "select count(*)::int as count from pg_locks where not granted and relation = 'webhook'::regclass",
      );
      return rows[0]?.count;
    };
    await eventually(async () => expect(await waiting()).toBe(1));
    // The lock is held all the time: the migration has given up its place in the queue.
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(await columns("webhook")).not.toContain("tried");
    await busy.query("commit");
    await busy.end();
    await migrated;
    expect(await columns("webhook")).toContain("tried");
  });

  it("builds an index beside a transaction that writes to the table", async () => {
    const busy = new pg.Client({ connectionString: urls.migrationUrl });
    await busy.connect();
    await busy.query("begin; lock table webhook in row exclusive mode");
    const build = saying(
      'drop index concurrently if exists "webhook_tried"',
      'create index concurrently "webhook_tried" on "webhook" ("org_id")',
    );
    const migrated = migrate({ name: "9002-build", class: build, phase: "expand", isConcurrent: true });
    const isBuilding = async () => {
      const { rows } = await owner.query("select from pg_stat_progress_create_index where phase like 'waiting%'");
      return rows.length;
    };
    await eventually(async () => expect(await isBuilding()).toBe(1));
    const writer = new pg.Client({ connectionString: urls.migrationUrl });
    await writer.connect();
    await writer.query("delete from webhook");
    await writer.end();
    await busy.query("commit");
    await busy.end();
    await migrated;
    const { rows } = await owner.query("select indisvalid from pg_index where indexrelid = 'webhook_tried'::regclass");
    expect(rows).toEqual([{ indisvalid: true }]);
  });

  it("takes nothing away while an older process lives, and tells those that come later", async () => {
    const remove = saying('alter table "webhook" drop column "tried"');
    const contract = { name: "9003-remove", class: remove, phase: "contract", oldestVersion: "2.1.0" } as const;
    const facts = { process: "worker", schema: "0034-know-processes" } as const;
    const [older, able] = ["2.0.9", "2.1.0"].map(
      (version) => new ProcessHeartbeat(database, { ...facts, version }, log),
    );
    await eventually(async () => {
      const { rows } = await owner.query("select from process_heartbeat");
      expect(rows).toHaveLength(2);
    });
    await expect(migrate(contract)).rejects.toThrow(
      /9003-remove takes away what processes before 2\.1\.0 need, and some live: a worker of 2\.0\.9, seen \d+ s ago/,
    );
    expect(await columns("webhook")).toContain("tried");
    expect((await database.schemaState()).oldestVersion).toBeUndefined();
    // One that is not heard of any more counts as dead.
    await owner.query("update process_heartbeat set seen = now() - interval '2 minutes' where version = '2.0.9'");
    await migrate(contract);
    expect(await columns("webhook")).not.toContain("tried");
    expect(await database.schemaState()).toMatchObject({ missing: [], oldestVersion: "2.1.0" });
    await Promise.all([older?.end(), able?.end()]);
    expect((await owner.query("select from process_heartbeat")).rows).toEqual([]);
  });
});

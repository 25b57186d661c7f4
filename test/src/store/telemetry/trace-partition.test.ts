import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { RetentionSettings } from "../../../../src/domain/telemetry/retention.ts";
import { TraceRetention } from "../../../../src/domain/telemetry/trace-retention.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { runBound } from "../../../../src/store/core/bulk.ts";
import type { Transaction } from "../../../../src/store/core/transaction.ts";
import { findTrace, readTraces, TraceSearch } from "../../../../src/store/telemetry/trace-query.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, evaluation } from "../../domain/telemetry/evaluation.ts";

const dayMs = 86_400_000;
const parents = ["trace", "trace_facet", "trace_text"];
const nameOf = (moment: Date, length: 7 | 10) => `_p${moment.toISOString().slice(0, length).replaceAll("-", "_")}`;
const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs);

describe("partitions of traces", () => {
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let owner: pg.Client;
  let world: World;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
    owner = new pg.Client({ connectionString: urls.migrationUrl });
    await owner.connect();
  });

  beforeEach(async () => {
    world = await createWorld(database);
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close(), owner.end()]);
    await urls.drop();
  });

  const partitions = async (parent = "trace") => {
    const { rows } = await owner.query<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::regclass order by 1`,
      [parent],
    );
    return rows.map(({ name }) => name);
  };
  const retention = (partition: "month" | "day") => new TraceRetention(worker, systemClock, { partition });
  const store = async (ages: readonly number[]) => {
    const records = ages.map((days) => evaluation({}, daysFromNow(-days)));
    await new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
      { orgId: world.orgId, projectId: world.projectId, environment: "dev", instanceId: randomUUID() },
      batchOf(records),
    );
    return records.map(({ evaluationId }) => evaluationId);
  };
  /** Names of the partitions that the plans of all statements of some work name. */
  const partitionsRead = (work: (tx: Transaction) => Promise<unknown>) =>
    database.read(world.orgId, async (tx) => {
      const names = new Set<string>();
      const kysely = tx.em.getKysely<unknown>();
      const executeQuery = (async (statement: { sql: string; parameters: readonly unknown[] }) => {
        const plan = await runBound<{ "QUERY PLAN": string }>(tx, `explain ${statement.sql}`, statement.parameters);
        const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
        for (const [, name] of text.matchAll(/ on (trace_p\w+)/g)) if (name !== undefined) names.add(name);
        return kysely.executeQuery(statement as never);
      }) as never; // only the statement is looked at
      const em = new Proxy(tx.em, {
        get: (target, name) => (name === "getKysely" ? () => ({ executeQuery }) : Reflect.get(target, name)),
      });
      await work({ ...tx, em });
      return names;
    });

  it("become days where months have not begun, and only the days that are asked for are read", async () => {
    await owner.query("drop table trace_p2020_01").catch(() => undefined);
    const months = await partitions();
    const next = nameOf(new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1)), 7);
    expect(months).toContain(`trace${next}`);
    await retention("day").createPartitions();
    for (const parent of parents) {
      const now = await partitions(parent);
      expect(now).toContain(parent + nameOf(new Date(), 7));
      expect(now).not.toContain(parent + next);
    }

    // As in the months after the change: none of the days that matter belongs to a partition of a month.
    for (const parent of parents) {
      for (const name of await partitions(parent)) {
        if (/_p\d{4}_\d{2}$/.test(name)) await owner.query(`drop table ${name}`);
      }
    }
    const made = await retention("day").createPartitions();
    expect(made).toContain(`trace_text${nameOf(new Date(), 10)}`);
    for (const parent of parents) {
      const names = await partitions(parent);
      expect(names).toEqual(expect.arrayContaining([0, -34, 14].map((day) => parent + nameOf(daysFromNow(day), 10))));
      expect(names.length).toBeLessThanOrEqual(53);
    }
    expect(await retention("day").createPartitions()).toEqual([]);

    const ids = await store([0, 3, 5, 20, 34]);
    const placed = await database.read(world.orgId, (tx) =>
      tx.sql<{ name: string }>("select tableoid::regclass::text as name from trace order by created_at desc"),
    );
    expect(placed.map(({ name }) => name)).toEqual(
      [0, 3, 5, 20, 34].map((days) => `trace${nameOf(daysFromNow(-days), 10)}`),
    );
    const found: string[] = [];
    const listed = await partitionsRead(async (tx) => {
      const search = await TraceSearch.of(tx, { since: daysFromNow(-5.5), until: daysFromNow(-2.5) });
      const { positions } = await search.page(tx, { limit: 10, offset: 0, after: undefined });
      found.push(...(await readTraces(tx, positions)).map(({ id }) => id));
    });
    expect(found).toEqual([ids[1], ids[2]]);
    expect(listed.size).toBeGreaterThan(1);
    expect(listed.size).toBeLessThanOrEqual(4);
    const looked = await partitionsRead(async (tx) => expect((await findTrace(tx, ids[3] ?? ""))?.id).toBe(ids[3]));
    expect([...looked]).toEqual([`trace${nameOf(daysFromNow(-20), 10)}`]);
    // A key is forgotten after 35 days, and its trace is found all the same.
    await database.systemTransaction(world.orgId, (tx) => tx.sql("delete from evaluation_key"));
    expect((await database.read(world.orgId, (tx) => findTrace(tx, ids[4] ?? "")))?.id).toBe(ids[4]);
  });

  it("are dropped by days, and become months again where none has begun", async () => {
    await retention("day").createPartitions();
    await owner.query(
      "create table trace_p2020_01_31 partition of trace for values from ('2020-01-31') to ('2020-02-01')",
    );
    await owner.query(
      "create table trace_p2020_02 partition of trace for values from ('2020-02-01') to ('2020-03-01')",
    );
    expect([...(await retention("day").purge()).partitions].sort()).toEqual(["trace_p2020_01_31", "trace_p2020_02"]);
    await retention("month").createPartitions();
    const names = await partitions();
    const today = new Date();
    for (const ahead of [1, 2, 3]) {
      const month = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + ahead));
      expect(names).toContain(`trace${nameOf(month, 7)}`);
    }
    expect(names).toContain(`trace${nameOf(today, 10)}`);
    expect(names).not.toContain(`trace${nameOf(today, 7)}`);
    expect(await retention("month").createPartitions()).toEqual([]);
    const lastDay = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1) - dayMs);
    expect(names).toContain(`trace${nameOf(lastDay, 10)}`);
  });

  it("show nothing to whoever addresses one directly, whatever organization he is in", async () => {
    await store([0]);
    const { rows } = await owner.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relispartition and c.relkind = 'r' and n.nspname = 'public' order by 1`,
    );
    expect(rows.length).toBeGreaterThan(30);
    for (const login of [database, worker]) {
      for (const { name } of rows) {
        const asked = login.read(world.orgId, (tx) => tx.sql(`select * from ${name}`));
        await expect(asked, name).rejects.toThrow("permission denied");
      }
    }
    // The owner of the tables has a grant, and no policy lets it see a row.
    await owner.query("select set_config('app.org_id', $1, false)", [world.orgId]);
    for (const { name } of rows) expect((await owner.query(`select * from ${name}`)).rows, name).toEqual([]);
    expect((await owner.query("select 1 from trace")).rows.length).toBeGreaterThan(0);
    await owner.query("select set_config('app.org_id', '', false)");
  });

  it("of days keep traces for ninety days at most", async () => {
    await database.systemTransaction(world.orgId, (tx) => tx.sql("update organization set plan = 'enterprise'"));
    const of = (partition: "month" | "day") => new RetentionSettings(database, { partition }).get(world.caller);
    expect(await of("month")).toMatchObject({ effectiveTraceDays: 365, maxTraceDays: 365 });
    expect(await of("day")).toMatchObject({ effectiveTraceDays: 90, maxTraceDays: 90, effectiveEvidenceDays: 2_555 });
  });
});

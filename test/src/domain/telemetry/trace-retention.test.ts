import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { Projects } from "../../../../src/domain/project/project.ts";
import { Evidence } from "../../../../src/domain/telemetry/evidence.ts";
import { RetentionSettings } from "../../../../src/domain/telemetry/retention.ts";
import { Traces } from "../../../../src/domain/telemetry/trace.ts";
import { TraceRetention } from "../../../../src/domain/telemetry/trace-retention.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { sharedAnalysis } from "../../../harness/analysis.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, evaluation } from "./evaluation.ts";

const dayMs = 86_400_000;
const monthly = { partition: "month" } as const;
const page = { limit: 50, offset: 0 };

describe("TraceRetention", () => {
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let owner: pg.Client;
  let world: World;
  let now = new Date();
  const clock = { now: () => now };

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 2, clock });
    owner = new pg.Client({ connectionString: urls.migrationUrl });
    await owner.connect();
  });

  beforeEach(async () => {
    now = new Date();
    world = await createWorld(database);
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close(), owner.end()]);
    await urls.drop();
  });

  const store = (projectId: string, ages: readonly number[]) =>
    new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
      { orgId: world.orgId, projectId, environment: "dev", instanceId: randomUUID() },
      batchOf(ages.map((days) => evaluation({}, new Date(Date.now() - days * dayMs)))),
    );
  const list = () =>
    new Traces({ database, sealer: testSealer, analysis: sharedAnalysis() }).list(world.caller, {}, page);
  const partitions = async () => {
    const { rows } = await owner.query<{ name: string }>(
      "select relname as name from pg_class where relispartition and relkind = 'r' and relname ~ '^trace_(facet_|text_)?p' order by 1",
    );
    return rows.map(({ name }) => name);
  };

  it("removes what an organization keeps for fewer days than its plan, and texts before their traces", async () => {
    await store(world.projectId, [0, 3, 9, 20]);
    await database.systemTransaction(world.orgId, (tx) =>
      tx.sql(
        "insert into trace_text (org_id, id, created_at, sealed) select org_id, id, created_at, '' from trace",
        [],
      ),
    );
    const caller = { ...world.caller, audit: { action: "retention.update", requestId: "", address: "" } };
    await new RetentionSettings(database, monthly).update(caller, {
      ...{ traceDays: 14, textDays: 5, evidenceDays: undefined },
    });
    const { texts } = await new TraceRetention(worker, clock, monthly).purge();
    expect(texts).toBe(1);
    expect((await list()).total).toBe(3);
    // The log of evidence says what went, in the service's name, once.
    await new TraceRetention(worker, clock, monthly).purge();
    const filter = { action: "retention.remove", actor: undefined, resource: undefined };
    const times = { since: undefined, until: undefined };
    const [told] = await new Evidence(database).list(world.caller, { ...filter, ...times }, page);
    const day = new Date(now.getTime() - 20 * dayMs).toISOString().slice(0, 10);
    const textsBefore = `${new Date(now.getTime() - 5 * dayMs).toISOString().slice(0, 10)}T00:00:00.000Z`;
    expect(told.map(({ resource, credential, values }) => [resource, credential, values.after])).toEqual([
      ["trace_texts", "policy-guard", { made_before: textsBefore }],
      [`project/${world.projectId}`, "policy-guard", { day, traces: 1 }],
    ]);
    const [row] = await database.read(world.orgId, (tx) =>
      tx.sql<{ n: number }>("select count(*)::int as n from trace_text"),
    );
    expect(row?.n).toBe(2);
  });

  it("removes traces past the plan's retention and keeps totals exact", async () => {
    await store(world.projectId, [0, 1, 29, 32, 33]);
    expect((await list()).total).toBe(5);
    await new TraceRetention(worker, clock, monthly).purge();
    const kept = await list();
    expect([kept.total, kept.traces.length]).toEqual([3, 3]);
    await database.systemTransaction(world.orgId, (tx) => tx.sql("update organization set plan = 'growth'"));
    now = new Date(Date.now() + 50 * dayMs);
    await new TraceRetention(worker, clock, monthly).purge();
    expect((await list()).total).toBe(3);
  });

  it("removes the traces of a deleted project and no others", async () => {
    const gone = await new Projects(database).create(world.caller, { name: "Gone" });
    await Promise.all([store(world.projectId, [0, 1]), store(gone.id, [0, 1, 2])]);
    await new Projects(database).delete(world.caller, gone.id, { force: true });
    await new TraceRetention(worker, clock, monthly).purge();
    const kept = await list();
    expect([kept.total, new Set(kept.traces.map(({ projectId }) => projectId))]).toEqual([
      2,
      new Set([world.projectId]),
    ]);
  });

  it("forgets a key only when its evaluation would be refused anyway", async () => {
    await store(world.projectId, [34]);
    const keys = async () =>
      (await database.read(world.orgId, (tx) => tx.sql("select 1 as one from evaluation_key"))).length;
    await new TraceRetention(worker, clock, monthly).purge();
    expect(await keys()).toBe(1);
    now = new Date(Date.now() + 3 * dayMs);
    await new TraceRetention(worker, clock, monthly).purge();
    expect(await keys()).toBe(0);
    const filter = { action: "retention.remove", actor: undefined, resource: "evaluation_keys" };
    const [told] = await new Evidence(database).list(
      world.caller,
      { ...filter, since: undefined, until: undefined },
      page,
    );
    expect(told.map(({ values }) => values.after)).toEqual([{ made_before: expect.stringMatching(/^20.*Z$/) }]);
  });

  it("makes missing partitions, moves what had fallen into the default one, and drops those of long ago", async () => {
    const before = await partitions();
    const month = new Date().toISOString().slice(0, 7).replace("-", "_");
    expect(before).toEqual(
      expect.arrayContaining([`trace_p${month}`, `trace_facet_p${month}`, `trace_text_p${month}`, "trace_pdefault"]),
    );
    await owner.query(`drop table trace_p${month}, trace_facet_p${month}, trace_text_p${month}`);
    await store(world.projectId, [0]);
    await owner.query(
      "create table trace_p2020_01 partition of trace for values from ('2020-01-01') to ('2020-02-01')",
    );
    const retention = new TraceRetention(worker, clock, monthly);
    const made = await retention.createPartitions();
    expect([...made].sort()).toEqual([`trace_facet_p${month}`, `trace_p${month}`, `trace_text_p${month}`]);
    const rows = await database.read(world.orgId, (tx) => tx.sql("select tableoid::regclass::text as name from trace"));
    expect(rows).toEqual([{ name: `trace_p${month}` }]);
    expect((await retention.purge()).partitions).toEqual(["trace_p2020_01"]);
    expect(await partitions()).toEqual(before);
    expect(await retention.createPartitions()).toEqual([]);
    const { rows: open } = await owner.query(
      "select relname from pg_class where relispartition and relkind = 'r' and not (relrowsecurity and relforcerowsecurity)",
    );
    expect(open).toEqual([]);
  });

  it("leaves the application's login unable to make or drop partitions", async () => {
    await expect(new TraceRetention(database, clock, monthly).createPartitions()).rejects.toThrow("permission denied");
    await expect(database.lookup("drop_trace_partitions", ["2020-01-01"])).rejects.toThrow("permission denied");
  });
});

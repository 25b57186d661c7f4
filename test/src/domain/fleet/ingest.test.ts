import { randomUUID } from "node:crypto";
import { clone, create } from "@bufbuild/protobuf";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureMode,
  type EvaluationRecord,
  EvaluationRecordSchema,
  RecordedSegmentSchema,
} from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest, type IngestResult, type IngestSource } from "../../../../src/domain/fleet/ingest.ts";
import { Agents } from "../../../../src/domain/project/agent.ts";
import { Projects } from "../../../../src/domain/project/project.ts";
import { readUsage } from "../../../../src/store/billing/usage.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { listGaps } from "../../../../src/store/fleet/reporting-gap.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, blockedEvaluation, evaluation } from "../telemetry/evaluation.ts";

const day = 86_400_000;

describe("Ingest", () => {
  let urls: TestDatabase;
  let database: Database;
  let world: World;
  let source: IngestSource;
  let ingest: Ingest;
  const results: IngestResult[] = [];

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 8 });
    ingest = new Ingest(database, { sealer: testSealer, onResult: (result) => results.push(result) });
  });

  beforeEach(async () => {
    results.length = 0;
    world = await createWorld(database);
    const { orgId, projectId, environment } = world;
    source = { orgId, projectId, environment, instanceId: randomUUID() };
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  const count = async (table: "trace" | "evaluation_key" | "trace_facet") => {
    const [row] = await database.read(world.orgId, (tx) =>
      tx.sql<{ n: number }>(`select count(*)::int as n from ${table}`),
    );
    return row?.n;
  };
  const counted = async () => {
    const [row] = await database.read(world.orgId, (tx) =>
      tx.sql<{ n: number }>("select coalesce(sum(count), 0)::int as n from trace_rollup"),
    );
    return row?.n;
  };
  const usage = (month = new Date()) =>
    database.read(world.orgId, (tx) => readUsage(tx, `${month.toISOString().slice(0, 7)}-01`));
  const gaps = async () => {
    const rows = await database.read(world.orgId, (tx) => listGaps(tx, source));
    return rows.map(({ firstSeq, lastSeq, count: lost, reason }) => [firstSeq, lastSeq, lost, reason]);
  };

  it("stores, meters and counts a batch once, however often it comes", async () => {
    const batch = batchOf([evaluation(), blockedEvaluation("secrets.any"), evaluation()]);
    await ingest.ingest(source, batch);
    await ingest.ingest(source, batch);
    expect(results.map(({ stored, duplicates, conflicts }) => [stored, duplicates, conflicts])).toEqual([
      [3, 0, 0],
      [0, 3, 0],
    ]);
    expect([await count("trace"), await count("trace_facet"), await usage(), await counted()]).toEqual([3, 4, 3, 3]);
  });

  it("stores each evaluation once for any batches of duplicates, in any order, on concurrent streams", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(11), { maxLength: 20 }), { minLength: 1, maxLength: 5 }),
        async (plan) => {
          world = await createWorld(database);
          source = { ...source, orgId: world.orgId, projectId: world.projectId };
          const records = Array.from({ length: 12 }, () => evaluation());
          const batches = plan.map((picks) => picks.flatMap((pick) => records[pick] ?? []));
          await Promise.all(
            batches
              .filter((batch) => batch.length > 0)
              .map((batch) => ingest.ingest({ ...source, instanceId: randomUUID() }, batchOf(batch))),
          );
          const distinct = new Set(plan.flat()).size;
          expect([await count("trace"), await count("evaluation_key"), await usage(), await counted()]).toEqual([
            distinct,
            distinct,
            distinct,
            distinct,
          ]);
        },
      ),
      { numRuns: 25, seed: 7 },
    );
  });

  it("lets two streams report the same thousand evaluations at the same time", async () => {
    const records = Array.from({ length: 1000 }, () => evaluation({ agentId: "support-bot" }));
    const reversed = [...records].reverse();
    await Promise.all([records, reversed, records, reversed].map((list) => ingest.ingest(source, batchOf(list))));
    expect(results.reduce((sum, { stored }) => sum + stored, 0)).toBe(1000);
    expect([await count("trace"), await usage(), await counted()]).toEqual([1000, 1000, 1000]);
  });

  it("keeps the first payload of an id and counts those that differ", async () => {
    const first = evaluation({ sessionId: "first" });
    const other: EvaluationRecord = { ...clone(EvaluationRecordSchema, first), sessionId: "other" };
    await ingest.ingest(source, batchOf([first, other]));
    await ingest.ingest(source, batchOf([other, first, evaluation()]));
    expect(results.map(({ stored, duplicates, conflicts }) => [stored, duplicates, conflicts])).toEqual([
      [1, 1, 1],
      [1, 2, 1],
    ]);
    const rows = await database.read(world.orgId, (tx) =>
      tx.sql("select session_id from trace where id = ?", [first.evaluationId]),
    );
    expect(rows).toEqual([{ session_id: "first" }]);
  });

  it("leaves nothing of a batch whose connection dies before the commit, and takes it whole afterwards", async () => {
    const admin = new pg.Client({ connectionString: urls.migrationUrl });
    await admin.connect();
    // The ingest waits for this lock in the middle of its transaction.
    await admin.query("begin; lock table trace_rollup in access exclusive mode");
    const batch = batchOf([evaluation(), evaluation()]);
    const refused = expect(ingest.ingest(source, batch)).rejects.toThrow("the database is not available");
    const killer = new pg.Client({ connectionString: urls.applicationUrl });
    await killer.connect();
    const kill =
      "select pg_terminate_backend(pid) as done from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and usename = current_user";
    await expect.poll(async () => (await killer.query<{ done: boolean }>(kill)).rowCount, { timeout: 30_000 }).toBe(1);
    await refused;
    await admin.query("rollback");
    await Promise.all([admin.end(), killer.end()]);
    expect([await count("trace"), await count("evaluation_key"), await usage()]).toEqual([0, 0, 0]);
    await ingest.ingest(source, batch);
    expect([await count("trace"), await usage(), await counted()]).toEqual([2, 2, 2]);
  });

  it("refuses what is too old, ahead of time or malformed, stores the rest and notes the gaps once", async () => {
    const now = Date.now();
    const records = [
      evaluation(),
      evaluation({}, new Date(now - 36 * day)),
      evaluation({}, new Date(now - 37 * day)),
      evaluation({}, new Date(now + 6 * 60_000)),
      evaluation({ evaluationId: "not-a-uuid" }),
      evaluation({ sessionId: "nul\0nul" }),
      evaluation({ stage: Stage.UNSPECIFIED }),
      evaluation({ metadata: { rate: Number.NaN } }),
      evaluation({}, new Date(now - 34 * day)),
      evaluation({}, new Date(now + 4 * 60_000)),
    ];
    await ingest.ingest(source, batchOf(records, 100));
    await ingest.ingest(source, batchOf(records.slice(2), 102));
    expect(results[0]).toMatchObject({ stored: 3, refused: { invalid: 4, too_old: 2, in_future: 1 } });
    expect(await gaps()).toEqual([
      [101, 102, 2, "too_old"],
      [103, 103, 1, "in_future"],
      [104, 107, 4, "invalid"],
    ]);
  });

  it("notes a gap once when it comes again, and as it is when it has grown", async () => {
    await ingest.noteGap(source, { firstSeq: 5, lastSeq: 9, count: 5, reason: "spool_full" });
    await ingest.noteGap(source, { firstSeq: 5, lastSeq: 9, count: 5, reason: "spool_full" });
    await ingest.noteGap(source, { firstSeq: 5, lastSeq: 20, count: 16, reason: "spool_full" });
    await ingest.noteGap(source, { firstSeq: 7, lastSeq: 20, count: 14, reason: "spool_full" });
    expect(await gaps()).toEqual([[5, 20, 16, "spool_full"]]);
    await expect(ingest.noteGap(source, { firstSeq: 0.5, lastSeq: 9, count: 1, reason: "corrupt" })).rejects.toThrow();
  });

  it("meters an evaluation in the calendar month of its own time", async () => {
    const now = new Date();
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - 1);
    await ingest.ingest(source, batchOf([evaluation(), evaluation({}, before), evaluation({}, before)]));
    expect([await usage(now), await usage(before)]).toEqual([1, 2]);
  });

  it("lets agents appear by use, and stores an agent named by its id under its key", async () => {
    await ingest.ingest(source, batchOf([evaluation({ agentId: "bot" })]));
    const [[agent]] = await new Agents(database).list(world.caller, world.projectId, { limit: 10, offset: 0 });
    await ingest.ingest(
      source,
      batchOf([evaluation({ agentId: agent?.id ?? "" }), evaluation({ agentId: randomUUID() })]),
    );
    const [agents] = await new Agents(database).list(world.caller, world.projectId, { limit: 10, offset: 0 });
    expect(agents).toHaveLength(2);
    const rows = await database.read(world.orgId, (tx) =>
      tx.sql("select agent_key from trace where agent_key = 'bot'"),
    );
    expect(rows).toHaveLength(2);
  });

  it("accepts nothing for an environment that is gone, or that another organization has", async () => {
    await expect(ingest.ingest({ ...source, environment: "gone" }, batchOf([evaluation()]))).rejects.toThrow(
      "no such environment",
    );
    const foreign = await createWorld(database);
    await expect(ingest.ingest({ ...source, orgId: foreign.orgId }, batchOf([evaluation()]))).rejects.toThrow(
      "no such environment",
    );
    expect(await count("trace")).toBe(0);
  });

  it("does not deadlock with the deletion of the project", async () => {
    const projects = new Projects(database);
    const streams = Array.from({ length: 6 }, () =>
      ingest.ingest(source, batchOf(Array.from({ length: 50 }, () => evaluation({ agentId: "bot" })))),
    );
    const outcomes = await Promise.allSettled([
      ...streams,
      projects.delete(world.caller, world.projectId, { force: true }),
    ]);
    const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
    expect(errors.filter((error) => !error.includes("no such environment"))).toEqual([]);
  });

  it("tells webhooks of each blocked evaluation once", async () => {
    await database.systemTransaction(world.orgId, (tx) =>
      tx.sql(
        `insert into webhook (org_id, id, url, events, is_active, created_at, updated_at)
         values (?, ?, 'https://hooks.example.com/', '{evaluation.blocked}', true, now(), now())`,
        [world.orgId, randomUUID()],
      ),
    );
    const kept = {
      capture: CaptureMode.REDACTED,
      segments: [create(RecordedSegmentSchema, { id: "s1", text: "the key [SECRET_1]" })],
    };
    const records = [
      blockedEvaluation("secrets.any", { agentId: "bot", ...kept }),
      evaluation({ outcome: Outcome.FLAG }),
    ];
    await ingest.ingest(source, batchOf(records));
    await ingest.ingest(source, batchOf(records));
    const events = await database.read(world.orgId, (tx) => tx.sql<{ body: string }>("select body from event"));
    expect(events).toHaveLength(1);
    expect(JSON.parse(events[0]?.body ?? "").data).toMatchObject({
      trace_id: records[0]?.evaluationId,
      environment: "dev",
      agent_id: "bot",
      stage: "input",
      rule_ids: ["secrets.any"],
      categories: ["secrets.token"],
      bundle_version: 3,
      capture: "redacted",
      text: "the key [SECRET_1]",
    });
  });

  it("shows nothing of the traces to other organizations, outside of transactions or by the partitions' names", async () => {
    await ingest.ingest(source, batchOf([blockedEvaluation("secrets.any")]));
    const foreign = await createWorld(database);
    const tables = ["trace", "trace_facet", "evaluation_key", "trace_rollup", "usage_month", "stat_delta"];
    for (const table of tables) {
      const seen = await database.read(foreign.orgId, (tx) => tx.sql(`select * from ${table}`));
      expect(seen, table).toEqual([]);
    }
    const client = new pg.Client({ connectionString: urls.applicationUrl });
    await client.connect();
    for (const table of tables) expect((await client.query(`select * from ${table}`)).rows, table).toEqual([]);
    await client.query("select set_config('app.org_id', $1, false)", [world.orgId]);
    const { rows } = await client.query<{ name: string }>(
      "select oid::regclass::text as name from pg_class where relispartition and relkind = 'r'",
    );
    expect(rows.length).toBeGreaterThan(16);
    for (const { name } of rows)
      await expect(client.query(`select * from ${name}`), name).rejects.toThrow("permission denied");
    await client.end();
    const write = database.systemTransaction(foreign.orgId, (tx) =>
      tx.sql("insert into evaluation_key (org_id, evaluation_id, created_at, payload_hash) values (?, ?, now(), ?)", [
        world.orgId,
        randomUUID(),
        Buffer.alloc(32),
      ]),
    );
    await expect(write).rejects.toThrow("row-level security");
  });
});

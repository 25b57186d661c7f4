import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { UnjudgedSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { FailMode, Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { type UsageDifference, UsageReconciliation } from "../../../../src/domain/billing/usage-reconciliation.ts";
import { Ingest, type IngestSource } from "../../../../src/domain/fleet/ingest.ts";
import { StatFold } from "../../../../src/domain/telemetry/stat-fold.ts";
import { purgeStats, purgeStatsOfDeleted } from "../../../../src/domain/telemetry/stat-retention.ts";
import { createWorkerMetrics } from "../../../../src/jobs/metrics.ts";
import { createMetrics } from "../../../../src/kit/observability/metrics.ts";
import { LatencyHistogram } from "../../../../src/kit/tally/latency-histogram.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { tryLockCubes } from "../../../../src/store/telemetry/stat-cube.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, blockedEvaluation, evaluation } from "./evaluation.ts";

const dayMs = 86_400_000;

describe("StatFold", () => {
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let world: World;
  let source: IngestSource;
  let ingest: Ingest;
  let fold: StatFold;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 4 });
    ingest = new Ingest(database, { sealer: testSealer, onResult: () => undefined });
    fold = new StatFold(worker);
  });

  beforeEach(async () => {
    world = await createWorld(database);
    const { orgId, projectId, environment } = world;
    source = { orgId, projectId, environment, instanceId: randomUUID() };
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close()]);
    await urls.drop();
  });

  const store = (records: readonly EvaluationRecord[]) => ingest.ingest(source, batchOf(records));
  const select = <Row extends object>(text: string) => database.read(world.orgId, (tx) => tx.sql<Row>(text));
  const days = () =>
    select<{ agent: string; stage: number; evaluations: number; overage: number }>(
      `select agent_key as agent, stage, sum(evaluations)::int as evaluations, sum(overage)::int as overage
       from usage_day group by 1, 2 order by 1, 2`,
    );
  const sum = async (table: string, column: string, period = 3) => {
    const [row] = await select<{ n: number }>(
      `select coalesce(sum(${column}), 0)::int as n from ${table} where period = ${period}`,
    );
    return row?.n;
  };

  it("counts an evaluation in its minute, its hour, its day and in usage, however often it comes", async () => {
    const batch = batchOf([
      evaluation({ agentId: "bot" }),
      blockedEvaluation("secrets.any", { agentId: "bot", stage: Stage.OUTPUT }),
      evaluation({}, new Date(Date.now() - 10 * dayMs)),
      evaluation({}, new Date(Date.now() - 34.5 * dayMs)),
    ]);
    await ingest.ingest(source, batch);
    await ingest.ingest(source, batch);
    expect(await fold.fold(world.orgId)).toBe(1);
    expect(await fold.fold(world.orgId)).toBe(0);
    const counted = (period: number) => sum("stat_outcome", "evaluations", period);
    // Minutes are kept for two days.
    expect([await counted(1), await counted(2), await counted(3)]).toEqual([2, 4, 4]);
    expect(await days()).toEqual([
      { agent: "", stage: Stage.INPUT, evaluations: 2, overage: 2 },
      { agent: "bot", stage: Stage.INPUT, evaluations: 1, overage: 1 },
      { agent: "bot", stage: Stage.OUTPUT, evaluations: 1, overage: 1 },
    ]);
    expect([await sum("stat_rule", "traces"), await sum("stat_rule", "decided")]).toEqual([1, 1]);
    expect(await sum("stat_version", "evaluations")).toBe(4);
  });

  it("adds to what is there, latencies too", async () => {
    for (const latencyUs of [100, 200, 400]) {
      await store([evaluation({ latencyUs })]);
      await fold.fold(world.orgId);
    }
    expect(await sum("stat_outcome", "evaluations")).toBe(3);
    const [row] = await select<{ buckets: Buffer }>("select buckets from stat_latency where period = 3");
    const merged = LatencyHistogram.fromBytes(row?.buckets ?? Buffer.alloc(0));
    expect(merged.quantile(0.5)).toBeGreaterThan(197);
    expect(merged.quantile(0.5)).toBeLessThan(203);
  });

  it("tells apart what could not be judged, and what was lost, each once", async () => {
    const timeout = create(UnjudgedSchema, { detector: "toxicity", reason: "timeout", onError: FailMode.FAIL_OPEN });
    await store([evaluation({ unjudged: [timeout, timeout] })]);
    const gap = { firstSeq: 10, lastSeq: 14, count: 5, reason: "spool_full" };
    await ingest.noteGap(source, gap);
    await ingest.noteGap(source, gap);
    await ingest.noteGap(source, { ...gap, lastSeq: 16, count: 7 });
    await store([evaluation({}, new Date(Date.now() - 40 * dayMs))]);
    await fold.fold(world.orgId);
    expect(await select("select detector, reason, traces::int from stat_unjudged where period = 3")).toEqual([
      { detector: "toxicity", reason: "timeout", traces: 1 },
    ]);
    expect([await sum("stat_outcome", "unjudged"), await sum("stat_outcome", "fail_open")]).toEqual([1, 1]);
    expect(await select("select reason, evaluations::int from stat_loss where period = 3 order by 1")).toEqual([
      { reason: "spool_full", evaluations: 7 },
      { reason: "too_old", evaluations: 1 },
    ]);
  });

  it("folds once when several do it at the same time, and leaves it to the one that began", async () => {
    await store([evaluation()]);
    await Promise.all([fold.fold(world.orgId), fold.fold(world.orgId), fold.foldAll(new Date())]);
    await store([evaluation()]);
    await worker.systemTransaction(world.orgId, async (tx) => {
      expect(await tryLockCubes(tx)).toBe(true);
      expect(await fold.fold(world.orgId)).toBe(0);
    });
    expect(await fold.fold(world.orgId)).toBe(1);
    expect(await sum("stat_outcome", "evaluations")).toBe(2);
  });

  it("shows in the worker's metrics how much it folded and how late it is", async () => {
    const metrics = createMetrics();
    const { onFold } = createWorkerMetrics(metrics, () => 0);
    await store([evaluation()]);
    await store([evaluation()]);
    const folded = await fold.foldAll(new Date(Date.now() + 90_000));
    expect(folded.deltas).toBeGreaterThanOrEqual(2);
    onFold(folded);
    const text = await metrics.registry.metrics();
    expect(text).toContain(`stat_deltas_folded_total ${folded.deltas}`);
    const [, lag] = /^stat_fold_lag_seconds (.*)$/m.exec(text) ?? [];
    expect(Number(lag)).toBeGreaterThan(89);
  });

  it("gives the first 200 agents and 50 languages rows of their own, and counts all others together", async () => {
    const many = Array.from({ length: 230 }, (_, i) =>
      evaluation({ agentId: `agent-${String(i).padStart(3, "0")}`, language: `l${i % 70}` }),
    );
    await store(many.slice(0, 120));
    await fold.fold(world.orgId);
    await store(many.slice(120));
    await store([evaluation({ agentId: "agent-229" }), evaluation({ agentId: "agent-000" })]);
    await fold.fold(world.orgId);
    expect(await sum("stat_outcome", "evaluations")).toBe(232);
    const [agents] = await select<{ own: number; other: number; languages: number }>(
      `select count(distinct agent_key) filter (where agent_key <> '~other')::int as own,
         sum(evaluations) filter (where agent_key = '~other')::int as other,
         count(distinct language) filter (where language <> '~other')::int as languages
       from stat_outcome where period = 2`,
    );
    expect(agents).toEqual({ own: 200, other: 31, languages: 50 });
    // Usage has room for a thousand.
    expect(await days()).toHaveLength(230);
  });

  it("has counts by month and by day that agree, and tells when they do not", async () => {
    const reconciliation = new UsageReconciliation(worker);
    const differences = async () => {
      const found: UsageDifference[] = [];
      await reconciliation.compare(new Date(), (each) => found.push(each));
      return found.filter(({ orgId }) => orgId === world.orgId);
    };
    await store([evaluation(), evaluation()]);
    expect(await differences()).toEqual([]);
    await fold.fold(world.orgId);
    await store([evaluation()]);
    expect(await differences()).toEqual([]);
    await fold.fold(world.orgId);
    await database.systemTransaction(world.orgId, (tx) => tx.sql("update usage_day set evaluations = evaluations - 1"));
    const month = `${new Date().toISOString().slice(0, 7)}-01`;
    expect(await differences()).toEqual([
      {
        orgId: world.orgId,
        month,
        byMonth: { evaluations: 3, overage: 3 },
        byDay: { evaluations: 2, overage: 3 },
      },
    ]);
  });

  it("removes minutes after two days, hours after 35 and days after 25 months; all when the organization goes", async () => {
    await store([evaluation(), evaluation({ outcome: Outcome.FLAG }, new Date(Date.now() - 33 * dayMs))]);
    await fold.fold(world.orgId);
    const rows = async () => {
      const found = await select<{ period: number; n: number }>(
        "select period, count(*)::int as n from stat_outcome group by 1 order by 1",
      );
      return found.map(({ period, n }) => [period, n]);
    };
    const at = (daysLater: number) => new Date(Date.now() + daysLater * dayMs);
    expect(await rows()).toEqual([
      [1, 1],
      [2, 2],
      [3, 2],
    ]);
    await purgeStats(worker, world.orgId, at(5));
    expect(await rows()).toEqual([
      [2, 1],
      [3, 2],
    ]);
    await purgeStats(worker, world.orgId, at(40));
    expect(await rows()).toEqual([[3, 2]]);
    expect(await days()).not.toEqual([]);
    await store([evaluation()]);
    await purgeStatsOfDeleted(worker, world.orgId, new Date());
    expect([await rows(), await days(), await fold.fold(world.orgId)]).toEqual([[], [], 0]);
  });
});

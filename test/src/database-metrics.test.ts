import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ScimService } from "../../gen/policyguard/control/v1/scim_service_pb.ts";
import { measureInstallation, measurePool } from "../../src/database-metrics.ts";
import { enqueueJob } from "../../src/domain/job.ts";
import { createMetrics, type Metrics } from "../../src/kit/observability/metrics.ts";
import { newId } from "../../src/kit/process/id.ts";
import { withScimRequests } from "../../src/scim-metrics.ts";
import { insertLease } from "../../src/store/billing/quota-lease.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { createWorld } from "../harness/vector/world.ts";

let urls: TestDatabase;
let database: Database;
let worker: Database;
let queue: pg.Pool;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
  queue = new pg.Pool({ connectionString: urls.workerUrl, max: 1 });
});

afterAll(async () => {
  await Promise.all([database.close(), worker.close(), queue.end()]);
  await urls.drop();
});

async function value({ registry }: Metrics, name: string): Promise<number | undefined> {
  const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(await registry.metrics())?.[1];
  return found === undefined ? undefined : Number(found);
}

it("tells how many transactions wait for a connection", async () => {
  const metrics = createMetrics();
  measurePool(metrics, database);
  const end = Promise.withResolvers<void>();
  const orgId = newId();
  const held = Array.from({ length: 5 }, () => database.read(orgId, () => end.promise));
  await eventually(async () => expect(await value(metrics, "database_pool_waiting")).toBe(3));
  end.resolve();
  await Promise.all(held);
  expect(await value(metrics, "database_pool_waiting")).toBe(0);
});

it("tells how long the oldest job has waited that could run, and what is on lease", async () => {
  const metrics = createMetrics();
  measureInstallation(metrics, worker, queue);
  expect(await value(metrics, "job_queue_age_seconds")).toBe(0);
  expect(await value(metrics, "quota_leases_outstanding")).toBe(0);
  const world = await createWorld(database);
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000);
  await database.systemTransaction(world.orgId, async (tx) => {
    await enqueueJob(tx, "sweep-runs", {}, { runAt: at(-3_600) });
    await enqueueJob(tx, "sweep-runs", {}, { runAt: at(3_600) });
    const place = { projectId: world.projectId, environment: "dev", instanceId: newId() };
    const month = `${at(0).toISOString().slice(0, 7)}-01`;
    await insertLease(tx, place, { id: newId(), month, size: 700, expiresAt: at(3_600) });
    await insertLease(tx, place, { id: newId(), month, size: 50, expiresAt: at(-1) });
  });
  expect(await value(metrics, "job_queue_age_seconds")).toBeGreaterThanOrEqual(3_600);
  expect(await value(metrics, "quota_leases_outstanding")).toBe(700);
});

it("tells until when the traces have partitions without a gap", async () => {
  const metrics = createMetrics();
  measureInstallation(metrics, worker, queue);
  const owner = new pg.Client({ connectionString: urls.migrationUrl });
  await owner.connect();
  const monthsAhead = (count: number) => {
    const now = new Date();
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + count);
  };
  const name = (ms: number) => `trace_p${new Date(ms).toISOString().slice(0, 7).replace("-", "_")}`;
  const endsAtMs = async () => Date.now() + 1_000 * ((await value(metrics, "trace_partitions_end_seconds")) ?? 0);
  // Three months are made ahead.
  expect(Math.abs((await endsAtMs()) - monthsAhead(4))).toBeLessThan(3_600_000);
  await owner.query(`drop table ${name(monthsAhead(2))}`);
  expect(Math.abs((await endsAtMs()) - monthsAhead(2))).toBeLessThan(3_600_000);
  await owner.end();
});

it("leaves out what the database does not answer, and answers all the same", async () => {
  const metrics = createMetrics();
  measureInstallation(metrics, worker, { query: () => Promise.reject(new Error("away")) });
  expect(await value(metrics, "job_queue_age_seconds")).toBeUndefined();
  expect(await value(metrics, "quota_leases_outstanding")).toBeDefined();
});

it("counts requests of directories, and no others, beside all calls", async () => {
  const metrics = withScimRequests(createMetrics());
  const call = { method: "ListUsers", code: "ok", durationMs: 1 };
  metrics.countCall({ ...call, service: ScimService.typeName });
  metrics.countCall({ ...call, service: "policyguard.control.v1.PolicyService" });
  expect(await metrics.registry.metrics()).toContain('scim_requests_total{operation="ListUsers",code="ok"} 1');
  expect((await metrics.registry.metrics()).match(/^rpc_requests_total\{/gm)).toHaveLength(2);
});

// `npm run worker`: delivers webhooks and runs the other jobs of the control plane. Everything that is created here
// lives as long as the process, and is created in the order of its start.

import "./kit/process/thread-pool.ts";
import pg from "pg";
import { createAnalysisMetrics } from "./analysis-metrics.ts";
import { createAnalysisPool } from "./analysis-pool.ts";
import { workerSchema } from "./config.ts";
import { measureInstallation, measurePool } from "./database-metrics.ts";
import { createJobServices } from "./job-services.ts";
import { createWorkerMetrics } from "./jobs/metrics.ts";
import { type Runner, type RunnerOptions, startRunner } from "./jobs/runner.ts";
import { longTasks, otherTasks, sweptTasks } from "./jobs/tasks.ts";
import { type ManagementServer, NotReady, startManagement } from "./kit/net/management.ts";
import { createLog, type Logger } from "./kit/observability/log.ts";
import { createMetrics } from "./kit/observability/metrics.ts";
import { systemClock } from "./kit/process/clock.ts";
import { productVariables, readConfig } from "./kit/process/config.ts";
import { productVersion } from "./kit/process/product-folder.ts";
import { shutDownOnSignal } from "./kit/process/shutdown.ts";
import { startOrSay } from "./kit/process/start-failure.ts";
import { startTelemetry } from "./kit/telemetry/telemetry.ts";
import { assertNotRestored } from "./restore-check.ts";
import { assertSchema, sayAlive, tellNewerSchema } from "./schema-check.ts";
import { openDatabase } from "./store/connection/database.ts";
import { assertDelivery } from "./store/connection/delivery-proof.ts";
import { assertWorksOnQueue } from "./store/connection/login.ts";
import { holdPool } from "./store/core/worker-pool.ts";
import { WorkerJobs } from "./worker-jobs.ts";

/** Connections for the tenants' tables. Attempts use one only while they are claimed and recorded. */
const databasePoolSize = 12;
/** Long jobs at once. */
const longJobs = 2;
/** Connections of the job queue: one for each job at once and two more, of all three pools. */
const queuePoolSize = 24;

await startOrSay({ name: "the worker", ports: "WORKER_MANAGEMENT_PORT" }, async () => {
  const config = readConfig(workerSchema, process.env, productVariables);
  const log = createLog({ name: "worker", level: config.logLevel });
  const metrics = createMetrics();
  const telemetry = await startTelemetry(config, { name: "worker", version: productVersion(), log, metrics });
  const database = await openDatabase({ url: config.databaseUrl, poolSize: databasePoolSize, clock: systemClock });
  const { onJob, ...meters } = createWorkerMetrics(metrics, () => services.dispatcher.inFlight);
  const analysisPool = createAnalysisPool({
    ...{ log, onResult: createAnalysisMetrics(metrics) },
    maxProcesses: config.analysisThreads,
  });
  const { services, outbound } = createJobServices(config, {
    ...{ database, clock: systemClock, log, metrics, analysis: analysisPool.analysis },
    ...meters,
  });
  // The queue and the signs of life of its pools need sessions: a pooler that gives none is noticed here.
  const { databaseUrl: url } = config;
  await assertDelivery({ listenUrl: url, notifyUrl: url, variable: "DATABASE_WORKER_URL" });
  const pool = openQueuePool(url, log);
  await assertWorksOnQueue(pool, "DATABASE_WORKER_URL");
  measurePool(metrics, database);
  measureInstallation(metrics, database, pool);
  const runnerOptions: Omit<RunnerOptions, "tasks"> = {
    pool,
    log,
    onJob,
    claim: (poolId) => holdPool({ url: config.databaseUrl, poolId, log }),
    services,
  };
  // Three pools: a burst of wake-ups is prefetched by the first, and neither it nor long jobs delay those of the
  // second.
  const startRunners = (): Promise<Runner[]> =>
    Promise.all([
      startRunner({ ...runnerOptions, tasks: sweptTasks, isReadingAhead: true }),
      startRunner({ ...runnerOptions, tasks: otherTasks }),
      startRunner({ ...runnerOptions, tasks: longTasks, concurrency: longJobs }),
    ]);
  const management = await startManagement({
    port: config.managementPort,
    host: config.managementHost,
    log,
    metrics,
    checks: {
      async database() {
        if (!(await database.isWritable())) throw new NotReady("not_writable", "the database accepts no writes");
      },
      schema: () => assertSchema(database),
      restore: () => assertNotRestored(database, config.newTimeline),
    },
  });
  const heartbeat = sayAlive(database, "worker", log);
  const jobs = new WorkerJobs({
    // Jobs of this version on an older schema would fail, and be put off for hours.
    async check() {
      await assertSchema(database);
      await assertNotRestored(database, config.newTimeline);
    },
    ...{ startRunners, log },
  });
  shutDownOnSignal({
    log,
    steps: [
      { name: "not ready", timeoutMs: 100, run: () => endWaiting(jobs, management) },
      { name: "jobs", timeoutMs: 8_000, run: () => jobs.stop() },
      { name: "deliveries", timeoutMs: 12_000, run: () => services.dispatcher.stop() },
      { name: "connections", timeoutMs: 1_000, run: () => outbound.close() },
      { name: "analysis", timeoutMs: 1_000, run: () => analysisPool.close() },
      { name: "management", timeoutMs: 1_000, run: () => management.close() },
      { name: "heartbeat", timeoutMs: 2_000, run: () => heartbeat.end() },
      { name: "database", timeoutMs: 2_000, run: () => Promise.all([database.close(), pool.end()]) },
      ...telemetry.shutdownSteps,
    ],
  });
  if (!(await jobs.start())) return;
  await tellNewerSchema(database, log);
  log.info({ managementPort: management.port, poolIds: jobs.poolIds }, "worker is running");
});

function endWaiting(jobs: WorkerJobs, management: ManagementServer): void {
  jobs.end();
  management.drain();
}

// Without listeners, a connection that the server ends while it is idle or in use would end the process.
function openQueuePool(url: string, log: Logger): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: queuePoolSize, connectionTimeoutMillis: 10_000 });
  const warn = (err: Error): void => log.warn({ err }, "a connection of the job queue failed");
  pool.on("error", warn);
  pool.on("connect", (client) => client.on("error", warn));
  return pool;
}

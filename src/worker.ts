// `npm run worker`: delivers webhooks and does the other jobs of the control plane. What is created here lives as long as the
// process, in the order of its start.

import "./kit/thread-pool.ts";
import pg from "pg";
import { workerSchema } from "./config.ts";
import { AccountUpkeep } from "./domain/account-upkeep.ts";
import { Bundles } from "./domain/bundle.ts";
import { BundleRetention } from "./domain/bundle-retention.ts";
import { attemptTimeoutMs } from "./domain/delivery.ts";
import { DeliveryAttempts } from "./domain/delivery-attempt.ts";
import { DeliveryUpkeep } from "./domain/delivery-upkeep.ts";
import { Dispatcher } from "./domain/dispatcher.ts";
import { MailDelivery } from "./domain/mail-queue.ts";
import { SigningKeys } from "./domain/signing-keys.ts";
import { TraceRetention } from "./domain/trace-retention.ts";
import { externalSigner } from "./external-signer.ts";
import { createWorkerMetrics } from "./jobs/metrics.ts";
import { type RunnerOptions, startRunner } from "./jobs/runner.ts";
import { otherTasks, sweptTasks } from "./jobs/tasks.ts";
import { systemClock } from "./kit/clock.ts";
import { productVariables, readConfig } from "./kit/config.ts";
import { createLog, type Logger } from "./kit/log.ts";
import { createMailTransport, readMailSettings } from "./kit/mail.ts";
import { startManagement } from "./kit/management.ts";
import { createMetrics } from "./kit/metrics.ts";
import { createOutbound } from "./kit/outbound/client.ts";
import { createNetworkGuard } from "./kit/outbound/guard.ts";
import { createSealer, parseMasterKeys } from "./kit/seal.ts";
import { shutDownOnSignal } from "./kit/shutdown.ts";
import { openDatabase } from "./store/database.ts";
import { holdPool, unlockDeadPools } from "./store/worker-pool.ts";

/** Connections for the tenants' tables. Attempts use one only while they are claimed and recorded. */
const databasePoolSize = 12;
/** Connections of the job queue: one for each job at once and two more, of both pools. */
const queuePoolSize = 20;
/** Age from which the heartbeat of a pool whose session has ended counts as its death. */
const deadPoolMs = 60_000;

const config = readConfig(workerSchema, process.env, productVariables);
const log = createLog({ name: "worker", level: config.logLevel });
const metrics = createMetrics();
const clock = systemClock;
const database = await openDatabase({ url: config.databaseUrl, poolSize: databasePoolSize, clock });
const sealer = createSealer({ masterKeys: parseMasterKeys(config.masterKey) });
const guard = createNetworkGuard({ allowNetworks: config.allowNetworks ?? [], dnsServers: config.dnsServers ?? [] });
const outbound = createOutbound({ guard, totalTimeoutMs: attemptTimeoutMs });
const mail = readMailSettings(config);
const transport = mail && createMailTransport(mail);
const attempts = new DeliveryAttempts(database, { sealer, outbound, clock });
const { onAttempt, onJob } = createWorkerMetrics(metrics, () => dispatcher.inFlight);
const dispatcher = new Dispatcher({ attempts, log, onResult: onAttempt });
const pool = openQueuePool(config.databaseUrl, log);
const runnerOptions: Omit<RunnerOptions, "tasks"> = {
  pool,
  log,
  onJob,
  claim: (poolId) => holdPool({ url: config.databaseUrl, poolId, log }),
  services: {
    log,
    clock,
    bundles: new Bundles(database, new SigningKeys(database, sealer, externalSigner(config, outbound))),
    retention: new TraceRetention(database, clock),
    bundleRetention: new BundleRetention(database, clock),
    dispatcher,
    upkeep: new DeliveryUpkeep(database, clock),
    accounts: new AccountUpkeep(database, clock),
    mails: new MailDelivery({ sealer, clock, transport }),
    unlockDeadPools: () => unlockDeadPools(database, { silentMs: deadPoolMs }),
  },
};
// Pools of their own: a burst of wake-ups is read ahead, and holds up no other job.
const runners = await Promise.all([
  startRunner({ ...runnerOptions, tasks: sweptTasks, isReadingAhead: true }),
  startRunner({ ...runnerOptions, tasks: otherTasks }),
]);
const management = await startManagement({
  port: config.managementPort,
  log,
  metrics,
  checks: {
    async database() {
      if (!(await database.isWritable())) throw new Error("the database does not accept writes");
    },
  },
});
shutDownOnSignal({
  log,
  steps: [
    { name: "not ready", timeoutMs: 100, run: () => management.drain() },
    { name: "jobs", timeoutMs: 8_000, run: () => Promise.all(runners.map((runner) => runner.stop())) },
    { name: "deliveries", timeoutMs: 12_000, run: () => dispatcher.stop() },
    { name: "connections", timeoutMs: 1_000, run: () => outbound.close() },
    { name: "management", timeoutMs: 1_000, run: () => management.close() },
    { name: "database", timeoutMs: 2_000, run: () => Promise.all([database.close(), pool.end()]) },
  ],
});
log.info({ managementPort: management.port, poolIds: runners.map(({ poolId }) => poolId) }, "worker is running");

// Without listeners, a connection that the server ends while it is idle or in use would end the process.
function openQueuePool(url: string, log: Logger): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: queuePoolSize, connectionTimeoutMillis: 10_000 });
  const warn = (err: Error): void => log.warn({ err }, "a connection of the job queue failed");
  pool.on("error", warn);
  pool.on("connect", (client) => client.on("error", warn));
  return pool;
}

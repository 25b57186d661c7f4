// What tests of webhooks share: an organization, a target that listens, a clock to move, and the parts that deliver.

import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { AlertEvaluation } from "../../../src/domain/alert/evaluation.ts";
import { BillingUpkeep } from "../../../src/domain/billing/billing-upkeep.ts";
import { NoticeMails } from "../../../src/domain/billing/notice.ts";
import { planUsagePercent } from "../../../src/domain/billing/plan-usage.ts";
import { readPrices } from "../../../src/domain/billing/price.ts";
import { QuotaUpkeep } from "../../../src/domain/billing/quota-upkeep.ts";
import { UsageAnomalies } from "../../../src/domain/billing/usage-anomaly.ts";
import { UsageReconciliation } from "../../../src/domain/billing/usage-reconciliation.ts";
import { ActivationRefresh } from "../../../src/domain/bundle/activation-refresh.ts";
import { BundleRetention } from "../../../src/domain/bundle/retention.ts";
import { SigningKeys } from "../../../src/domain/bundle/signing-keys.ts";
import { type EventData, publishEvent } from "../../../src/domain/event/event.ts";
import { AccountLocks } from "../../../src/domain/identity/account-lock.ts";
import { AccountUpkeep } from "../../../src/domain/identity/account-upkeep.ts";
import { Departures } from "../../../src/domain/identity/departure.ts";
import { MailDelivery, MailQueue } from "../../../src/domain/mail/mail-queue.ts";
import { QueueFill } from "../../../src/domain/measure/annotation/queue-fill.ts";
import { eraseSamplesAbout } from "../../../src/domain/measure/dataset/dataset-erasure.ts";
import { DatasetRetention } from "../../../src/domain/measure/dataset/dataset-retention.ts";
import { sampleSeals } from "../../../src/domain/measure/dataset/dataset-sample.ts";
import { ImportRun } from "../../../src/domain/measure/dataset/import-run.ts";
import { RunRetention } from "../../../src/domain/run/run-retention.ts";
import { RunWorker } from "../../../src/domain/run/run-worker.ts";
import { CheckpointSigning } from "../../../src/domain/telemetry/checkpoint-signing.ts";
import { ErasureKeys } from "../../../src/domain/telemetry/erasure-keys.ts";
import { ErasureRun } from "../../../src/domain/telemetry/erasure-run.ts";
import { EvidenceRetention } from "../../../src/domain/telemetry/evidence-retention.ts";
import { StatFold } from "../../../src/domain/telemetry/stat-fold.ts";
import { TraceRetention } from "../../../src/domain/telemetry/trace-retention.ts";
import { TraceUpgrade } from "../../../src/domain/telemetry/trace-upgrade.ts";
import { Organizations } from "../../../src/domain/tenancy/organization.ts";
import { DeliveryAttempts } from "../../../src/domain/webhook/delivery-attempt.ts";
import { WebhookDeliveries } from "../../../src/domain/webhook/delivery-history.ts";
import type { DispatchLimits } from "../../../src/domain/webhook/delivery-slots.ts";
import { DeliveryUpkeep } from "../../../src/domain/webhook/delivery-upkeep.ts";
import { Dispatcher } from "../../../src/domain/webhook/dispatcher.ts";
import { type CreatedWebhook, Webhooks } from "../../../src/domain/webhook/webhook.ts";
import type { JobServices } from "../../../src/jobs/task.ts";
import { createOutbound } from "../../../src/kit/net/outbound/client.ts";
import { createNetworkGuard } from "../../../src/kit/net/outbound/guard.ts";
import { newId } from "../../../src/kit/process/id.ts";
import type { Caller } from "../../../src/kit/rpc/context.ts";
import { createSealer, parseMasterKeys } from "../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import { unlockDeadPools } from "../../../src/store/core/worker-pool.ts";
import { keeperOf } from "../bundles.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { createMovedClock, type MovedClock } from "../moved-clock.ts";
import { adminCaller } from "../vector/world.ts";

/** The terms of plans that are bought. */
export const billingTerms = {
  prices: readPrices(["growth=4900", "enterprise=49000"]),
  graceMs: 7 * 86_400_000,
  trialDays: 0,
};

/** Everything between an event and its target, in one process. */
export interface WebhookWorld {
  readonly urls: TestDatabase;
  readonly masterKey: string;
  readonly clock: MovedClock;
  /** As the application. */
  readonly database: Database;
  readonly webhooks: Webhooks;
  readonly deliveries: WebhookDeliveries;
  /** As the worker. */
  readonly attempts: DeliveryAttempts;
  readonly dispatcher: Dispatcher;
  readonly upkeep: DeliveryUpkeep;
  /** What the worker's jobs work with. */
  readonly jobServices: JobServices;
  newDispatcher(limits?: DispatchLimits): Dispatcher;
  /** A new organization's admin. */
  newCaller(): Promise<Caller>;
  /** A webhook of the caller's organization that subscribes to policy.updated. */
  subscribe(caller: Caller, url: string, options?: { readonly generateSecret?: boolean }): Promise<CreatedWebhook>;
  /** Publishes an event, and returns its id. */
  publish(caller: Caller, data?: Partial<EventData<"policy.updated">>): Promise<string>;
  close(): Promise<void>;
}

/** Opens a database of its own with all that delivers. */
export async function openWebhookWorld({ totalTimeoutMs = 60_000 } = {}): Promise<WebhookWorld> {
  const urls = await createTestDatabase();
  const clock = createMovedClock();
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 6, clock });
  const workerDatabase = await openDatabase({ url: urls.workerUrl, poolSize: 8, clock });
  const masterKey = randomBytes(32).toString("base64");
  const sealer = createSealer({ masterKeys: parseMasterKeys(masterKey) });
  const guard = createNetworkGuard({ allowNetworks: ["127.0.0.0/8"], dnsServers: [] });
  const outbound = createOutbound({ guard, totalTimeoutMs });
  const log = pino({ level: "silent" });
  const mailer = new MailQueue(workerDatabase, { sealer, log });
  const attempts = new DeliveryAttempts(workerDatabase, { sealer, outbound, clock, mailer });
  const newDispatcher = (limits?: DispatchLimits) => new Dispatcher({ attempts, log, limits });
  const dispatcher = newDispatcher();
  const upkeep = new DeliveryUpkeep(workerDatabase, clock);
  const webhooks = new Webhooks(database, { sealer, guard, outbound, clock });
  return {
    urls,
    masterKey,
    clock,
    database,
    webhooks,
    deliveries: new WebhookDeliveries(database),
    attempts,
    dispatcher,
    newDispatcher,
    upkeep,
    jobServices: {
      log,
      clock,
      dispatcher,
      upkeep,
      accounts: new AccountUpkeep(workerDatabase, clock),
      activations: new ActivationRefresh(workerDatabase, new SigningKeys(workerDatabase, sealer)),
      retention: new TraceRetention(workerDatabase, clock, { partition: "month" }),
      checkpoints: new CheckpointSigning(workerDatabase, new SigningKeys(workerDatabase, sealer), clock),
      evidenceRetention: new EvidenceRetention(workerDatabase, clock, { partition: "month" }),
      bundleRetention: new BundleRetention(workerDatabase, clock),
      gateKeeper: keeperOf(workerDatabase, { clock }),
      locks: new AccountLocks(workerDatabase),
      mails: new MailDelivery({ sealer, clock, transport: undefined }),
      quotas: new QuotaUpkeep(workerDatabase, { clock, mailer }),
      provider: undefined,
      onProviderDifference: () => undefined,
      onReconciled: () => undefined,
      billing: new BillingUpkeep(workerDatabase, clock, { ...billingTerms, mailer }),
      departures: new Departures(workerDatabase, { mailer }),
      statFold: new StatFold(workerDatabase),
      traceUpgrade: new TraceUpgrade(workerDatabase, sealer),
      usageReconciliation: new UsageReconciliation(workerDatabase),
      usageAnomalies: new UsageAnomalies(workerDatabase, { mailer }),
      notices: new NoticeMails(workerDatabase, { mailer }),
      onFold: () => undefined,
      alerts: new AlertEvaluation(workerDatabase, {
        statFold: new StatFold(workerDatabase),
        readPlanUsage: planUsagePercent,
        mailer: undefined,
        log,
      }),
      onAlerts: () => undefined,
      onUsageDifference: () => undefined,
      runs: new RunWorker(workerDatabase, {
        kinds: { erasure: new ErasureRun(sealer, eraseSamplesAbout) },
        clock,
        log,
      }),
      imports: new ImportRun(
        { database: workerDatabase, sealer, seals: sampleSeals(sealer), trainingTexts: { has: () => false } },
        outbound,
      ),
      datasetRetention: new DatasetRetention(workerDatabase),
      runRetention: new RunRetention(workerDatabase, clock),
      queueFill: new QueueFill(workerDatabase, clock, sealer),
      erasureKeys: new ErasureKeys(workerDatabase, sealer),
      unlockDeadPools: () => unlockDeadPools(workerDatabase, { silentMs: 60_000 }),
    },
    newCaller: async () => adminCaller((await new Organizations(database).create({ name: "Test" })).id),
    subscribe: (caller, url, { generateSecret = false } = {}) =>
      webhooks.create(caller, { url, events: ["policy.updated"], generateSecret }),
    publish: ({ orgId }, data = {}) =>
      database.systemTransaction(orgId, (tx) =>
        publishEvent(tx, "policy.updated", {
          policy_id: newId(),
          name: "support-bot",
          version: 1,
          change: "updated",
          ...data,
        }),
      ),
    async close() {
      await outbound.close();
      await Promise.all([database.close(), workerDatabase.close()]);
      await urls.drop();
    },
  };
}

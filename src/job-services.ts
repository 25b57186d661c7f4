// What the worker's jobs work with, built from its settings and its database.

import type { workerSchema } from "./config.ts";
import { AlertEvaluation, type AlertsEvaluated } from "./domain/alert/evaluation.ts";
import type { Analysis } from "./domain/analysis/analysis.ts";
import { BillingUpkeep } from "./domain/billing/billing-upkeep.ts";
import { NoticeMails } from "./domain/billing/notice.ts";
import { planUsagePercent } from "./domain/billing/plan-usage.ts";
import { readPrices } from "./domain/billing/price.ts";
import { ProviderUpkeep } from "./domain/billing/provider-upkeep.ts";
import { QuotaUpkeep } from "./domain/billing/quota-upkeep.ts";
import { UsageAnomalies } from "./domain/billing/usage-anomaly.ts";
import { UsageReconciliation } from "./domain/billing/usage-reconciliation.ts";
import { ActivationRefresh } from "./domain/bundle/activation-refresh.ts";
import { createGateKeeper } from "./domain/bundle/module.ts";
import { BundleRetention } from "./domain/bundle/retention.ts";
import { SigningKeys } from "./domain/bundle/signing-keys.ts";
import { AccountLocks } from "./domain/identity/account-lock.ts";
import { AccountUpkeep } from "./domain/identity/account-upkeep.ts";
import { Departures } from "./domain/identity/departure.ts";
import { MailDelivery, MailQueue } from "./domain/mail/mail-queue.ts";
import { QueueFill } from "./domain/measure/annotation/queue-fill.ts";
import { BenchmarkRun } from "./domain/measure/benchmark/benchmark-run.ts";
import { CalibrationRun } from "./domain/measure/calibration/calibration-run.ts";
import { eraseSamplesAbout } from "./domain/measure/dataset/dataset-erasure.ts";
import { DatasetRetention } from "./domain/measure/dataset/dataset-retention.ts";
import { sampleSeals } from "./domain/measure/dataset/dataset-sample.ts";
import { ImportRun } from "./domain/measure/dataset/import-run.ts";
import { shippedTrainingTexts } from "./domain/measure/dataset/training-text.ts";
import { ReplayRun } from "./domain/replay/replay-run.ts";
import { RunRetention } from "./domain/run/run-retention.ts";
import { RunWorker } from "./domain/run/run-worker.ts";
import { CheckpointSigning } from "./domain/telemetry/checkpoint-signing.ts";
import { ErasureKeys } from "./domain/telemetry/erasure-keys.ts";
import { ErasureRun } from "./domain/telemetry/erasure-run.ts";
import { EvidenceRetention } from "./domain/telemetry/evidence-retention.ts";
import { type Folded, StatFold } from "./domain/telemetry/stat-fold.ts";
import { TraceRetention } from "./domain/telemetry/trace-retention.ts";
import { TraceUpgrade } from "./domain/telemetry/trace-upgrade.ts";
import { attemptTimeoutMs } from "./domain/webhook/delivery.ts";
import { type AttemptResult, DeliveryAttempts } from "./domain/webhook/delivery-attempt.ts";
import { DeliveryUpkeep } from "./domain/webhook/delivery-upkeep.ts";
import { Dispatcher } from "./domain/webhook/dispatcher.ts";
import { externalSigner } from "./external-signer.ts";
import { gateMeasures } from "./gate-measures.ts";
import type { JobServices } from "./jobs/task.ts";
import { createOutbound, type Outbound } from "./kit/net/outbound/client.ts";
import { createNetworkGuard } from "./kit/net/outbound/guard.ts";
import type { Logger } from "./kit/observability/log.ts";
import type { Metrics } from "./kit/observability/metrics.ts";
import type { Clock } from "./kit/process/clock.ts";
import type { Config } from "./kit/process/config.ts";
import { createMailTransport, readMailSettings } from "./platform/mail.ts";
import { createSealer, parseMasterKeys, type Sealer } from "./platform/seal.ts";
import type { Database } from "./store/connection/database.ts";
import { unlockDeadPools } from "./store/core/worker-pool.ts";
import { connectStripe } from "./stripe-connection.ts";

/** Age from which the heartbeat of a pool whose session has ended counts as its death. */
const deadPoolMs = 60_000;

/** What a worker has before it builds them. */
export interface WorkerParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly analysis: Analysis;
  /** Called with what came of each request to a webhook. */
  readonly onAttempt: (result: AttemptResult) => void;
  /** Called after each fold of counts. */
  readonly onFold: (folded: Folded) => void;
  /** Called after each evaluation of alert rules. */
  readonly onAlerts: (evaluated: AlertsEvaluated) => void;
  /** Called for each month of an organization whose counts of usage differ. */
  readonly onUsageDifference: () => void;
  /** Called for each organization that stood otherwise than Stripe says. */
  readonly onProviderDifference: () => void;
  /** Called after each comparison of counts or customers, with how many differed. */
  readonly onReconciled: (what: "usage" | "provider", differences: number) => void;
  readonly metrics: Metrics;
}

function runKindsOf({
  database,
  sealer,
  analysis,
}: Pick<WorkerParts, "database" | "analysis"> & { readonly sealer: Sealer }) {
  const parts = { database, seals: sampleSeals(sealer), analysis };
  return {
    erasure: new ErasureRun(sealer, eraseSamplesAbout),
    replay: new ReplayRun({ database, sealer, analysis }),
    benchmark: new BenchmarkRun(parts),
    calibration: new CalibrationRun(parts),
  };
}

/** Builds them, and the client by which they reach other hosts. They live as long as the process. */
export function createJobServices(
  config: Config<typeof workerSchema>,
  { database, clock, log, metrics, analysis, ...parts }: WorkerParts,
): { readonly services: JobServices; readonly outbound: Outbound } {
  const { onAttempt, onFold, onAlerts, onUsageDifference, onProviderDifference, onReconciled } = parts;
  const sealer = createSealer({ masterKeys: parseMasterKeys(config.masterKey) });
  const guard = createNetworkGuard({ allowNetworks: config.allowNetworks ?? [], dnsServers: config.dnsServers ?? [] });
  const outbound = createOutbound({ guard, totalTimeoutMs: attemptTimeoutMs });
  const mail = readMailSettings(config);
  const mailer = mail && new MailQueue(database, { sealer, log });
  const graceMs = config.billingGraceMs;
  const stripe = connectStripe(config, { database, outbound, clock, log, metrics, mailer, graceMs });
  const attempts = new DeliveryAttempts(database, { sealer, outbound, clock, mailer });
  const importParts = { database, sealer, seals: sampleSeals(sealer), trainingTexts: shippedTrainingTexts() };
  const imports = new ImportRun(importParts, outbound);
  const { newTimeline } = config;
  const keys = new SigningKeys(database, sealer, externalSigner(config, outbound), { newTimeline });
  const statFold = new StatFold(database);
  const services = {
    log,
    clock,
    activations: new ActivationRefresh(database, keys),
    checkpoints: new CheckpointSigning(database, keys, clock),
    retention: new TraceRetention(database, clock, { partition: config.tracePartition }),
    evidenceRetention: new EvidenceRetention(database, clock, { partition: config.tracePartition }),
    bundleRetention: new BundleRetention(database, clock),
    dispatcher: new Dispatcher({ attempts, log, onResult: onAttempt }),
    upkeep: new DeliveryUpkeep(database, clock),
    accounts: new AccountUpkeep(database, clock),
    locks: new AccountLocks(database),
    mails: new MailDelivery({ sealer, clock, transport: mail && createMailTransport(mail) }),
    quotas: new QuotaUpkeep(database, { clock, mailer }),
    billing: new BillingUpkeep(database, clock, {
      prices: readPrices(config.stubPrices),
      graceMs,
      trialDays: config.stubTrialDays,
      mailer,
    }),
    provider: stripe && { ...stripe, upkeep: new ProviderUpkeep(database, { ...stripe, clock, log }) },
    onProviderDifference,
    onReconciled,
    departures: new Departures(database, { mailer }),
    statFold,
    alerts: new AlertEvaluation(database, {
      ...{ statFold, mailer, log },
      ...{ publicUrl: config.publicUrl, readPlanUsage: planUsagePercent },
    }),
    onAlerts,
    traceUpgrade: new TraceUpgrade(database, sealer),
    usageReconciliation: new UsageReconciliation(database),
    usageAnomalies: new UsageAnomalies(database, { mailer }),
    notices: new NoticeMails(database, { mailer }),
    onFold,
    onUsageDifference,
    runs: new RunWorker(database, {
      kinds: { ...runKindsOf({ database, sealer, analysis }), dataset_import: imports },
      ...{ clock, log },
    }),
    runRetention: new RunRetention(database, clock),
    queueFill: new QueueFill(database, clock, sealer),
    erasureKeys: new ErasureKeys(database, sealer),
    gateKeeper: createGateKeeper({ database, analysis, measures: gateMeasures({ database, clock }) }),
    imports,
    datasetRetention: new DatasetRetention(database),
    unlockDeadPools: () => unlockDeadPools(database, { silentMs: deadPoolMs }),
  };
  return { services, outbound };
}

// Defines the jobs of the worker: the name, the reader of the payload, the work, and the schedule.

import type { AlertEvaluation, AlertsEvaluated } from "../domain/alert/evaluation.ts";
import type { BillingUpkeep } from "../domain/billing/billing-upkeep.ts";
import type { NoticeMails } from "../domain/billing/notice.ts";
import type { ProviderChanges } from "../domain/billing/provider-change.ts";
import type { ProviderSync } from "../domain/billing/provider-sync.ts";
import type { ProviderUpkeep } from "../domain/billing/provider-upkeep.ts";
import type { QuotaUpkeep } from "../domain/billing/quota-upkeep.ts";
import type { UsageAnomalies } from "../domain/billing/usage-anomaly.ts";
import type { UsageReconciliation } from "../domain/billing/usage-reconciliation.ts";
import type { ActivationRefresh } from "../domain/bundle/activation-refresh.ts";
import type { GateKeeper } from "../domain/bundle/gate/gate.ts";
import type { BundleRetention } from "../domain/bundle/retention.ts";
import type { AccountLocks } from "../domain/identity/account-lock.ts";
import type { AccountUpkeep } from "../domain/identity/account-upkeep.ts";
import type { Departures } from "../domain/identity/departure.ts";
import type { JobName, JobPayloads } from "../domain/job.ts";
import type { MailDelivery } from "../domain/mail/mail-queue.ts";
import type { QueueFill } from "../domain/measure/annotation/queue-fill.ts";
import type { DatasetRetention } from "../domain/measure/dataset/dataset-retention.ts";
import type { ImportRun } from "../domain/measure/dataset/import-run.ts";
import type { RunRetention } from "../domain/run/run-retention.ts";
import type { RunWorker } from "../domain/run/run-worker.ts";
import type { CheckpointSigning } from "../domain/telemetry/checkpoint-signing.ts";
import type { ErasureKeys } from "../domain/telemetry/erasure-keys.ts";
import type { EvidenceRetention } from "../domain/telemetry/evidence-retention.ts";
import type { Folded, StatFold } from "../domain/telemetry/stat-fold.ts";
import type { TraceRetention } from "../domain/telemetry/trace-retention.ts";
import type { TraceUpgrade } from "../domain/telemetry/trace-upgrade.ts";
import type { DeliveryUpkeep } from "../domain/webhook/delivery-upkeep.ts";
import type { Dispatcher } from "../domain/webhook/dispatcher.ts";
import type { Logger } from "../kit/observability/log.ts";
import type { Clock } from "../kit/process/clock.ts";

/** What billing does at Stripe. */
export interface ProviderServices {
  readonly sync: ProviderSync;
  readonly changes: ProviderChanges;
  readonly upkeep: ProviderUpkeep;
}

/** The services that jobs call. */
export interface JobServices {
  readonly log: Logger;
  readonly clock: Clock;
  readonly activations: ActivationRefresh;
  readonly retention: TraceRetention;
  readonly evidenceRetention: EvidenceRetention;
  readonly checkpoints: CheckpointSigning;
  readonly bundleRetention: BundleRetention;
  readonly dispatcher: Dispatcher;
  readonly upkeep: DeliveryUpkeep;
  readonly accounts: AccountUpkeep;
  readonly locks: AccountLocks;
  readonly mails: MailDelivery;
  readonly quotas: QuotaUpkeep;
  readonly billing: BillingUpkeep;
  /** Undefined where Stripe is not connected. */
  readonly provider: ProviderServices | undefined;
  /** Called for each organization that stood otherwise than Stripe says. */
  readonly onProviderDifference: () => void;
  /** Called after each comparison of counts or customers, with how many differed. */
  readonly onReconciled: (what: "usage" | "provider", differences: number) => void;
  readonly departures: Departures;
  readonly statFold: StatFold;
  readonly traceUpgrade: TraceUpgrade;
  readonly usageReconciliation: UsageReconciliation;
  readonly usageAnomalies: UsageAnomalies;
  readonly notices: NoticeMails;
  readonly alerts: AlertEvaluation;
  /** Called after each evaluation of alert rules. */
  readonly onAlerts: (evaluated: AlertsEvaluated) => void;
  /** Called after each fold. */
  readonly onFold: (folded: Folded) => void;
  /** Called for each month of an organization whose counts differ. */
  readonly onUsageDifference: () => void;
  readonly runs: RunWorker;
  readonly runRetention: RunRetention;
  readonly queueFill: QueueFill;
  readonly erasureKeys: ErasureKeys;
  readonly gateKeeper: GateKeeper;
  readonly imports: ImportRun;
  readonly datasetRetention: DatasetRetention;
  /** Unlocks the jobs of pools that died. Returns the ids of those pools. */
  readonly unlockDeadPools: () => Promise<readonly string[]>;
}

/** When a job runs by itself, even if nobody enqueues it. */
export type Schedule =
  | { readonly cron: string; readonly backfillMs?: number }
  /** Twice a minute. graphile-worker's cron counts minutes. */
  | { readonly everySeconds: 30 };

/** A kind of job. It may run more than once for one cause, so it has to be idempotent. */
export interface Task<Name extends JobName = JobName> {
  readonly name: Name;
  readonly schedule?: Schedule;
  /** Reads the payload, which comes from a table. Throws when it does not have the type that belongs to the name. */
  readonly read: (payload: Readonly<Record<string, unknown>>) => JobPayloads[Name];
  readonly run: (services: JobServices, payload: JobPayloads[Name]) => Promise<void> | void;
}

/** A task as the runner sees it, whatever its payload is. */
export interface RunnableTask {
  readonly name: JobName;
  readonly schedule: Schedule | undefined;
  readonly run: (services: JobServices, payload: unknown) => Promise<void>;
}

/** Makes a task that hides the type of its payload. */
export function defineTask<Name extends JobName>({ name, schedule, read, run }: Task<Name>): RunnableTask {
  return {
    name,
    schedule,
    async run(services, payload) {
      if (typeof payload !== "object" || payload === null) throw new Error(`a ${name} job without a payload`);
      await run(services, read(Object.fromEntries(Object.entries(payload))));
    },
  };
}

/** Reads an empty payload. */
export function readNothing(): Readonly<Record<string, never>> {
  return {};
}

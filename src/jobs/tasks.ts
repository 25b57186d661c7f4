// Every job of the worker. Their payloads are declared in domain/job.ts.

import { advanceSubscriptions } from "./advance-subscriptions.ts";
import { applyProviderEvent } from "./apply-provider-event.ts";
import { closeMonth } from "./close-month.ts";
import { createPartitions } from "./create-partitions.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { endCustomer } from "./end-customer.ts";
import { endTokens } from "./end-tokens.ts";
import { evaluateAlerts, evaluateAlertsOf } from "./evaluate-alerts.ts";
import { fillQueue } from "./fill-queue.ts";
import { findUsageAnomaly } from "./find-usage-anomaly.ts";
import { finishBillingIntents } from "./finish-billing-intents.ts";
import { foldStats } from "./fold-stats.ts";
import { mailNotice } from "./mail-notice.ts";
import { makeErasureKeys } from "./make-erasure-keys.ts";
import { notifyQuotas } from "./notify-quotas.ts";
import { prepareGates } from "./prepare-gates.ts";
import { purgeAccounts } from "./purge-accounts.ts";
import { purgeBundles } from "./purge-bundles.ts";
import { purgeDataset } from "./purge-dataset.ts";
import { purgeDeliveries } from "./purge-deliveries.ts";
import { purgeEvidence } from "./purge-evidence.ts";
import { purgeOrganization } from "./purge-organization.ts";
import { purgeRuns } from "./purge-runs.ts";
import { purgeTraces } from "./purge-traces.ts";
import { reconcileProvider } from "./reconcile-provider.ts";
import { reconcileUsage } from "./reconcile-usage.ts";
import { recordLock } from "./record-lock.ts";
import { refreshActivations } from "./refresh-activations.ts";
import { sendMail } from "./send-mail.ts";
import { signCheckpoints } from "./sign-checkpoints.ts";
import { sweepDeliveries } from "./sweep-deliveries.ts";
import { sweepRuns } from "./sweep-runs.ts";
import type { RunnableTask } from "./task.ts";
import { unlockDeadPools } from "./unlock-dead-pools.ts";
import { upgradeTraces } from "./upgrade-traces.ts";
import { workRun } from "./work-run.ts";

/** Tasks whose lost jobs sweep-deliveries makes up for, so that their jobs may be prefetched. */
export const sweptTasks: readonly RunnableTask[] = [deliverWebhook];

/** All tasks of the worker. */
export const tasks: readonly RunnableTask[] = [
  deliverWebhook,
  sweepDeliveries,
  purgeDeliveries,
  purgeAccounts,
  unlockDeadPools,
  refreshActivations,
  createPartitions,
  purgeTraces,
  purgeEvidence,
  signCheckpoints,
  purgeBundles,
  purgeOrganization,
  purgeDataset,
  prepareGates,
  notifyQuotas,
  closeMonth,
  advanceSubscriptions,
  applyProviderEvent,
  finishBillingIntents,
  reconcileProvider,
  endCustomer,
  foldStats,
  evaluateAlerts,
  evaluateAlertsOf,
  reconcileUsage,
  findUsageAnomaly,
  mailNotice,
  upgradeTraces,
  sendMail,
  endTokens,
  recordLock,
  workRun,
  sweepRuns,
  purgeRuns,
  fillQueue,
  makeErasureKeys,
];

/** Tasks that take seconds. They have few places of their own, so that no mail waits for them. */
export const longTasks: readonly RunnableTask[] = [workRun, upgradeTraces];

/** Tasks whose jobs must not be lost. */
export const otherTasks: readonly RunnableTask[] = tasks.filter(
  (task) => !sweptTasks.includes(task) && !longTasks.includes(task),
);

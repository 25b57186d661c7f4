// Every job of the worker. Their payloads are declared in domain/job.ts.

import { createPartitions } from "./create-partitions.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { purgeAccounts } from "./purge-accounts.ts";
import { purgeBundles } from "./purge-bundles.ts";
import { purgeDeliveries } from "./purge-deliveries.ts";
import { purgeOrganization } from "./purge-organization.ts";
import { purgeTraces } from "./purge-traces.ts";
import { refreshActivations } from "./refresh-activations.ts";
import { sendMail } from "./send-mail.ts";
import { sweepDeliveries } from "./sweep-deliveries.ts";
import type { RunnableTask } from "./task.ts";
import { unlockDeadPools } from "./unlock-dead-pools.ts";

/** Tasks that sweep-deliveries makes up for: their jobs may be read ahead. */
export const sweptTasks: readonly RunnableTask[] = [deliverWebhook];

/** The tasks by which the worker is started. */
export const tasks: readonly RunnableTask[] = [
  deliverWebhook,
  sweepDeliveries,
  purgeDeliveries,
  purgeAccounts,
  unlockDeadPools,
  refreshActivations,
  createPartitions,
  purgeTraces,
  purgeBundles,
  purgeOrganization,
  sendMail,
];

/** Those of which each job counts. */
export const otherTasks: readonly RunnableTask[] = tasks.filter((task) => !sweptTasks.includes(task));

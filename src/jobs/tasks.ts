// Every job of the worker. Their payloads are declared in domain/job.ts.

import { deliverWebhook } from "./deliver-webhook.ts";
import { purgeDeliveries } from "./purge-deliveries.ts";
import { sweepDeliveries } from "./sweep-deliveries.ts";
import type { RunnableTask } from "./task.ts";
import { unlockDeadPools } from "./unlock-dead-pools.ts";

/** The tasks by which the worker is started. */
export const tasks: readonly RunnableTask[] = [deliverWebhook, sweepDeliveries, purgeDeliveries, unlockDeadPools];

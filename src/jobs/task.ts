// What a job is to the worker: a name, how its payload is read, what it does, and when it comes by itself.

import type { AccountUpkeep } from "../domain/account-upkeep.ts";
import type { Bundles } from "../domain/bundle.ts";
import type { BundleRetention } from "../domain/bundle-retention.ts";
import type { DeliveryUpkeep } from "../domain/delivery-upkeep.ts";
import type { Dispatcher } from "../domain/dispatcher.ts";
import type { JobName, JobPayloads } from "../domain/job.ts";
import type { MailDelivery } from "../domain/mail-queue.ts";
import type { TraceRetention } from "../domain/trace-retention.ts";
import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";

/** What jobs work with. */
export interface JobServices {
  readonly log: Logger;
  readonly clock: Clock;
  readonly bundles: Bundles;
  readonly retention: TraceRetention;
  readonly bundleRetention: BundleRetention;
  readonly dispatcher: Dispatcher;
  readonly upkeep: DeliveryUpkeep;
  readonly accounts: AccountUpkeep;
  readonly mails: MailDelivery;
  /** Unlocks the jobs of pools that died. Returns the ids of those pools. */
  readonly unlockDeadPools: () => Promise<readonly string[]>;
}

/** When a job comes by itself, whether or not anybody enqueues it. */
export type Schedule =
  | { readonly cron: string; readonly backfillMs?: number }
  /** Twice a minute. graphile-worker's cron counts minutes. */
  | { readonly everySeconds: 30 };

/** A kind of job. It may run more than once for one cause, so it has to be idempotent. */
export interface Task<Name extends JobName = JobName> {
  readonly name: Name;
  readonly schedule?: Schedule;
  /** Reads the payload, which comes from a table. Throws when it is not what the name promises. */
  readonly read: (payload: Readonly<Record<string, unknown>>) => JobPayloads[Name];
  readonly run: (services: JobServices, payload: JobPayloads[Name]) => Promise<void> | void;
}

/** A task as the runner sees it, whatever its payload is. */
export interface RunnableTask {
  readonly name: JobName;
  readonly schedule: Schedule | undefined;
  readonly run: (services: JobServices, payload: unknown) => Promise<void>;
}

/** The task, closed over the type of its payload. */
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

/** Reads a payload that carries nothing. */
export function readNothing(): Readonly<Record<string, never>> {
  return {};
}

// Runs graphile-worker with this project's tasks. Jobs are prefetched (its local queue: one statement fetches a hundred
// of them) only where a sweep finds the work of those that are lost when a process dies.

import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CronItem,
  parseCronItems,
  Logger as QueueLogger,
  type Runner as QueueRunner,
  run,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type { Pool } from "pg";
import type { Logger } from "../kit/observability/log.ts";
import { inJob } from "../kit/observability/tracing.ts";
import type { JobServices, RunnableTask } from "./task.ts";

/** What the runner needs. */
export interface RunnerOptions {
  /** Connections of the worker's login; at least `concurrency` and two more. */
  readonly pool: Pool;
  readonly tasks: readonly RunnableTask[];
  readonly services: JobServices;
  readonly log: Logger;
  /** Jobs at once. */
  readonly concurrency?: number;
  /** How often to look for jobs that were added for later. */
  readonly pollIntervalMs?: number;
  /**
   * Whether jobs are prefetched. Only for tasks that a sweep covers: when the process dies, prefetched jobs stay locked
   * for some time.
   */
  readonly isReadingAhead?: boolean;
  /** Called for each job that has ended. */
  readonly onJob?: (job: { readonly task: string; readonly failed: boolean }) => void;
  /** Tells other processes that the pool lives, until released. */
  readonly claim?: (poolId: string) => Promise<PoolClaim>;
}

/** A worker pool that runs until it is stopped. */
export interface Runner {
  /** The id that locks the jobs of the present pool. */
  readonly poolId: string;
  /** Takes no more jobs, and resolves when those that run have ended. */
  stop(): Promise<void>;
}

/** Tells other processes that a pool lives. */
export interface PoolClaim {
  release(): Promise<void>;
}

/** How graphile-worker is set up. */
export const queuePreset = {
  worker: {
    concurrentJobs: 8,
    /** How often to look for jobs that were added for later. */
    pollInterval: 1_000,
    // Ended jobs are recorded in batches. Without these delays, a failure to record the end of a job would end the
    // process unnoticed.
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
} as const;

/** How a pool that prefetches is set up. */
export const readAheadPreset = { worker: { ...queuePreset.worker, localQueue: { size: 100 } } } as const;

/** Name of the payload's field with which a cron item asks to come half a minute later. */
const delayField = "after_seconds";

/** Time before a pool that failed is replaced, and before each further try. */
const restartMs = 500;

/** Starts to run jobs. */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const runner = new PoolKeeper(options);
  await runner.start();
  return runner;
}

interface RunningPool {
  readonly id: string;
  readonly queue: QueueRunner;
  readonly claim: PoolClaim | undefined;
}

// A pool of graphile-worker ends for good, with nothing but a log line, when it cannot record that a job has ended: one
// connection that breaks at that moment is enough. This class then starts another pool.
class PoolKeeper implements Runner {
  readonly #options: RunnerOptions;
  readonly #stopping = new AbortController();
  #pool: RunningPool | undefined;
  #watch: Promise<void> = Promise.resolve();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  get poolId(): string {
    return this.#pool?.id ?? "";
  }

  async start(): Promise<void> {
    this.#pool = await this.#startPool();
    this.#watch = this.#keep();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watch;
  }

  async #startPool(): Promise<RunningPool> {
    const { queue, id } = await runPool(this.#options);
    try {
      return { queue, id, claim: await this.#options.claim?.(id) };
    } catch (err) {
      await queue.stop();
      throw err;
    }
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping;
    const stopped = once(signal);
    while (!signal.aborted) {
      const pool = this.#pool ?? (await this.#replace());
      if (pool === undefined) continue;
      const ended = pool.queue.promise.catch(() => undefined);
      await Promise.race([ended, stopped]);
      // A pool that ends by itself at this moment cannot be stopped, but its end can be waited for.
      if (signal.aborted) await pool.queue.stop().catch(() => ended);
      else this.#options.log.error({ poolId: pool.id }, "the worker pool failed; starting another");
      await this.#unlock(pool);
      await pool.claim?.release();
      this.#pool = undefined;
    }
  }

  async #replace(): Promise<RunningPool | undefined> {
    try {
      await sleep(restartMs, undefined, { signal: this.#stopping.signal });
      this.#pool = await this.#startPool();
      this.#options.log.info({ poolId: this.poolId }, "started another worker pool");
    } catch (err) {
      if (!this.#stopping.signal.aborted) this.#options.log.error({ err }, "no worker pool could be started");
    }
    return this.#pool;
  }

  // Its jobs have ended, but it may still hold locks: on jobs whose end it could not record, and on prefetched ones,
  // because a graceful stop of graphile-worker 0.18.0 does not wait until they are returned. Unlocked jobs run again:
  // handlers are idempotent.
  async #unlock({ id }: RunningPool): Promise<void> {
    const { log, pool } = this.#options;
    await pool
      .query("select graphile_worker.force_unlock_workers($1)", [[id]])
      // The job unlock-dead-pools finds them within a minute.
      .catch((err: unknown) => log.warn({ err, poolId: id }, "jobs of the ended pool stay locked for now"));
  }
}

function once(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

async function runPool(options: RunnerOptions): Promise<{ readonly queue: QueueRunner; readonly id: string }> {
  const { pool, tasks, services, log, isReadingAhead = false, onJob = () => {} } = options;
  const { concurrency = queuePreset.worker.concurrentJobs, pollIntervalMs = queuePreset.worker.pollInterval } = options;
  const events: WorkerEvents = new EventEmitter();
  let id = "";
  events.once("pool:create", ({ workerPool }) => {
    id = workerPool.id;
  });
  events.on("job:complete", ({ job, error }) => onJob({ task: job.task_identifier, failed: error != null }));
  const queue = await run({
    pgPool: pool,
    taskList: taskList(tasks, services),
    parsedCronItems: parseCronItems(tasks.flatMap(cronItems)),
    events,
    noHandleSignals: true,
    logger: queueLogger(log),
    preset: {
      worker: {
        ...(isReadingAhead ? readAheadPreset : queuePreset).worker,
        concurrentJobs: concurrency,
        pollInterval: pollIntervalMs,
      },
    },
  });
  if (id === "") throw new Error("graphile-worker did not tell the id of its pool");
  return { queue, id };
}

function taskList(tasks: readonly RunnableTask[], services: JobServices): TaskList {
  return Object.fromEntries(
    tasks.map((task) => [
      task.name,
      async (payload: unknown, { addJob, job }) => {
        const delaySeconds = delayOf(payload);
        if (delaySeconds === undefined)
          return inJob(`job: ${task.name}`, causeOf(payload), () => task.run(services, payload));
        const runAt = new Date(job.run_at.getTime() + delaySeconds * 1_000);
        await addJob(task.name, {}, { runAt, maxAttempts, jobKey: `${task.name}/later` });
      },
    ]),
  ) satisfies TaskList;
}

/** Attempts are counted when a job is locked, so a low number would let a dying process use them up. */
const maxAttempts = 25;

function cronItems({ name, schedule }: RunnableTask): CronItem[] {
  if (schedule === undefined) return [];
  if ("cron" in schedule) {
    const { cron, backfillMs = 0 } = schedule;
    return [{ task: name, match: cron, identifier: name, options: { maxAttempts, backfillPeriod: backfillMs } }];
  }
  const { everySeconds } = schedule;
  const everyMinute = { task: name, match: "* * * * *", options: { maxAttempts } };
  return [
    { ...everyMinute, identifier: name },
    { ...everyMinute, identifier: `${name}/later`, payload: { [delayField]: everySeconds } },
  ];
}

/** The traceparent of the call that enqueued a job; null for one that came by itself, or of a call without spans. */
function causeOf(payload: unknown): string | null {
  if (typeof payload !== "object" || payload === null || !("traceparent" in payload)) return null;
  return String(payload.traceparent);
}

function delayOf(payload: unknown): number | undefined {
  if (typeof payload !== "object" || payload === null || !(delayField in payload)) return undefined;
  return Number(payload[delayField]);
}

function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger((scope) => (level, message, meta) => {
    const { task, job } = { task: scope.taskIdentifier, job: scope.jobId };
    // Its level "info" is one line for each job.
    const ours = level === "info" ? "debug" : level === "warning" ? "warn" : level;
    log[ours]({ task, job, err: meta?.error }, message);
  });
}

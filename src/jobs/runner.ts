// graphile-worker with this project's tasks. Its pool of jobs is not read ahead (no local queue): handlers end within
// milliseconds, since deliveries are made beside them, and what is read ahead is lost to others when a process dies.

import { EventEmitter } from "node:events";
import {
  type CronItem,
  parseCronItems,
  Logger as QueueLogger,
  run,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type { Pool } from "pg";
import type { Logger } from "../kit/log.ts";
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
  /** How often jobs that were added for later are looked for. */
  readonly pollIntervalMs?: number;
  /** Hears of each job that has ended. */
  readonly onJob?: (job: { readonly task: string; readonly failed: boolean }) => void;
}

/** A running worker pool. */
export interface Runner {
  /** What jobs are locked by. */
  readonly poolId: string;
  /** Rejects when the pool fails for good. */
  readonly ended: Promise<void>;
  /** Takes no more jobs, and resolves when those that run have ended. */
  stop(): Promise<void>;
}

/** Name of the payload's field with which a cron item asks to come half a minute later. */
const delayField = "after_seconds";

/** Starts to work on jobs. */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { pool, tasks, services, log, concurrency = 8, pollIntervalMs = 1_000, onJob = () => {} } = options;
  const events: WorkerEvents = new EventEmitter();
  let poolId = "";
  events.once("pool:create", ({ workerPool }) => {
    poolId = workerPool.id;
  });
  events.on("job:complete", ({ job, error }) => onJob({ task: job.task_identifier, failed: error != null }));
  const runner = await run({
    pgPool: pool,
    taskList: taskList(tasks, services),
    parsedCronItems: parseCronItems(tasks.flatMap(cronItems)),
    events,
    noHandleSignals: true,
    logger: queueLogger(log),
    preset: {
      worker: { concurrentJobs: concurrency, pollInterval: pollIntervalMs, completeJobBatchDelay: 0 },
    },
  });
  if (poolId === "") throw new Error("graphile-worker did not tell the id of its pool");
  return { poolId, ended: runner.promise, stop: () => runner.stop() };
}

function taskList(tasks: readonly RunnableTask[], services: JobServices): TaskList {
  return Object.fromEntries(
    tasks.map((task) => [
      task.name,
      async (payload: unknown, { addJob, job }) => {
        const delaySeconds = delayOf(payload);
        if (delaySeconds === undefined) return task.run(services, payload);
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

function delayOf(payload: unknown): number | undefined {
  if (typeof payload !== "object" || payload === null || !(delayField in payload)) return undefined;
  return Number(payload[delayField]);
}

function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger((scope) => (level, message, meta) => {
    const { task, job } = { task: scope.taskIdentifier, job: scope.jobId };
    // What it calls information is one line a job.
    const ours = level === "info" ? "debug" : level === "warning" ? "warn" : level;
    log[ours]({ task, job, err: meta?.error }, message);
  });
}

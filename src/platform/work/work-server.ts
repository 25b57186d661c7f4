// A process of the work pool, seen from inside: it takes one job after another from its parent and is watched by a
// thread of its own.

import { writeFileSync } from "node:fs";
import { serialize } from "node:v8";
import { Worker } from "node:worker_threads";
import { Fault } from "../../kit/fault/fault.ts";
import type { WorkNews, WorkOrder, WorkOutcome } from "./work-message.ts";
import type { MonitorData } from "./work-monitor.ts";

/**
 * A job: a function of its input alone. `enter` names what it is about to do, so that an error can name what took too
 * long.
 */
export type Job = (input: never, enter: (phase: string) => void) => unknown;

const monitorMegabytes = 16;
/** A bound, since phases contain names that customers chose. */
const maxPhaseLength = 200;

/** Serves these jobs to the parent until it is gone. `maxMegabytes` is the most memory of the process. */
export function serveWork(
  jobs: Readonly<Record<string, Job>>,
  { maxMegabytes }: { readonly maxMegabytes: number },
): void {
  offerToEndFirst();
  const deadline = new Float64Array(new SharedArrayBuffer(8));
  watch({ deadline, maxBytes: maxMegabytes * 2 ** 20 });
  // Ctrl-C in a terminal reaches the whole process group. The parent ends this process when it no longer needs it.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  process.on("disconnect", () => process.exit(0));
  process.on("message", (order: WorkOrder) => {
    const { user, system } = process.cpuUsage();
    deadline[0] = user + system + order.cpuMs * 1_000;
    const outcome = outcomeOf(jobs, order);
    deadline[0] = 0;
    tell({ kind: "end", id: order.id, outcome, memoryBytes: process.memoryUsage.rss() });
  });
  tell({ kind: "ready" });
}

function outcomeOf(jobs: Readonly<Record<string, Job>>, { id, job, input, maxResultBytes }: WorkOrder): WorkOutcome {
  try {
    const work = Object.hasOwn(jobs, job) ? jobs[job] : undefined;
    if (work === undefined) throw new Error(`there is no job ${job}`);
    // The caller's types pair jobs with their inputs; a message has lost them.
    const answer = work(input as never, (phase) => tell({ kind: "phase", id, phase: phase.slice(0, maxPhaseLength) }));
    const result = serialize(answer);
    return result.byteLength > maxResultBytes ? { tooLargeBytes: result.byteLength } : { result };
  } catch (error) {
    if (error instanceof Fault) {
      const { reason, message, extra, headers } = error;
      return { fault: { reason, message, extra, headers } };
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { error: { message, stack } };
  }
}

function tell(news: WorkNews): void {
  process.send?.(news);
}

function watch(data: MonitorData): void {
  // This file runs as TypeScript, and as the JavaScript that is built from it.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const monitor = new Worker(new URL(`./work-monitor.${extension}`, import.meta.url), {
    name: "work-monitor",
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: monitorMegabytes },
  });
  // Without the monitor nothing would end a job.
  monitor.on("error", (error) => {
    throw error;
  });
  monitor.unref();
}

/** Lets the kernel end jobs first when the machine runs out of memory. Not every system permits it. */
function offerToEndFirst(): void {
  if (process.platform !== "linux") return;
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // The process works without it.
  }
}

// The thread that watches over the jobs of its process. It has an event loop of its own, so it sees a limit pass while
// the job keeps the main thread busy, and a signal ends the process whatever that thread is doing.

import { workerData } from "node:worker_threads";
import { cpuSignal, memorySignal } from "./work-message.ts";

/** What the thread is given. */
export interface MonitorData {
  /**
   * One number: the CPU time of the process, in microseconds, at which the current job exceeds its limit; 0 between
   * jobs.
   */
  readonly deadline: Float64Array;
  readonly maxBytes: number;
}

const intervalMs = 50;

const { deadline, maxBytes } = workerData as MonitorData;

setInterval(() => {
  const [endsAt = 0] = deadline;
  if (endsAt === 0) return;
  const { user, system } = process.cpuUsage();
  if (user + system > endsAt) process.kill(process.pid, cpuSignal);
  else if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, memorySignal);
}, intervalMs);

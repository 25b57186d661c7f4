// The worker as a process of its own, to be killed.

import { startNodeProcess } from "./node-process.ts";

/** A running worker. */
export interface WorkerProcess {
  readonly managementPort: number;
  /** The last lines that it wrote. */
  readonly lastLines: readonly string[];
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
  /** Asks it to end. Returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `src/worker.ts` and waits until it runs. */
export async function startWorkerProcess(env: Readonly<Record<string, string>>): Promise<WorkerProcess> {
  const started = await startNodeProcess({
    script: "src/worker.ts",
    env: { WORKER_MANAGEMENT_PORT: "0", ...env },
    readyMessage: "worker is running",
  });
  const { kill, stop } = started;
  return {
    managementPort: Number(started.facts.managementPort),
    get lastLines() {
      return started.lastLines;
    },
    ...{ kill, stop },
  };
}

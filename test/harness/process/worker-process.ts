// The worker as a process of its own, to be killed.

import { startNodeProcess } from "./node-process.ts";

/** A running worker. */
export interface WorkerProcess {
  readonly managementPort: number;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
  /** Asks it to end. Returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `src/worker.ts` and waits until it runs. */
export async function startWorkerProcess(env: Readonly<Record<string, string>>): Promise<WorkerProcess> {
  const { facts, kill, stop } = await startNodeProcess({
    script: "src/worker.ts",
    env: { WORKER_MANAGEMENT_PORT: "0", ...env },
    readyMessage: "worker is running",
  });
  return { managementPort: Number(facts.managementPort), kill, stop };
}

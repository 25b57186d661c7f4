// The worker as a process of its own, to be killed.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compileCacheVariables } from "./compile-cache.ts";

/** A running worker. */
export interface WorkerProcess {
  readonly pid: number;
  readonly managementPort: number;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
  /** Asks it to end. Returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `src/worker.ts` and waits until it runs. */
export async function startWorkerProcess(env: Readonly<Record<string, string>>): Promise<WorkerProcess> {
  const script = fileURLToPath(new URL("../../src/worker.ts", import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, WORKER_MANAGEMENT_PORT: "0", LOG_LEVEL: "info", ...compileCacheVariables, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const managementPort = await runningPort(child);
  const { pid } = child;
  if (pid === undefined) throw new Error("the worker has no process id");
  return {
    pid,
    managementPort,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}

async function runningPort(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error("the worker's output is not read");
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    const seen: string[] = [];
    lines.on("line", (line) => {
      seen.push(line);
      const { msg, managementPort } = JSON.parse(line);
      if (msg === "worker is running") resolve(managementPort);
    });
    child.once("exit", (code) => reject(new Error(`the worker ended with ${code}:\n${seen.join("\n")}`)));
  });
}

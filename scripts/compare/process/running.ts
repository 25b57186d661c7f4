// A program that runs until it is stopped.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { until } from "../call.ts";

/** How long a program may take to be ready, and to end. */
const limitMs = 300_000;

const running = new Set<ChildProcess>();

/** Remembers a program that was started, so that `stopAll` ends it. */
export function remembered(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Ends all programs that run, for a tool that is ended itself. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stopped));
}

/** Waits until the management port says that the program can work. */
export async function untilReady(child: ChildProcess, managementPort: number, logFile: string): Promise<void> {
  await until(`readiness (see ${logFile})`, limitMs, async () => {
    if (child.exitCode !== null) throw new Error(`the program ended:\n${readFileSync(logFile, "utf8").slice(-2_000)}`);
    try {
      return (await fetch(`http://127.0.0.1:${managementPort}/readyz`)).ok ? true : undefined;
    } catch {
      return undefined; // not listening yet
    }
  });
}

/** Asks the program to end, and waits for it. */
export async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const impatience = setTimeout(() => child.kill("SIGKILL"), limitMs);
  await exit;
  clearTimeout(impatience);
}

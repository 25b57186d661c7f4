// Processes of this machine.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type ProcessStamp, processStamp, statFields } from "../src/kit/process/process-stamp.ts";

/**
 * The npm that runs this process as a script; undefined when none does. npm ends at once on a signal and does not pass
 * it on: a script that wants to end with npm has to watch it.
 */
export function callingNpm(): ProcessStamp | undefined {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  // npm starts scripts through a shell; most shells make room for the script's own process.
  const isShell = /^(sh|dash|bash|ash)$/.test(commandName(process.ppid));
  return processStamp(isShell ? Number(statFields(process.ppid)[1]) : process.ppid);
}

/** Sends a signal. A process that is already gone is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Whether the promise resolves within the limit. */
export async function within(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const abort = new AbortController();
  const late = sleep(limitMs, false, { signal: abort.signal }).catch(() => false);
  const isDone = await Promise.race([promise.then(() => true), late]);
  abort.abort();
  return isDone;
}

function commandName(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

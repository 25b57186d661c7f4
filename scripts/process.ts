// Processes of this machine.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process id, and what distinguishes the process from a later one with the same id. */
export interface ProcessStamp {
  readonly pid: number;
  /** Clock ticks between the machine's start and the process's; "" when there is no such process. */
  readonly startedAt: string;
}

/** The stamp of the process that has this id now. */
export function processStamp(pid: number): ProcessStamp {
  return { pid, startedAt: statFields(pid)[19] ?? "" };
}

/**
 * The npm that runs us as a script; undefined when none does. It ends at once when it is asked to, and tells nobody:
 * who wants to end with it has to look.
 */
export function callingNpm(): ProcessStamp | undefined {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  // npm starts scripts through a shell; most shells make room for the script's own process.
  const isShell = /^(sh|dash|bash|ash)$/.test(commandName(process.ppid));
  return processStamp(isShell ? Number(statFields(process.ppid)[1]) : process.ppid);
}

/** Whether the stamped process still runs. */
export function isRunning(stamp: ProcessStamp): boolean {
  return stamp.startedAt !== "" && processStamp(stamp.pid).startedAt === stamp.startedAt;
}

/** Sends a signal; a process that is already gone is what was wanted. */
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

/** The fields of proc_pid_stat(5) from the third on; the second is in brackets and may contain spaces. */
function statFields(pid: number): string[] {
  return readProc(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
}

function commandName(pid: number): string {
  return readProc(pid, "comm").trim();
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

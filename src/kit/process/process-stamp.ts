// Processes of this machine, told apart even when a later one gets the id of an earlier one.

import { readFileSync } from "node:fs";

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

/** Whether the stamped process still runs. */
export function isRunning(stamp: ProcessStamp): boolean {
  return stamp.startedAt !== "" && processStamp(stamp.pid).startedAt === stamp.startedAt;
}

/** The fields of proc_pid_stat(5) from the third on; the second is in brackets and may contain spaces. */
export function statFields(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    return [];
  }
}

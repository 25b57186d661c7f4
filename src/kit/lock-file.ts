// A lock that a process holds for as long as it lives: a file with the stamp of its holder. One that was left behind by a
// process that is gone is taken over.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isRunning, type ProcessStamp, processStamp } from "./process-stamp.ts";

/** A lock that we hold. */
export interface Lock {
  /** Whether a process that was killed had left it behind. */
  readonly wasStale: boolean;
  release(): void;
}

/** Takes the lock; answers the id of the process that has it, when that one still runs. Its folder has to be there. */
export function takeLockFile(file: string): Lock | { readonly heldBy: number } {
  const own = `${file}.${process.pid}`;
  let wasStale = false;
  writeFileSync(own, JSON.stringify(processStamp(process.pid)));
  try {
    // A link appears with its content, so that nobody reads half a lock.
    while (!tryLink(own, file)) {
      const holder = readHolder(file);
      if (holder !== undefined && isRunning(holder)) return { heldBy: holder.pid };
      wasStale = true;
      setAside(file);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return { wasStale, release: () => rmSync(file, { force: true }) };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function readHolder(file: string): ProcessStamp | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Released at this moment, or damaged: in both cases nobody holds it.
    return undefined;
  }
}

/** Removes a stale lock. Renaming is atomic: of several that find it stale, one removes it. */
function setAside(file: string): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    rmSync(aside, { force: true });
  } catch {
    // Another process was faster.
  }
}

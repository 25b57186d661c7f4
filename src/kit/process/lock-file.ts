// A lock that a process holds for as long as it lives: a file with the stamp of its holder. One that was left behind by
// a process that is gone is taken over.

import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { isDiskFull } from "./disk-full.ts";
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
  try {
    const place = placing(own, JSON.stringify(processStamp(process.pid)));
    while (!isPlaced(() => place(file))) {
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

/** How a lock with this content comes into its place: at once and whole, so that nobody reads half of it. */
function placing(own: string, content: string): (file: string) => void {
  try {
    writeFileSync(own, content);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    // A symbolic link needs no room for its content, which is the place that it leads to. Whoever has no room starts
    // all the same.
    return (file) => symlinkSync(content, file);
  }
  return (file) => linkSync(own, file);
}

function isPlaced(place: () => void): boolean {
  try {
    place();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function readHolder(file: string): ProcessStamp | undefined {
  try {
    return JSON.parse(contentOf(file));
  } catch {
    // Released at this moment, or damaged: in both cases nobody holds it.
    return undefined;
  }
}

function contentOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return readFileSync(file, "utf8");
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

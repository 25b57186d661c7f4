// The log files of the parts. Their size is limited, because nobody maintains them on a machine for trials.

import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { isDiskFull } from "../../src/kit/process/disk-full.ts";

const maxSizeBytes = 32 * 1024 * 1024;

/**
 * Keeps each log file below a size: its content moves to `<name>.1`. Writers append, so they go on at the new end. A
 * file that cannot be moved stays.
 */
export function rotateLogs(folder: string, limitBytes = maxSizeBytes, copy = copyFileSync): void {
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".log"))) {
    const file = join(folder, name);
    if (statSync(file).size <= limitBytes) continue;
    if (mayGo(file, copy)) truncateSync(file);
  }
}

/** Whether the content may go: it is in the predecessor, or the disk has no room for it twice. */
function mayGo(file: string, copy: typeof copyFileSync): boolean {
  try {
    copy(file, `${file}.1`);
    return true;
  } catch (error) {
    return isDiskFull(error);
  }
}

/** The last lines of a log file after this offset, for the terminal: the output of a process before it failed. */
export function lastLines(file: string, fromByte: number, count = 12): string {
  if (!existsSync(file)) return "";
  const text = readFileSync(file).subarray(fromByte).toString("utf8");
  return text
    .trimEnd()
    .split("\n")
    .slice(-count)
    .map((line) => `  ${plainLine(line)}`)
    .join("\n");
}

/** The size of a log file now. */
export function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** A structured line as a person reads it: the message, and the error's. */
function plainLine(line: string): string {
  try {
    const entry: { msg?: unknown; err?: { message?: unknown } } = JSON.parse(line);
    const parts = [entry.msg, entry.err?.message].filter((part) => typeof part === "string" && part !== "");
    return parts.length === 0 ? line : parts.join(": ");
  } catch {
    return line;
  }
}

// Where the lines of a log go: a file descriptor, without ever holding up the process. Lines wait in memory while nobody reads them, up to a
// limit; when nobody will ever read them, they are let go. pino's own stream tries for ever when its reader has gone by the time the
// process exits, so that the process stays.

import { write, writeSync } from "node:fs";

/** Bounds of what waits. */
export interface LogStreamOptions {
  /** Bytes of lines that wait at most; what comes then is left out, and counted in a line of its own. Default: 16 MiB. */
  readonly mostBytes?: number;
  /** How long an exit waits for a reader that does not read. Default: one second. */
  readonly exitMs?: number;
  /** Time from one try to the next while the reader is busy. Default: 50 milliseconds. */
  readonly retryMs?: number;
}

const chunkBytes = 64 * 1024;

/** Lines on their way to a file descriptor. */
export class LogStream {
  readonly #descriptor: number;
  readonly #mostBytes: number;
  readonly #exitMs: number;
  readonly #retryMs: number;
  /** What waits, and its bytes. */
  #lines: string[] = [];
  #bytes = 0;
  #leftOut = 0;
  /** What is being written; undefined when nothing is. */
  #chunk: Buffer | undefined;
  /** Runs while the chunk waits for a reader that was busy, so that the system does not have it yet. */
  #retry: NodeJS.Timeout | undefined;
  #isBroken = false;
  #onEmpty: (() => void)[] = [];

  constructor(descriptor: number, options: LogStreamOptions = {}) {
    const { mostBytes = 16 * 1024 * 1024, exitMs = 1_000, retryMs = 50 } = options;
    this.#descriptor = descriptor;
    this.#mostBytes = mostBytes;
    this.#exitMs = exitMs;
    this.#retryMs = retryMs;
  }

  /** Takes a line, with its end. */
  write(line: string): void {
    if (this.#isBroken) return;
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > this.#mostBytes) {
      this.#leftOut++;
      return;
    }
    this.#bytes += bytes;
    this.#lines.push(line);
    if (this.#chunk === undefined) this.#begin();
  }

  /** Calls back when all lines of before are written, or never will be. */
  flush(done: () => void): void {
    if (this.#chunk === undefined) done();
    else this.#onEmpty.push(done);
  }

  /**
   * Writes what waits here and now, for a process that exits. A write that is under way is the system's already. A pipe that is full, and that
   * nobody reads, may hold this up: whoever can wait flushes before, and gives up.
   */
  flushSync(): void {
    const endMs = performance.now() + this.#exitMs;
    const refused = this.#takeBack();
    let rest = refused ?? this.#take();
    while (!this.#isBroken && rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest));
        if (rest.length === 0) rest = this.#take();
      } catch (error) {
        if (!isBusy(error) || performance.now() > endMs) this.giveUp();
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, this.#retryMs);
      }
    }
    // Nothing is under way any more: whoever waits for that is told.
    if (refused !== undefined) this.#begin();
  }

  /** The chunk that waits for a busy reader, which is from now on the caller's to write; undefined when none does. */
  #takeBack(): Buffer | undefined {
    if (this.#retry === undefined) return undefined;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    return this.#chunk;
  }

  #begin(): void {
    const chunk = this.#take();
    if (chunk.length > 0) {
      this.#send(chunk);
      return;
    }
    this.#chunk = undefined;
    const waiting = this.#onEmpty;
    this.#onEmpty = [];
    for (const done of waiting) done();
  }

  #send(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#retry = undefined;
    write(this.#descriptor, chunk, (error, written) => {
      if (isBusy(error)) {
        this.#retry = setTimeout(() => this.#send(chunk), this.#retryMs);
        return;
      }
      if (error !== null) this.giveUp();
      const rest = chunk.subarray(written);
      if (error === null && rest.length > 0) this.#send(rest);
      else this.#begin();
    });
  }

  /** The next lines, as many as are written at once; empty when none wait. */
  #take(): Buffer {
    if (this.#leftOut > 0) {
      this.#lines.push(`${JSON.stringify({ level: "warn", msg: "lines were left out", lines: this.#leftOut })}\n`);
      this.#leftOut = 0;
    }
    let count = 0;
    for (let length = 0; count < this.#lines.length && length < chunkBytes; count++)
      length += this.#lines[count]?.length ?? 0;
    const chunk = Buffer.from(this.#lines.splice(0, count).join(""));
    this.#bytes = Math.max(0, this.#bytes - chunk.length);
    return chunk;
  }

  /** Lets go of everything, from now on: nobody reads it. */
  giveUp(): void {
    this.#isBroken = true;
    this.#lines = [];
    this.#leftOut = 0;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EBUSY");
}

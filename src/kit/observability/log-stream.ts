// Writes log lines to a file descriptor without ever blocking the process. While nobody reads, lines wait in memory, up
// to a limit; once the reader is gone for good, they are dropped. pino's own stream retries for ever when its reader is
// gone by the time the process exits, so that the process never ends.

import { write, writeSync } from "node:fs";

/** Bounds of the lines that wait. */
export interface LogStreamOptions {
  /**
   * Maximum size of the lines that wait. Further lines are dropped, and a line of its own says how many. Default: 16
   * MiB.
   */
  readonly maxBytes?: number;
  /** How long an exit waits for a reader that does not read. Default: one second. */
  readonly exitMs?: number;
  /** Time from one try to the next while the reader is busy. Default: 50 milliseconds. */
  readonly retryMs?: number;
}

const chunkBytes = 64 * 1024;

/** Lines on their way to a file descriptor. */
export class LogStream {
  readonly #descriptor: number;
  readonly #maxBytes: number;
  readonly #exitMs: number;
  readonly #retryMs: number;
  /** The lines that wait, and their size. */
  #lines: string[] = [];
  #bytes = 0;
  #leftOut = 0;
  /** The bytes that are being written; undefined when nothing is. */
  #chunk: Buffer | undefined;
  /** Set while the chunk waits for a busy reader: the system has not taken it yet. */
  #retry: NodeJS.Timeout | undefined;
  #isBroken = false;
  #onEmpty: (() => void)[] = [];

  constructor(descriptor: number, options: LogStreamOptions = {}) {
    const { maxBytes: mostBytes = 16 * 1024 * 1024, exitMs = 1_000, retryMs = 50 } = options;
    this.#descriptor = descriptor;
    this.#maxBytes = mostBytes;
    this.#exitMs = exitMs;
    this.#retryMs = retryMs;
  }

  /** Queues a line, which ends in a line break. */
  write(line: string): void {
    if (this.#isBroken) return;
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > this.#maxBytes) {
      this.#leftOut++;
      return;
    }
    this.#bytes += bytes;
    this.#lines.push(line);
    if (this.#chunk === undefined) this.#begin();
  }

  /** Calls back once all earlier lines are written or dropped. */
  flush(done: () => void): void {
    if (this.#chunk === undefined) done();
    else this.#onEmpty.push(done);
  }

  /**
   * Writes the waiting lines synchronously, for a process that exits. A write that has begun is left to the system. A
   * full pipe that nobody reads may block this call: a caller that can wait calls `flush` first, and then gives up.
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
    // Nothing is being written any more: tell the callers of flush().
    if (refused !== undefined) this.#begin();
  }

  /** Takes the chunk that waits for a busy reader, for the caller to write; undefined when none waits. */
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

  /** Takes the lines for one write; empty when none wait. */
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

  /** Drops all lines from now on: nobody reads them. */
  giveUp(): void {
    this.#isBroken = true;
    this.#lines = [];
    this.#leftOut = 0;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EBUSY");
}

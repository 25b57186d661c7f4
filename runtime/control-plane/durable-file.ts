// A small file that a process replaces as a whole. A disk that refuses it must not stop the process: the content is in
// force already, and is written as soon as the disk takes it again.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Options of a durable file. */
export interface DurableFileOptions {
  /**
   * Called with the error when the disk starts to refuse the content, and with undefined when it has taken it again.
   */
  readonly onProblem?: (error: unknown) => void;
  /** Time from one try to the next. Default: five seconds. */
  readonly retryMs?: number;
}

/** One file, whose newest content is on disk, or is written as soon as possible. */
export class DurableFile {
  readonly path: string;
  readonly #onProblem: (error: unknown) => void;
  readonly #retryMs: number;
  /** Content that is not on disk yet; undefined when all of it is. */
  #unsaved: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, { onProblem = () => undefined, retryMs = 5_000 }: DurableFileOptions = {}) {
    this.path = path;
    this.#onProblem = onProblem;
    this.#retryMs = retryMs;
  }

  /** The content on disk; undefined when there is no file. Throws when the file cannot be read. */
  read(): string | undefined {
    try {
      return readFileSync(this.path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Replaces the content: at once or, while the disk refuses it, as soon as possible. */
  keep(content: string): void {
    const wasRefused = this.#unsaved !== undefined;
    this.#unsaved = content;
    try {
      replaceFile(this.path, content);
    } catch (error) {
      this.#timer ??= setInterval(() => this.#retry(), this.#retryMs).unref();
      if (!wasRefused) this.#onProblem(error);
      return;
    }
    this.#unsaved = undefined;
    this.#stopTrying();
    if (wasRefused) this.#onProblem(undefined);
  }

  /** Tries a last time when content is not on disk yet, and ends the retries. */
  close(): void {
    this.#retry();
    this.#stopTrying();
  }

  #retry(): void {
    if (this.#unsaved !== undefined) this.keep(this.#unsaved);
  }

  #stopTrying(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * Replaces a file so that a crash leaves the old or the new content, never a part of it. Throws when the disk refuses
 * it.
 */
export function replaceFile(path: string, content: string): void {
  const file = openSync(`${path}.new`, "w", 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}

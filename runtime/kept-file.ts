// A small file that a process replaces as a whole, and that must not stop the process when the disk refuses it: what it holds is in force by
// then, and is written as soon as the disk takes it again.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** How a kept file is kept. */
export interface KeptFileOptions {
  /** Told when the disk begins to refuse the content, with its error, and when it has taken it again, with undefined. */
  readonly onProblem?: (error: unknown) => void;
  /** Time from one try to the next. Default: five seconds. */
  readonly retryMs?: number;
}

/** One file, of which the disk has the newest content, or will have. */
export class KeptFile {
  readonly path: string;
  readonly #onProblem: (error: unknown) => void;
  readonly #retryMs: number;
  /** What the disk does not have yet; undefined when it has everything. */
  #unsaved: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, { onProblem = () => undefined, retryMs = 5_000 }: KeptFileOptions = {}) {
    this.path = path;
    this.#onProblem = onProblem;
    this.#retryMs = retryMs;
  }

  /** The content on disk; undefined when there is no file. Throws when there is one that cannot be read. */
  read(): string | undefined {
    try {
      return readFileSync(this.path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Replaces the content, at once or, when the disk refuses it, as soon as it no longer does. */
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

  /** Tries once more when the disk does not have everything, and never again. */
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

/** Replaces a file so that after a crash it has the old or the new content, never a part of it. Throws when the disk refuses it. */
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

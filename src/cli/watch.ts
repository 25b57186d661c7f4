// Runs something again whenever files change. Folders are watched, not files, since editors save by renaming. Changes
// that come together are one, runs never overlap, and at most one more run waits.

import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileFailure } from "./failure.ts";

const quietMs = 100;

/** What is watched. */
export interface Watched {
  readonly folders: readonly string[];
  /** Whether a change of this path matters. */
  readonly concerns: (path: string) => boolean;
}

/**
 * Calls `run` at once, and again after each change in the folders that it asks to watch, until the signal aborts. It
 * asks before it reads anything, so that no change is missed. A burst of changes is waited for, but no longer than a
 * second.
 */
export async function runOnChange(run: (watch: (what: Watched) => void) => void, signal: AbortSignal): Promise<void> {
  const changes = new Changes();
  signal.addEventListener("abort", () => changes.close(), { once: true });
  try {
    while (!signal.aborted) {
      run((what) => changes.watch(what));
      await changes.next();
    }
  } finally {
    changes.close();
  }
}

/** Notices changes in folders. */
class Changes {
  readonly #watchers = new Map<string, FSWatcher>();
  #concerns: Watched["concerns"] = () => true;
  #count = 0;
  #isClosed = false;
  #wake: () => void = () => {};

  /** Watches these folders and no others. */
  watch({ folders, concerns }: Watched): void {
    this.#concerns = concerns;
    for (const [folder, watcher] of this.#watchers) if (!folders.includes(folder)) this.#drop(folder, watcher);
    for (const folder of folders) if (!this.#watchers.has(folder) && !this.#isClosed) this.#add(folder);
  }

  /** Resolves when something has changed since the last call and the changes have ended. */
  async next(): Promise<void> {
    if (this.#count === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    for (let waited = 0, seen = -1; seen !== this.#count && waited < 10 && !this.#isClosed; waited++) {
      seen = this.#count;
      await sleep(quietMs);
    }
    this.#count = 0;
  }

  /** Stops watching, and resolves pending waits. */
  close(): void {
    this.#isClosed = true;
    for (const [folder, watcher] of this.#watchers) this.#drop(folder, watcher);
    this.#wake();
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, (_, name) => {
        if (name === null || this.#concerns(join(folder, name))) this.#changed();
      });
      // The folder went away: the next run finds out whether that matters.
      watcher.on("error", () => {
        this.#drop(folder, watcher);
        this.#changed();
      });
      this.#watchers.set(folder, watcher);
    } catch (error) {
      throw fileFailure(folder, error);
    }
  }

  #drop(folder: string, watcher: FSWatcher): void {
    watcher.close();
    this.#watchers.delete(folder);
  }

  #changed(): void {
    this.#count++;
    this.#wake();
  }
}

// Keeps one part running: whatever ends it, it is started again, at growing intervals.

import { setTimeout as sleep } from "node:timers/promises";
import type { Running } from "./child.ts";

/** A part that is kept running. */
export interface Kept {
  readonly name: string;
  /** The part as it runs now; undefined between its end and its next start. */
  current(): Running | undefined;
  /** Ends it for good. */
  stop(limitMs: number): Promise<void>;
}

/** What to keep running, and whom to tell. */
export interface KeeperOptions {
  readonly name: string;
  start(): Promise<Running>;
  tell(line: string): void;
  /** First pause before a restart; doubles with each early end. */
  readonly firstPauseMs?: number;
}

const longestPauseMs = 10_000;
/** What has run this long is healthy: the next pause is the first one again. */
const healthyMs = 30_000;

/** Starts a part and keeps it running. The first start has to succeed. */
export async function keepRunning(options: KeeperOptions): Promise<Kept> {
  const { name, tell, firstPauseMs = 250 } = options;
  const abort = new AbortController();
  let current: Running | undefined = await options.start();
  const startAgain = async (): Promise<Running | undefined> => {
    try {
      return await options.start();
    } catch (error) {
      tell(`${name} could not be started: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const watch = async (): Promise<void> => {
    let pauseMs = firstPauseMs;
    while (!abort.signal.aborted) {
      const startedAtMs = performance.now();
      const ending = (await current?.exited) ?? "no start";
      current = undefined;
      if (abort.signal.aborted) return;
      if (performance.now() - startedAtMs > healthyMs) pauseMs = firstPauseMs;
      tell(`${name} ended (${ending}); starting it again`);
      await sleep(pauseMs, undefined, { signal: abort.signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      if (!abort.signal.aborted) current = await startAgain();
    }
  };
  const watching = watch();
  return {
    name,
    current: () => current,
    async stop(limitMs) {
      abort.abort();
      await current?.stop(limitMs);
      await watching;
      // A start that was under way when we were asked to stop.
      await current?.stop(limitMs);
    },
  };
}

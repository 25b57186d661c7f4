// Keeps one part running: it is started again whenever it ends, at growing intervals.

import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs } from "../../src/kit/process/back-off.ts";
import type { Running } from "./child.ts";

/** A part that is kept running. */
export interface Kept {
  readonly name: string;
  /** The part as it runs now; undefined between its end and its next start. */
  current(): Running | undefined;
  /** Ends it for good. */
  stop(limitMs: number): Promise<void>;
}

/** The part to keep running, and where to report. */
export interface KeeperOptions {
  readonly name: string;
  start(): Promise<Running>;
  tell(line: string): void;
  /** First pause before a restart; doubles with each early end. */
  readonly firstPauseMs?: number;
}

const maxPauseMs = 10_000;
/** A part that ran for longer than this is healthy: the next pause is the first one again. */
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
    // Pauses since the part was healthy.
    let pauses = 0;
    while (!abort.signal.aborted) {
      const startedAtMs = performance.now();
      const ending = (await current?.exited) ?? "no start";
      current = undefined;
      if (abort.signal.aborted) return;
      if (performance.now() - startedAtMs > healthyMs) pauses = 0;
      tell(`${name} ended (${ending}); starting it again`);
      const pauseMs = backOffMs(pauses++, { baseMs: firstPauseMs, maxMs: maxPauseMs });
      await sleep(pauseMs, undefined, { signal: abort.signal }).catch(() => {});
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

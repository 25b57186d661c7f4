// Shutdown in a stated order, each step with its time limit, all of it within the time that orchestrators grant (30 s
// in Kubernetes, so 25 s here).

import { setTimeout as sleep } from "node:timers/promises";
import { flushLog, type Logger } from "../observability/log.ts";

/** One step of a shutdown. */
export interface ShutdownStep {
  readonly name: string;
  readonly timeoutMs: number;
  /** Its signal aborts when the time is up; the next step begins then, whether or not this one has ended. */
  run(signal: AbortSignal): Promise<unknown> | unknown;
}

/** How a process ends. */
export interface ShutdownOptions {
  readonly log: Logger;
  /** The steps, in their order. */
  readonly steps: readonly ShutdownStep[];
  /** Time for all steps together. */
  readonly totalTimeoutMs?: number;
  /** Ends the process. */
  readonly exit?: (code: number) => void;
}

/** The signals that ask a process to end. */
const signals = ["SIGTERM", "SIGINT"] as const;
// npm forwards a signal that the terminal has already sent to the whole process group, so Ctrl-C arrives twice at once.
// Only a second signal after this time is a person who has had enough.
const echoMs = 1_000;

/**
 * Waits while balancers notice that the process is no longer ready. 0 where there is no balancer, as with `npm start`.
 */
export function drainDelay(delayMs: number): ShutdownStep {
  return {
    name: "drain delay",
    timeoutMs: delayMs + 1_000,
    run: (signal) => sleep(delayMs, undefined, { signal }),
  };
}

/** Shuts down at SIGTERM or SIGINT. A second signal ends the process at once with code 1. */
export function shutDownOnSignal(options: ShutdownOptions): void {
  const { log, exit = process.exit } = options;
  let startedAt: number | undefined;
  for (const name of signals) {
    process.on(name, () => {
      if (startedAt !== undefined) {
        if (performance.now() - startedAt < echoMs) return;
        log.warn({ signal: name }, "second signal: exit without finishing");
        void flushLog(log).then(() => exit(1));
        return;
      }
      startedAt = performance.now();
      log.info({ signal: name }, "shutting down");
      void shutDown(options).then(exit);
    });
  }
}

/** Runs the steps in their order. Resolves to the exit code: 0, or 1 when a step failed or took too long. */
export async function shutDown({ log, steps, totalTimeoutMs = 25_000 }: ShutdownOptions): Promise<number> {
  const startedAt = performance.now();
  let code = 0;
  for (const step of steps) {
    const leftMs = Math.max(0, totalTimeoutMs - (performance.now() - startedAt));
    if (!(await runStep(step, Math.min(step.timeoutMs, leftMs), log))) code = 1;
  }
  log.info({ durationMs: Math.round(performance.now() - startedAt), code }, "shut down");
  await flushLog(log);
  return code;
}

async function runStep(step: ShutdownStep, timeoutMs: number, log: Logger): Promise<boolean> {
  const startedAt = performance.now();
  const abort = new AbortController();
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`not done within ${Math.round(timeoutMs)} ms`);
    abort.abort(error);
    limit.reject(error);
  }, timeoutMs);
  try {
    await Promise.race([limit.promise, Promise.resolve().then(() => step.run(abort.signal))]);
    log.info({ step: step.name, durationMs: Math.round(performance.now() - startedAt) }, "shutdown step done");
    return true;
  } catch (err) {
    log.error({ step: step.name, err }, "shutdown step failed");
    return false;
  } finally {
    clearTimeout(timer);
  }
}

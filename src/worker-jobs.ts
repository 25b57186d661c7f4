// The jobs of a worker run while its database is one that they may work on. A worker outlives a restore in place: its
// connections break, and the next ones are to an earlier moment, from which jobs would deliver and sign what runtimes
// and witnesses contradict. So it stops them until the operator has said how to go on.

import { setTimeout as sleep } from "node:timers/promises";
import type { Runner } from "./jobs/runner.ts";
import type { Logger } from "./kit/observability/log.ts";
import { isRestored } from "./restore-check.ts";
import { untilPassed } from "./schema-check.ts";

/** How often the database is looked at. What is signed meanwhile is refused by its own transaction. */
const lookMs = 2_000;

/** What jobs are run with. */
export interface WorkerJobsParts {
  /** Passes when jobs may run. */
  readonly check: () => Promise<void>;
  readonly startRunners: () => Promise<Runner[]>;
  readonly log: Logger;
}

/** Starts, stops and starts again the jobs of a worker. */
export class WorkerJobs {
  readonly #parts: WorkerJobsParts;
  readonly #ending = new AbortController();
  #runners: readonly Runner[] = [];
  #watch: Promise<void> = Promise.resolve();

  constructor(parts: WorkerJobsParts) {
    this.#parts = parts;
  }

  /** Waits until jobs may run, and starts them. False when the end came first. */
  start(): Promise<boolean> {
    const started = this.#start();
    this.#watch = started.then(
      (hasStarted) => (hasStarted ? this.#keep() : undefined),
      () => undefined,
    );
    return started;
  }

  /** The ids of the pools that take jobs. */
  get poolIds(): string[] {
    return this.#runners.map(({ poolId }) => poolId);
  }

  /** Starts no jobs from now on. */
  end(): void {
    this.#ending.abort();
  }

  /** Resolves when those that run have ended. */
  async stop(): Promise<void> {
    this.end();
    await this.#watch;
    await this.#stopRunners();
  }

  async #start(): Promise<boolean> {
    const { check, log, startRunners } = this.#parts;
    if (!(await untilPassed(check, log, this.#ending.signal))) return false;
    this.#runners = await startRunners();
    return true;
  }

  async #keep(): Promise<void> {
    const { check, log, startRunners } = this.#parts;
    const { signal } = this.#ending;
    for (;;) {
      await sleep(lookMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await check();
        if (this.#runners.length > 0 || signal.aborted) continue;
        this.#runners = await startRunners();
        log.info({ poolIds: this.poolIds }, "jobs run again");
      } catch (err) {
        // A database that is not there for the moment stops nothing: jobs wait for it themselves.
        if (this.#runners.length === 0 || !isRestored(err)) continue;
        log.error({ err }, "jobs stop, since the database was restored");
        await this.#stopRunners();
      }
    }
  }

  async #stopRunners(): Promise<void> {
    const runners = this.#runners;
    this.#runners = [];
    await Promise.all(runners.map((runner) => runner.stop()));
  }
}

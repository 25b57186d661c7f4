// Works on runs. A job works a slice of at most five seconds and adds itself again; a slice is a number of steps, each
// of which commits its results together with the cursor after them. A process that dies loses the step that it was in:
// the next one begins at the cursor, so nothing is repeated and nothing is left out.

import type { JsonObject } from "@bufbuild/protobuf";
import { Fault, reasonRule } from "../../kit/fault/fault.ts";
import type { Logger } from "../../kit/observability/log.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { advanceRun, beginTry, endRun, lockAtCursor, lookUpStaleRuns, RunRow } from "../../store/run/run.ts";
import type { RunAddress } from "../job.ts";
import { type RunKindName, reportOf, wakeNextRuns, wakeRun } from "./run.ts";

/** Time that one job may take. */
const sliceMs = 5_000;
/** Time without a step after which a run counts as forgotten. */
export const forgottenMs = 120_000;
/** Runs that one sweep wakes. */
const sweptRuns = 1_000;
/** Tries without a step that succeeds, until the run fails: something about it ends or stops its workers. */
export const maxTries = 10;

/** A run at the beginning of a step. */
export interface RunAtWork {
  readonly orgId: string;
  readonly id: string;
  readonly kind: string;
  readonly spec: JsonObject;
  /** Empty at the beginning. */
  readonly cursor: string;
  readonly done: number;
  readonly total: number | null;
  readonly report: JsonObject | undefined;
  readonly createdAt: Date;
}

/** Where a step has led. */
export interface StepResult {
  /** Differs from the one before. */
  readonly cursor: string;
  readonly done: number;
  readonly total: number | null;
  readonly report: JsonObject;
  /** Whether there is nothing left to do. */
  readonly isLast: boolean;
  /** Replaces the spec at the end, when something in it is not to be kept. */
  readonly finalSpec?: JsonObject;
}

/** What runs of one kind do. A step takes a second at most. */
export interface RunKind {
  /**
   * Reads and computes what a step needs, without a transaction of its own; returns the part that writes. That part
   * runs in the transaction of the cursor, and only if the run still stands there.
   */
  prepare(run: RunAtWork): Promise<(tx: Transaction) => Promise<StepResult>>;
}

/** The kinds that a worker works on. A run of another kind fails. */
export type RunKinds = Readonly<Partial<Record<RunKindName, RunKind>>>;

/** Works on runs and finds forgotten ones. */
export class RunWorker {
  readonly #database: Database;
  readonly #kinds: RunKinds;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(
    database: Database,
    { kinds, clock, log }: { readonly kinds: RunKinds; readonly clock: Clock; readonly log: Logger },
  ) {
    this.#database = database;
    this.#kinds = kinds;
    this.#clock = clock;
    this.#log = log;
  }

  /** Works a slice of the run, if it is its turn. The next slice, or the next run, has its job with the commit. */
  async work({ org_id: orgId, run_id: id }: RunAddress): Promise<void> {
    const run = await this.#begin(orgId, id);
    if (run === undefined) return;
    const until = this.#clock.now().getTime() + sliceMs;
    for (let next: RunAtWork | undefined = run; next !== undefined; ) {
      try {
        next = await this.#step(next, until);
      } catch (error) {
        if (!(error instanceof Fault) || reasonRule(error.reason).httpStatus >= 500) throw error;
        await this.#fail(orgId, id, { code: reasonRule(error.reason).error, message: error.message });
        return;
      }
    }
  }

  /** Wakes runs that nobody has worked on for two minutes. Returns how many. */
  async sweep(): Promise<number> {
    const before = new Date(this.#clock.now().getTime() - forgottenMs);
    const stale = await lookUpStaleRuns(this.#database, before, sweptRuns);
    for (const { org_id: orgId, run_id: id } of stale) {
      await this.#database.systemTransaction(orgId, (tx) => wakeRun(tx, id));
    }
    return stale.length;
  }

  async #begin(orgId: string, id: string): Promise<RunAtWork | undefined> {
    const begun = await this.#database.systemTransaction(orgId, async (tx) => {
      const tries = await beginTry(tx, id);
      if (tries === undefined) return undefined;
      const run = await tx.em.findOneOrFail(RunRow, { orgId, id });
      return { run, tries };
    });
    if (begun === undefined) return undefined;
    const { run, tries } = begun;
    if (tries > maxTries) {
      this.#log.error({ orgId, runId: id, kind: run.kind }, "a run does not advance; it fails");
      const message = `it was tried ${maxTries} times without getting on; the log of the worker says more of ${id}`;
      await this.#fail(orgId, id, { code: "internal", message });
      return undefined;
    }
    const { kind, cursor, done, total, createdAt } = run;
    const at = { cursor, done, total: total ?? null, report: reportOf(run) };
    return { orgId, id, kind, spec: JSON.parse(run.spec), ...at, createdAt };
  }

  /** Takes a step; returns where to go on in this slice. */
  async #step(run: RunAtWork, until: number): Promise<RunAtWork | undefined> {
    const kind = await this.#kindOf(run);
    if (kind === undefined) return undefined;
    const write = await kind.prepare(run);
    return this.#database.systemTransaction(run.orgId, async (tx) => {
      if (!(await lockAtCursor(tx, run.id, run.cursor))) return undefined;
      const { isLast, finalSpec, ...result } = await write(tx);
      const to = { ...result, report: JSON.stringify(result.report) };
      if (!(await advanceRun(tx, run.id, run.cursor, to))) throw new Error("a locked run stays at its cursor");
      if (isLast) {
        await endRun(tx, run.id, {
          state: "succeeded",
          ...(finalSpec === undefined ? {} : { spec: JSON.stringify(finalSpec) }),
        });
        await wakeNextRuns(tx);
        return undefined;
      }
      if (this.#clock.now().getTime() < until) return { ...run, ...result };
      await wakeRun(tx, run.id);
      return undefined;
    });
  }

  async #kindOf({ orgId, id, kind }: RunAtWork): Promise<RunKind | undefined> {
    const known: Readonly<Record<string, RunKind | undefined>> = this.#kinds;
    if (known[kind] !== undefined) return known[kind];
    await this.#fail(orgId, id, { code: "internal", message: `this version knows no runs of the kind "${kind}"` });
    return undefined;
  }

  #fail(orgId: string, id: string, error: { readonly code: string; readonly message: string }): Promise<void> {
    return this.#database.systemTransaction(orgId, async (tx) => {
      await endRun(tx, id, { state: "failed", error });
      await wakeNextRuns(tx);
    });
  }
}

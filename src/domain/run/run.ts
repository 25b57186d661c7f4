// Runs as callers see them: they are added and read here, and worked on by run-worker.ts.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  countQueued,
  deleteRun,
  endRun,
  findRun,
  heldCursor,
  maxQueued,
  nextRuns,
  RunRow,
} from "../../store/run/run.ts";
import { enqueueJob } from "../job.ts";

/** The kinds of runs. */
export type RunKindName = "benchmark" | "calibration" | "dataset_import" | "erasure" | "replay";

/** A run to add. */
export interface NewRun {
  readonly kind: RunKindName;
  readonly spec: JsonObject;
  readonly createdBy: string;
  /** The project that it is about, when it is about one. */
  readonly projectId?: string | undefined;
  /** Whether it is held: it waits until somebody releases it. Default: false. */
  readonly isHeld?: boolean;
}

/** Adds a run that starts after the commit, as soon as it is its turn. */
export async function addRun(
  tx: Transaction,
  { kind, spec, createdBy, projectId, isHeld = false }: NewRun,
): Promise<RunRow> {
  if ((await countQueued(tx, { isHeld })) >= maxQueued) {
    const message = isHeld
      ? `${maxQueued} runs of the organization wait for an upload already: end or cancel one of them`
      : `${maxQueued} runs of the organization wait already; try again later`;
    throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit: maxQueued } });
  }
  const run = tx.em.create(RunRow, {
    ...{ orgId: tx.orgId, id: newId(), kind, projectId: projectId ?? null, state: "queued" },
    ...{ spec: JSON.stringify(spec), cursor: isHeld ? heldCursor : "", done: 0, total: null, report: null, tries: 0 },
    ...{ errorCode: null, errorMessage: null, createdBy },
    ...{ createdAt: tx.now, startedAt: null, finishedAt: null, touchedAt: tx.now },
  });
  await tx.em.flush();
  if (!isHeld) await wakeRun(tx, run.id);
  return run;
}

/** Adds a run that somebody made elsewhere: it has succeeded, and nobody works on it. */
export async function addEndedRun(
  tx: Transaction,
  { kind, spec, createdBy, projectId, done, report }: NewRun & { readonly done: number; readonly report: JsonObject },
): Promise<RunRow> {
  const run = tx.em.create(RunRow, {
    ...{ orgId: tx.orgId, id: newId(), kind, projectId: projectId ?? null, state: "succeeded" },
    ...{ spec: JSON.stringify(spec), cursor: "end", done, total: done, report: JSON.stringify(report), tries: 0 },
    ...{ errorCode: null, errorMessage: null, createdBy },
    ...{ createdAt: tx.now, startedAt: tx.now, finishedAt: tx.now, touchedAt: tx.now },
  });
  await tx.em.flush();
  return run;
}

/** The run of this kind. `noun` is what callers call it. */
export async function requireRun(tx: Transaction, kind: RunKindName, id: string, noun: string): Promise<RunRow> {
  const run = await findRun(tx, kind, id);
  if (run === null) throw notFound(noun);
  return run;
}

/** Ends a run that waits or works; what came of it stays. A worker that is in the middle of a step commits nothing. */
export async function cancelRun(tx: Transaction, run: RunRow): Promise<RunRow> {
  if (!(await endRun(tx, run.id, { state: "canceled" }))) {
    await tx.em.refresh(run);
    throw new Fault(Reason.CONFLICT, `it has ended already: it is ${run.state}`);
  }
  await wakeNextRuns(tx);
  return tx.em.refreshOrFail(run);
}

/** Deletes a run with everything that it keeps. One that waits or works ends. */
export async function removeRun(tx: Transaction, { id }: Pick<RunRow, "id">): Promise<void> {
  await deleteRun(tx, id);
  await wakeNextRuns(tx);
}

/** Adds the job that works on the run. It replaces one that has not begun. */
export function wakeRun(tx: Pick<Transaction, "orgId" | "enqueue">, id: string): Promise<void> {
  return enqueueJob(tx, "work-run", { org_id: tx.orgId, run_id: id }, { key: `run:${id}` });
}

/** Wakes the runs whose turn has come. */
export async function wakeNextRuns(tx: Transaction): Promise<void> {
  for (const id of await nextRuns(tx)) await wakeRun(tx, id);
}

/** The report of a run, or undefined before its first step. */
export function reportOf({ report }: Pick<RunRow, "report">): JsonObject | undefined {
  return report == null ? undefined : JSON.parse(report);
}

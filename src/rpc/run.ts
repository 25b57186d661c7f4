// The fields that every kind of run has in the API.

import { RunState } from "../../gen/policyguard/control/v1/run_pb.ts";
import type { addRun } from "../domain/run/run.ts";
import { timestamp } from "./time.ts";

const states = {
  queued: RunState.QUEUED,
  running: RunState.RUNNING,
  succeeded: RunState.SUCCEEDED,
  failed: RunState.FAILED,
  canceled: RunState.CANCELED,
} as const;

/** Id, state, progress, author, times and error of a run. */
export function runFields(run: Awaited<ReturnType<typeof addRun>>) {
  return {
    id: run.id,
    orgId: run.orgId,
    state: states[run.state],
    progress: { done: run.done, total: run.total ?? undefined },
    createdBy: run.createdBy,
    createdAt: timestamp(run.createdAt),
    startedAt: timestamp(run.startedAt),
    finishedAt: timestamp(run.finishedAt),
    error: run.errorCode == null ? undefined : { code: run.errorCode, message: run.errorMessage ?? "" },
  };
}

import { RunState, RunStateSchema } from "../../gen/policyguard/control/v1/run_pb.ts";
import { wireNames } from "./wire-name.ts";

/** How far a run is. */
export const runStates = wireNames<RunState>(RunStateSchema);

/** Whether a run has not ended. */
export function isOpen(state: RunState): boolean {
  return state === RunState.QUEUED || state === RunState.RUNNING;
}

/** How a badge shows the state of a run. */
export function runTone(state: RunState): "plain" | "good" | "bad" | "notice" {
  if (state === RunState.SUCCEEDED) return "good";
  if (state === RunState.FAILED) return "bad";
  return state === RunState.RUNNING ? "notice" : "plain";
}

import type { Calibration } from "../../../gen/policyguard/control/v1/calibration_pb.ts";
import { RunState } from "../../../gen/policyguard/control/v1/run_pb.ts";
import { runStates, runTone } from "../../data/run.ts";
import { Badge } from "../../part/badge.tsx";
import { en } from "../../text/en.ts";
import { fineShare } from "../../text/format.ts";

const texts = en.calibrations;

/** How far a calibration is. */
export function CalibrationState({ calibration: { state, progress } }: { readonly calibration: Calibration }) {
  const name = runStates.nameOf(state);
  return (
    <>
      <Badge tone={runTone(state)}>{texts.states[name] ?? name}</Badge>{" "}
      {state === RunState.RUNNING && progress !== undefined && texts.progress(progress.done, progress.total)}
    </>
  );
}

/** "at most 0.5%, with 95%; finds at least 90%" */
export function promiseText({ maxFalsePositiveRate, confidence, minRecall }: Calibration): string {
  const promise = texts.promiseOf(fineShare(maxFalsePositiveRate), fineShare(confidence));
  return minRecall === undefined ? promise : `${promise}; ${texts.andFinds(fineShare(minRecall))}`;
}

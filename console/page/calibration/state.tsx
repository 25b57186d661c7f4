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
export function promiseText(calibration: Calibration): string {
  const { maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall, confidence } = calibration;
  const clauses = [
    ...(maxFalsePositiveRate === undefined
      ? []
      : [texts.promiseOf(fineShare(maxFalsePositiveRate), fineShare(confidence))]),
    ...(maxFalseDiscoveryRate === undefined ? [] : [texts.andIsWrong(fineShare(maxFalseDiscoveryRate))]),
    ...(minRecall === undefined ? [] : [texts.andFinds(fineShare(minRecall))]),
  ];
  return clauses.join("; ");
}

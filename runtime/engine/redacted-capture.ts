// What of an evaluation's text may leave the runtime: the environment's choice, narrowed by the policies in scope.

import { create } from "@bufbuild/protobuf";
import { CaptureMode, type RecordedSegment, RecordedSegmentSchema } from "../../gen/policyguard/policy/v1/record_pb.ts";
import type { Evaluation } from "./evaluation.ts";

const limits = { none: CaptureMode.NONE, redacted: CaptureMode.REDACTED, full: CaptureMode.FULL } as const;

/** The capture mode in force: never more than the environment says, never more than a policy allows. */
export function captureModeOf(evaluation: Evaluation, mode: CaptureMode): CaptureMode {
  // Anything but a known mode means that nobody allowed text to leave.
  if (mode !== CaptureMode.REDACTED && mode !== CaptureMode.FULL) return CaptureMode.NONE;
  const limit = limits[evaluation.recordLimit];
  return limit < mode ? limit : mode;
}

/** The text that may be reported, piece by piece. Redacted text has every finding replaced, of shadow rules as well. */
export function captureText(evaluation: Evaluation, mode: CaptureMode): RecordedSegment[] {
  const inForce = captureModeOf(evaluation, mode);
  if (inForce === CaptureMode.NONE) return [];
  // Nothing is reported of a piece that was not scanned: nobody knows what it contains.
  const texts = inForce === CaptureMode.FULL ? evaluation.segments.map(({ text }) => text) : evaluation.redactedTexts();
  return evaluation.segments.flatMap(({ id, role, trust }, index) => {
    const text = texts[index];
    return text === undefined ? [] : [create(RecordedSegmentSchema, { id, role, trust, text })];
  });
}

// Which text of an evaluation may leave the runtime: the environment's capture mode, limited by the policies in scope.

import { create } from "@bufbuild/protobuf";
import {
  CaptureMode,
  type RecordedSegment,
  RecordedSegmentSchema,
} from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Evaluation } from "./evaluation.ts";

const limits = { none: CaptureMode.NONE, redacted: CaptureMode.REDACTED, full: CaptureMode.FULL } as const;

/** The capture mode in force: at most the environment's mode, and at most what each policy allows. */
export function captureModeOf(evaluation: Evaluation, mode: CaptureMode): CaptureMode {
  // An unknown mode means that nobody allowed text to leave.
  if (mode !== CaptureMode.REDACTED && mode !== CaptureMode.FULL) return CaptureMode.NONE;
  const limit = limits[evaluation.recordLimit];
  return limit < mode ? limit : mode;
}

/**
 * The text that may be reported, by segment. Redacted text has every finding replaced, including findings of shadow
 * rules.
 */
export function captureText(evaluation: Evaluation, mode: CaptureMode): RecordedSegment[] {
  const inForce = captureModeOf(evaluation, mode);
  if (inForce === CaptureMode.NONE) return [];
  // A segment that was not scanned is not reported, since its content is unknown.
  const texts = inForce === CaptureMode.FULL ? evaluation.segments.map(({ text }) => text) : evaluation.redactedTexts();
  return evaluation.segments.flatMap(({ id, role, trust }, index) => {
    const text = texts[index];
    return text === undefined ? [] : [create(RecordedSegmentSchema, { id, role, trust, text })];
  });
}

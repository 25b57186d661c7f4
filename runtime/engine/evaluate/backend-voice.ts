// What came of asking detector backends: the second voice beside what the detectors found themselves. An explanation
// and a record say it of each text, so that nobody has to guess which of the two spoke, or why one did not.

import type { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { BackendVoice } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import {
  answerOf,
  type BackedDetector,
  type BackendAnswers,
  type BackendFailure,
  type BackendLimit,
  type BackendUse,
  detectionsOfAnswer,
  silenceOfAnswer,
  type UnaskedReason,
} from "../backend/backend.ts";
import type { Detection, SegmentDetections } from "../detectors/detector.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { TextSegment } from "../segment/segment.ts";
import { asksAt } from "./backend-question.ts";

/** Why a backend was not asked: no rule of the stage asks it. */
const noRule = "no_rule";

/** An evaluation, as far as it asked backends. */
export interface VoiceSource {
  readonly segments: readonly TextSegment[];
  readonly detections: readonly SegmentDetections[];
  /** Why the policy of a detector asks no backend about a segment, by the index of the segment. */
  readonly unasked: readonly ReadonlyMap<string, UnaskedReason>[];
  readonly context: { readonly stage: Stage; readonly now: Date; readonly backends?: BackendAnswers | undefined };
  readonly tools: {
    readonly applicable: readonly ApplicablePolicy[];
    readonly namesOf: (key: string) => readonly string[];
    readonly backed?: readonly BackedDetector[];
  };
}

/** What came of one backend in one segment. */
export interface Voice {
  /** Index of the segment. */
  readonly piece: number;
  /** What policies call the detector. */
  readonly detectors: readonly string[];
  readonly use: BackendUse;
  /**
   * Why it was not asked, gave no answer, or answered about a part only; undefined when it answered about the whole
   * text.
   */
  readonly reason: UnaskedReason | typeof noRule | BackendFailure | BackendLimit | undefined;
  /** The highest score of what it found; undefined without an answer. */
  readonly score: number | undefined;
  /** The same of the detector itself; undefined for a detector that is the backend alone. */
  readonly ownScore: number | undefined;
}

/** Maximum number of voices of one evaluation. */
export const maxVoices = 200;

/** What came of each backend in each segment, those of the first segments first. */
export function voicesOf({ segments, detections, unasked, context, tools }: VoiceSource): Voice[] {
  const voices: Voice[] = [];
  const asking = { applicable: tools.applicable, nowMs: context.now.getTime() };
  for (const [piece, { text, stage = context.stage }] of segments.entries()) {
    const found = detections[piece];
    if (text === "" || found === undefined) continue;
    for (const { key, inner, use } of tools.backed ?? []) {
      const detectors = tools.namesOf(key);
      if (detectors.length === 0) continue;
      if (voices.length >= maxVoices) return voices;
      const answer = answerOf(context.backends, use.key, text);
      const silence = silenceOfAnswer(answer);
      const isOfNoRule = silence === "backend_unavailable" && !asksAt(use.key, stage, asking);
      const unwanted = unasked[piece]?.get(key);
      const isHeard = unwanted === undefined && !("failure" in answer);
      voices.push({
        ...{ piece, detectors, use },
        reason: unwanted ?? (isOfNoRule ? noRule : silence),
        score: isHeard ? highest(detectionsOfAnswer(answer, use, text)) : undefined,
        ownScore: inner === undefined ? undefined : highest(found.get(inner) ?? []),
      });
    }
  }
  return voices;
}

/** The same as a record keeps it. */
export function recordedVoice(
  { piece, detectors, use, reason, score, ownScore }: Voice,
  segments: readonly TextSegment[],
): BackendVoice {
  return {
    $typeName: "policyguard.policy.v1.BackendVoice",
    ...{ segment: segments[piece]?.id ?? "", detectors: [...detectors], backend: use.key, reason: reason ?? "" },
    ...(score !== undefined && { score }),
    ...(ownScore !== undefined && { ownScore }),
  };
}

function highest(detections: readonly Detection[]): number {
  return detections.reduce((max, { score }) => Math.max(max, score), 0);
}

// The record of an evaluation, as a runtime reports it. The control plane refuses records that are too large, and every
// record after such a one in the spool would wait for ever. So the record of a very large request keeps only the newest
// of its texts.

import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { EvaluateRequest } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome, type Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord, RecordedSegment } from "../../gen/policyguard/policy/v1/record_pb.ts";
import type { LoadedBundle } from "../bundle/active-bundle.ts";
import type { Evaluation } from "../engine/evaluate/evaluation.ts";
import { noReplayFacts } from "../engine/evaluate/record-facts.ts";
import { captureModeOf, captureText } from "../engine/evaluate/redacted-capture.ts";

/** Max text of a record: any single text (1 MiB, plus placeholders), and half of what the control plane accepts. */
const maxTextBytes = 2 * 1024 * 1024;
/** Max detectors and rules that a record lists as unjudged. */
const maxUnjudged = 1_000;

/** Where and when an evaluation took place. */
export interface RecordContext {
  readonly stage: Stage;
  readonly now: Date;
  readonly loaded: LoadedBundle;
  /** The lease of the evaluation; "" for none. */
  readonly leaseId?: string;
}

/** The record of an evaluation. */
export function recordOf(
  request: EvaluateRequest,
  evaluation: Evaluation,
  { stage, now, loaded, leaseId = "" }: RecordContext,
): EvaluationRecord {
  const { response } = evaluation;
  const captured = captureText(evaluation, loaded.capture);
  const kept = newestWithin(captured, maxTextBytes);
  // Written out: create would look at every field anew.
  return {
    $typeName: "policyguard.policy.v1.EvaluationRecord",
    evaluationId: response.evaluationId,
    createdAt: timestampOf(now),
    stage,
    agentId: request.agentId ?? "",
    sessionId: request.sessionId ?? "",
    userId: request.subject?.userId ?? "",
    outcome: response.outcome,
    wouldBeOutcome: response.wouldBeOutcome,
    findings: [...evaluation.findings],
    findingsOmitted: evaluation.findingsOmitted,
    unjudged: evaluation.unjudged.slice(0, maxUnjudged),
    signals: [...evaluation.signals.signals],
    signalsOmitted: evaluation.signals.omitted,
    bundle: loaded.reference,
    language: evaluation.language ?? "",
    latencyUs: response.latencyUs,
    model: request.model,
    metadata: request.metadata,
    capture: captureModeOf(evaluation, loaded.capture),
    segments: kept,
    textTruncated: kept.length < captured.length,
    decidedByRule: evaluation.decidedByRule,
    decidedByPolicy: evaluation.decidedByPolicy,
    leaseId,
    samplingPercent: leaseId === "" ? samplingPercentOf(loaded, response.outcome) : 0,
    ...(loaded.replayFacts ? evaluation.replayFacts() : noReplayFacts),
  };
}

// A lease is spent by records, so an evaluation with one always has one. 0 stands for all.
function samplingPercentOf({ sampling }: LoadedBundle, outcome: Outcome): number {
  if (sampling === undefined || outcome === Outcome.BLOCK) return 0;
  const percent = outcome === Outcome.ALLOW ? sampling.allow_percent : sampling.other_percent;
  return percent < 100 ? percent : 0;
}

function timestampOf(now: Date): Timestamp {
  const timeMs = now.getTime();
  const seconds = Math.floor(timeMs / 1_000);
  return {
    $typeName: "google.protobuf.Timestamp",
    seconds: BigInt(seconds),
    nanos: (timeMs - seconds * 1_000) * 1_000_000,
  };
}

function newestWithin(segments: RecordedSegment[], maxBytes: number): RecordedSegment[] {
  let restBytes = maxBytes;
  let first = segments.length;
  for (; first > 0; first--) {
    restBytes -= Buffer.byteLength(segments[first - 1]?.text ?? "");
    if (restBytes < 0) break;
  }
  return first === 0 ? segments : segments.slice(first);
}

// One evaluation of the runtime: the engine decides, the record goes into the spool, the answer goes out. The record can
// neither delay nor fail the answer, except in durable mode, where the answer waits for the disk.

import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { EvaluateRequest, EvaluateResponse } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../gen/policyguard/policy/v1/record_pb.ts";
import type { Clock } from "../src/kit/clock.ts";
import { validationFailed } from "../src/kit/error.ts";
import { newId } from "../src/kit/id.ts";
import type { Evaluation } from "./engine/evaluation.ts";
import { captureModeOf, captureText } from "./engine/redacted-capture.ts";
import type { BundleHolder, LoadedBundle } from "./loaded-bundle.ts";

/** Takes finished records. */
export interface RecordSink {
  append(record: Uint8Array): number | Promise<number>;
}

/** What evaluations need of their process. */
export interface EvaluatorOptions {
  readonly holder: BundleHolder;
  /** Undefined for a runtime that reports to nobody. */
  readonly spool: RecordSink | undefined;
  readonly fingerprintKey: () => Uint8Array;
  readonly clock: Clock;
}

const maxMetadataBytes = 16 * 1024;

/** Evaluates requests against the bundle in force. */
export class Evaluator {
  readonly #options: EvaluatorOptions;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  /** Judges a request at a stage. */
  async evaluate(request: EvaluateRequest, stage: Stage): Promise<EvaluateResponse> {
    const startedAtMs = performance.now();
    const { holder, spool, fingerprintKey, clock } = this.#options;
    assertJudgeable(request);
    const loaded = holder.require();
    const now = clock.now();
    const evaluation = loaded.engine.evaluate(request, {
      stage,
      now,
      evaluationId: request.evaluationId ?? newId(),
      fingerprintKey: fingerprintKey(),
      bundle: loaded.reference,
      elapsedUs: () => (performance.now() - startedAtMs) * 1000,
    });
    if (spool !== undefined) {
      const record = recordOf(request, stage, evaluation, { loaded, now });
      const stored = spool.append(toBinary(EvaluationRecordSchema, record));
      if (typeof stored !== "number") await stored;
    }
    return evaluation.response;
  }
}

function assertJudgeable(request: EvaluateRequest): void {
  const { text, messages, segments, toolCalls, metadata } = request;
  if (text === undefined && messages.length === 0 && segments.length === 0 && toolCalls.length === 0) {
    throw validationFailed([{ field: "text", message: "expected text, messages, segments or tool_calls" }]);
  }
  if ([text !== undefined, messages.length > 0, segments.length > 0].filter(Boolean).length > 1) {
    throw validationFailed([{ field: "text", message: "expected only one of text, messages and segments" }]);
  }
  if (metadata !== undefined && Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes) {
    throw validationFailed([{ field: "metadata", message: `expected at most ${maxMetadataBytes} bytes as JSON` }]);
  }
}

function recordOf(
  request: EvaluateRequest,
  stage: Stage,
  evaluation: Evaluation,
  { loaded, now }: { loaded: LoadedBundle; now: Date },
): EvaluationRecord {
  const { response } = evaluation;
  return create(EvaluationRecordSchema, {
    evaluationId: response.evaluationId,
    createdAt: timestampFromDate(now),
    stage,
    agentId: request.agentId,
    sessionId: request.sessionId,
    userId: request.subject?.userId,
    outcome: response.outcome,
    wouldBeOutcome: response.wouldBeOutcome,
    findings: [...evaluation.findings],
    unjudged: [...evaluation.unjudged],
    signals: [...evaluation.signals],
    bundle: loaded.reference,
    language: response.language ?? request.language,
    latencyUs: response.latencyUs,
    model: request.model,
    metadata: request.metadata,
    capture: captureModeOf(evaluation, loaded.capture),
    segments: captureText(evaluation, loaded.capture),
    decidedByRule: evaluation.decidedByRule,
    decidedByPolicy: evaluation.decidedByPolicy,
  });
}

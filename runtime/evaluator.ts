// One evaluation of the runtime: the engine decides, the record goes into the spool, the answer goes out. The record can
// neither delay nor fail the answer, except in durable mode, where the answer waits for the disk.

import { toBinary } from "@bufbuild/protobuf";
import type { EvaluateRequest, EvaluateResponse } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationRecordSchema } from "../gen/policyguard/policy/v1/record_pb.ts";
import type { Clock } from "../src/kit/clock.ts";
import { validationFailed } from "../src/kit/error.ts";
import { newId } from "../src/kit/id.ts";
import type { BundleHolder } from "./loaded-bundle.ts";
import type { FinishedEvaluation } from "./metrics.ts";
import { recordOf } from "./record.ts";

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
  /** Told of each evaluation. */
  readonly onEvaluation: (evaluation: FinishedEvaluation) => void;
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
    return this.judge(request, stage);
  }

  /** Judges a request at a stage: at once, unless the answer has to wait for the disk. What it throws, it throws before it records. */
  judge(request: EvaluateRequest, stage: Stage): EvaluateResponse | Promise<EvaluateResponse> {
    const startedAtMs = performance.now();
    const { holder, spool, fingerprintKey, clock, onEvaluation } = this.#options;
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
    const { response } = evaluation;
    const record =
      spool === undefined
        ? undefined
        : toBinary(EvaluationRecordSchema, recordOf(request, evaluation, { stage, loaded, now }));
    onEvaluation({ stage, outcome: response.outcome, latencyUs: response.latencyUs });
    const stored = record === undefined ? undefined : spool?.append(record);
    return stored instanceof Promise ? stored.then(() => response) : response;
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

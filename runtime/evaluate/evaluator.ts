// One evaluation of the runtime: the engine decides, the record goes into the spool, the answer is sent. The record can
// neither delay nor fail the answer, except in durable mode, where the answer waits for the disk.

import type { EvaluateRequest, EvaluateResponse, ToolCall } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Explanation } from "../../gen/policyguard/policy/v1/explanation_pb.ts";
import { DetailLevel, Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationRecordSchema } from "../../gen/policyguard/policy/v1/record_pb.ts";
import type { Clock } from "../../src/kit/process/clock.ts";
import { newId } from "../../src/kit/process/id.ts";
import { binaryViewer } from "../../src/kit/protobuf/binary-write.ts";
import type { BundleHolder, LoadedBundle } from "../bundle/active-bundle.ts";
import type { Peers } from "../cluster/peer-socket.ts";
import type { CandidateRunner, LoadedCandidate } from "../control-plane/candidate.ts";
import type { Meter } from "../control-plane/quota-leases.ts";
import { recordOf } from "../control-plane/record.ts";
import type { BackendAnswers } from "../engine/backend/backend.ts";
import type { EvaluationContext } from "../engine/evaluate/context.ts";
import type { Evaluation } from "../engine/evaluate/evaluation.ts";
import type { ScanCache } from "../engine/scan/scan-cache.ts";
import { stageOfTranscript } from "../engine/segment/segment.ts";
import type { EngineStream } from "../engine/stream/stream.ts";
import { lazily } from "../engine/text/normalize.ts";
import {
  assertEvaluable,
  assertOneOutput,
  assertSchemaKnown,
  assertStreamable,
  type EvaluationKind,
  statedKind,
} from "../request/request-checks.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { Backends } from "./backend/backends.ts";
import { beginEvaluationSpan, type EvaluationSpan } from "./evaluation-span.ts";
import type { EvaluationMeters } from "./metrics.ts";

const untimed = { onDetectorTime: undefined, onScanTime: undefined };
const writeRecord = binaryViewer(EvaluationRecordSchema);

/** Takes finished records. */
export interface RecordSink {
  /** Takes a copy before it returns: the next record overwrites the bytes. */
  append(record: Uint8Array): number | Promise<number>;
}

/** Takes the records of several evaluations at once. */
export interface SharedRecordSink extends RecordSink {
  /** Runs the work. When it returns, each appended record is as safe as if it had been appended alone. */
  together(work: () => void): void;
}

/** The parts of the process that evaluations need. */
export interface EvaluatorOptions {
  readonly holder: BundleHolder;
  /** Undefined for a runtime that reports to nobody. */
  readonly spool: RecordSink | undefined;
  readonly fingerprintKey: () => Uint8Array;
  readonly clock: Clock;
  readonly sessions: SessionStore;
  /** The other processes; undefined when there is one. */
  readonly peers?: Peers | undefined;
  /** Evaluates a candidate beside the version in force; undefined when there never is one. */
  readonly candidates?: Pick<CandidateRunner, "current" | "consider" | "judge">;
  /** Grants each evaluation; undefined for a runtime that is not metered. */
  readonly meter?: Meter;
  /** Asks detector backends; undefined when none are asked. */
  readonly backends?: Pick<Backends, "ask"> | undefined;
  /** The findings of earlier texts; undefined when nothing is remembered. */
  readonly memory?: ScanCache | undefined;
  /** Measures evaluations. */
  readonly meters: EvaluationMeters;
}

/** A stream of text that is being judged. */
export interface OpenedStream {
  readonly stream: EngineStream;
  /** Asks detector backends about the whole text, before `finish`; undefined when there is nothing to ask. */
  readonly ask: (toolCalls: readonly ToolCall[]) => Promise<void> | undefined;
  /** Judges the whole text and records it; `released` is the text that is still held back and may go on. */
  readonly finish: (toolCalls: readonly ToolCall[]) => {
    readonly released: string;
    readonly response: EvaluateResponse | Promise<EvaluateResponse>;
  };
  /** Drops a stream that got no text: there is no record, and nothing is metered. */
  readonly drop: () => void;
}

/** An evaluation that was granted: its bundle, its context and its lease. */
interface Metered {
  readonly loaded: LoadedBundle;
  readonly context: EvaluationContext;
  /** "" for an evaluation without a lease. */
  readonly leaseId: string;
  /** Undefined when the trace of its call is not recorded. */
  readonly span: EvaluationSpan | undefined;
}

/** Evaluates requests against the bundle in force. */
export class Evaluator {
  readonly #options: EvaluatorOptions;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  /** Judges a request. */
  async evaluate(request: EvaluateRequest, kind: EvaluationKind): Promise<EvaluateResponse> {
    return this.judge(request, kind);
  }

  /**
   * Judges a request: at once, unless the answer has to wait for the disk. Errors are thrown before anything is
   * recorded.
   */
  judge(request: EvaluateRequest, kind: EvaluationKind): EvaluateResponse | Promise<EvaluateResponse> {
    const { peers } = this.#options;
    const { sessionId } = request;
    if (sessionId === undefined || peers === undefined || !peers.keep(sessionId))
      return this.judgeLocally(request, kind);
    assertEvaluable(request, kind);
    // One trace, whichever process answers.
    request.evaluationId ??= newId();
    // A peer that does not answer has lost the session: then it is unknown everywhere.
    return peers.evaluate(request, sessionId, kind).then((answer) => answer ?? this.judgeLocally(request, kind));
  }

  /** Whether another process keeps the session of a request, and so has to judge it. */
  belongsToPeer({ sessionId }: EvaluateRequest): boolean {
    return this.#options.peers?.keep(sessionId) === true;
  }

  /** Judges a request here. A session that another process keeps is unknown. */
  judgeLocally(request: EvaluateRequest, kind: EvaluationKind): EvaluateResponse | Promise<EvaluateResponse> {
    const startedAtMs = performance.now();
    assertEvaluable(request, kind);
    const loaded = this.#options.holder.requireFor(request);
    assertSchemaKnown(request, loaded.engine.schemas);
    const metered = this.#begin(request, kind, loaded, startedAtMs);
    const evaluate = (by: LoadedBundle, about: EvaluationContext) => by.engine.evaluate(request, about);
    const asking = this.#orNothing(metered, () => this.#ask(request, metered, startedAtMs));
    if (asking === undefined) return this.#settle(request, metered, evaluate);
    const { context } = metered;
    return asking.then(
      (backends) => this.#settle(request, { ...metered, context: { ...context, backends } }, evaluate),
      (error: unknown) => {
        this.#drop(metered);
        throw error;
      },
    );
  }

  /** Judges a structured output by its schema alone. */
  judgeSchema(request: EvaluateRequest): EvaluateResponse | Promise<EvaluateResponse> {
    const startedAtMs = performance.now();
    assertEvaluable(request, Stage.OUTPUT);
    assertOneOutput(request);
    return this.#finish(request, Stage.OUTPUT, startedAtMs, (loaded, context) =>
      loaded.engine.evaluateSchema(request, context),
    );
  }

  /** Judges a request and explains the outcome. It records nothing. */
  async explain(request: EvaluateRequest): Promise<Explanation> {
    const startedAtMs = performance.now();
    const kind = statedKind(request);
    assertEvaluable(request, kind);
    const loaded = this.#options.holder.requireFor(request);
    const onDetectorTime = this.#options.meters.detectorTime?.();
    const context = this.#contextOf(request, kind, loaded, { startedAtMs, onDetectorTime });
    const backends = await this.#ask(request, { loaded, context }, startedAtMs);
    return loaded.engine.explain(request, { ...context, backends }).explanation;
  }

  /**
   * Opens a stream of text, which the bundle in force now will judge. The request has no text yet. It is metered here:
   * an exhausted plan must not release any text.
   */
  openStream(request: EvaluateRequest, stage: Stage): OpenedStream {
    assertStreamable(request, stage);
    const loaded = this.#options.holder.requireFor(request);
    assertSchemaKnown(request, loaded.engine.schemas);
    const metered = this.#begin(request, stage, loaded, performance.now());
    const { context: opening } = metered;
    const stream = this.#orNothing(metered, () => loaded.engine.openStream(request, opening));
    let backends: BackendAnswers | undefined;
    return {
      drop: () => this.#options.meter?.giveBack(metered.leaseId),
      stream,
      ask: (toolCalls) =>
        loaded.engine.backends.length === 0
          ? undefined
          : this.#ask(stream.wholeRequest(toolCalls), { loaded, context: opening }, performance.now())?.then(
              (answers) => {
                backends = answers;
              },
            ),
      finish: (toolCalls) => {
        const startedAtMs = performance.now();
        const elapsedUs = () => (performance.now() - startedAtMs) * 1000;
        const context = { ...opening, elapsedUs, backends };
        const end = lazily(() => stream.finish({ toolCalls, elapsedUs, backends }));
        const response = this.#settle(request, { ...metered, context }, (by, about) =>
          by === loaded ? end().evaluation : by.engine.evaluate(end().request, about),
        );
        return { released: end().released, response };
      },
    };
  }

  #finish(
    request: EvaluateRequest,
    kind: EvaluationKind,
    startedAtMs: number,
    evaluate: (loaded: LoadedBundle, context: EvaluationContext) => Evaluation,
  ): EvaluateResponse | Promise<EvaluateResponse> {
    const loaded = this.#options.holder.requireFor(request);
    assertSchemaKnown(request, loaded.engine.schemas);
    return this.#settle(request, this.#begin(request, kind, loaded, startedAtMs), evaluate);
  }

  /** Grants an evaluation, and begins its span where that is recorded. */
  #begin(request: EvaluateRequest, kind: EvaluationKind, loaded: LoadedBundle, startedAtMs: number): Metered {
    const { meter, meters } = this.#options;
    const measure = meters.detectorTime?.();
    const span = beginEvaluationSpan(startedAtMs, measure);
    const onTime = span?.onDetectorTime ?? measure;
    const times = measure === undefined ? { onScanTime: onTime } : { onDetectorTime: onTime };
    const context = this.#contextOf(request, kind, loaded, { startedAtMs, ...times });
    return { loaded, context, leaseId: meter?.take(context.now) ?? "", span };
  }

  /** The answers of backends about a request; undefined when its bundle asks none. */
  #ask(
    request: EvaluateRequest,
    { loaded, context }: Pick<Metered, "loaded" | "context">,
    startedAtMs: number,
  ): Promise<BackendAnswers> | undefined {
    const { backends } = this.#options;
    if (backends === undefined || loaded.engine.backends.length === 0) return undefined;
    // A stream may have been open for long; what it has time for begins with its end.
    const elapsedUs = () => (performance.now() - startedAtMs) * 1000;
    const questions = loaded.engine.questionsOf(request, { ...context, elapsedUs });
    return questions.length === 0 ? undefined : backends.ask(questions, loaded.backends, startedAtMs);
  }

  #settle(
    request: EvaluateRequest,
    metered: Metered,
    evaluate: (loaded: LoadedBundle, context: EvaluationContext) => Evaluation,
  ): EvaluateResponse | Promise<EvaluateResponse> {
    const { spool, meters } = this.#options;
    const { loaded, context, leaseId } = metered;
    const { stage, now } = context;
    const evaluation = this.#orNothing(metered, () => evaluate(loaded, context));
    const { response } = evaluation;
    this.#compare(request, { evaluation, loaded }, (by) =>
      evaluate({ ...loaded, ...by }, { ...context, bundle: by.reference, ...untimed }),
    );
    // `writeRecord` reuses its bytes: no other message may be written before `append`.
    const record =
      spool === undefined ? undefined : writeRecord(recordOf(request, evaluation, { stage, loaded, now, leaseId }));
    this.#remember(request, context, evaluation);
    const { outcome, latencyUs } = response;
    meters.onEvaluation({ stage, outcome, latencyUs, unjudged: evaluation.unjudged });
    metered.span?.end(stage, evaluation);
    const stored = record === undefined ? undefined : spool?.append(record);
    return stored instanceof Promise ? stored.then(() => response) : response;
  }

  /** Has a candidate judge the same request: after the answer, or at once for a caller that asked for full detail. */
  #compare(
    { options }: EvaluateRequest,
    { evaluation, loaded }: { readonly evaluation: Evaluation; readonly loaded: LoadedBundle },
    evaluate: (by: LoadedCandidate) => Evaluation,
  ): void {
    const { candidates } = this.#options;
    if (candidates?.current === undefined) return;
    const { engine, bare, reference } = loaded;
    const active = () => (bare === engine ? evaluation : evaluate({ engine: bare, reference }));
    if (options?.detail === DetailLevel.FULL) evaluation.response.candidate = candidates.judge(active, evaluate);
    else candidates.consider(active, evaluate);
  }

  /** Does the work of an evaluation; when it fails, there was none. */
  #orNothing<T>(metered: Metered, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#drop(metered);
      throw error;
    }
  }

  /** Takes back what a failed evaluation was granted. */
  #drop({ leaseId, span }: Metered): void {
    this.#options.meter?.giveBack(leaseId);
    span?.fail();
  }

  #contextOf(
    request: EvaluateRequest,
    kind: EvaluationKind,
    loaded: LoadedBundle,
    {
      startedAtMs,
      ...times
    }: { readonly startedAtMs: number } & Pick<EvaluationContext, "onDetectorTime" | "onScanTime">,
  ): EvaluationContext {
    const { fingerprintKey, clock, sessions, memory } = this.#options;
    const now = clock.now();
    const stage = kind === "transcript" ? stageOfTranscript(request) : kind;
    const { sessionId } = request;
    return {
      stage,
      isTranscript: kind === "transcript",
      now,
      evaluationId: request.evaluationId?.toLowerCase() ?? newId(),
      fingerprintKey: fingerprintKey(),
      bundle: loaded.reference,
      memory,
      ...times,
      elapsedUs: () => (performance.now() - startedAtMs) * 1000,
      session:
        sessionId === undefined || this.belongsToPeer(request)
          ? undefined
          : sessions.view(sessionId, stage, now.getTime()),
    };
  }

  #remember(request: EvaluateRequest, { stage, now }: EvaluationContext, evaluation: Evaluation): void {
    const { sessionId, evaluationId } = request;
    if (sessionId === undefined || this.belongsToPeer(request)) return;
    const { sessionUpdate, vault } = evaluation;
    const update = sessionUpdate();
    this.#options.sessions.add(
      sessionId,
      { stage, evaluationId: evaluationId?.toLowerCase(), update, vault },
      now.getTime(),
    );
  }
}

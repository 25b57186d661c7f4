// One evaluation of the runtime: the engine decides, the record goes into the spool, the answer goes out. The record can
// neither delay nor fail the answer, except in durable mode, where the answer waits for the disk.

import type { EvaluateRequest, EvaluateResponse, ToolCall } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Explanation } from "../gen/policyguard/policy/v1/explanation_pb.ts";
import { DetailLevel, Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationRecordSchema } from "../gen/policyguard/policy/v1/record_pb.ts";
import { binaryViewer } from "../src/kit/binary-write.ts";
import type { Clock } from "../src/kit/clock.ts";
import { newId } from "../src/kit/id.ts";
import type { Backends } from "./backend/backends.ts";
import type { CandidateRunner, LoadedCandidate } from "./candidate.ts";
import type { BackendAnswers } from "./engine/backend.ts";
import type { Evaluation, EvaluationContext } from "./engine/evaluation.ts";
import { lazily } from "./engine/normalize.ts";
import { stageOfTranscript } from "./engine/piece.ts";
import type { ScanMemory } from "./engine/scan-memory.ts";
import type { EngineStream } from "./engine/stream/stream.ts";
import {
  assertJudgeable,
  assertOneOutput,
  assertSchemaKnown,
  assertStreamable,
  type Moment,
  statedMoment,
} from "./judgeable.ts";
import type { Meter } from "./lease-book.ts";
import type { BundleHolder, LoadedBundle } from "./loaded-bundle.ts";
import type { EvaluationMeters } from "./metrics.ts";
import type { Siblings } from "./process/sibling.ts";
import { recordOf } from "./record.ts";
import type { SessionStore } from "./session/session-store.ts";

const writeRecord = binaryViewer(EvaluationRecordSchema);

/** Takes finished records. */
export interface RecordSink {
  /** Takes a copy before it returns: the bytes are written over by the next record. */
  append(record: Uint8Array): number | Promise<number>;
}

/** Takes those of several evaluations together. */
export interface SharedRecordSink extends RecordSink {
  /** Runs the work, and returns when what it appended is where it would be had it been appended alone. */
  together(work: () => void): void;
}

/** What evaluations need of their process. */
export interface EvaluatorOptions {
  readonly holder: BundleHolder;
  /** Undefined for a runtime that reports to nobody. */
  readonly spool: RecordSink | undefined;
  readonly fingerprintKey: () => Uint8Array;
  readonly clock: Clock;
  readonly sessions: SessionStore;
  /** The other processes; undefined when there is one. */
  readonly siblings?: Siblings | undefined;
  /** Evaluates another version beside the one in force; undefined when there never is one. */
  readonly candidates?: Pick<CandidateRunner, "current" | "consider" | "judge">;
  /** Allows each evaluation; undefined for a runtime that is not metered. */
  readonly meter?: Meter;
  /** Asks detector backends; undefined where nobody does. */
  readonly backends?: Pick<Backends, "ask"> | undefined;
  /** What was found in texts before; undefined where nothing is remembered. */
  readonly memory?: ScanMemory | undefined;
  /** Takes note of evaluations. */
  readonly meters: EvaluationMeters;
}

/** A stream of text that is being judged. */
export interface OpenedStream {
  readonly stream: EngineStream;
  /** Asks detector backends about the whole text, before `finish`; undefined when there is nothing to ask. */
  readonly ask: (toolCalls: readonly ToolCall[]) => Promise<void> | undefined;
  /** Judges the whole text and records it; `released` is the rest of what may go on. */
  readonly finish: (toolCalls: readonly ToolCall[]) => {
    readonly released: string;
    readonly response: EvaluateResponse | Promise<EvaluateResponse>;
  };
  /** Lets go of a stream of which nothing came: there is no record, and nothing is metered. */
  readonly drop: () => void;
}

/** An evaluation that may be made: by which bundle, and on which lease. */
interface Metered {
  readonly loaded: LoadedBundle;
  readonly context: EvaluationContext;
  /** "" for one that is made without. */
  readonly leaseId: string;
}

/** Evaluates requests against the bundle in force. */
export class Evaluator {
  readonly #options: EvaluatorOptions;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  /** Judges a request. */
  async evaluate(request: EvaluateRequest, moment: Moment): Promise<EvaluateResponse> {
    return this.judge(request, moment);
  }

  /** Judges a request: at once, unless the answer has to wait for the disk. What it throws, it throws before it records. */
  judge(request: EvaluateRequest, moment: Moment): EvaluateResponse | Promise<EvaluateResponse> {
    const { siblings } = this.#options;
    const { sessionId } = request;
    if (sessionId === undefined || siblings === undefined || !siblings.keep(sessionId))
      return this.judgeOwn(request, moment);
    assertJudgeable(request, moment);
    // One trace, whoever answers in the end.
    request.evaluationId ??= newId();
    // A sibling that is away has forgotten the session: then nobody knows it.
    return siblings.evaluate(request, sessionId, moment).then((answer) => answer ?? this.judgeOwn(request, moment));
  }

  /** Whether another process has to judge a request, since it keeps its session. */
  isTheirs({ sessionId }: EvaluateRequest): boolean {
    return this.#options.siblings?.keep(sessionId) === true;
  }

  /** Judges a request here. A session that another process keeps is unknown. */
  judgeOwn(request: EvaluateRequest, moment: Moment): EvaluateResponse | Promise<EvaluateResponse> {
    const startedAtMs = performance.now();
    assertJudgeable(request, moment);
    const loaded = this.#options.holder.requireFor(request);
    assertSchemaKnown(request, loaded.engine.schemas);
    const context = this.#contextOf(request, moment, loaded, startedAtMs);
    const leaseId = this.#options.meter?.take(context.now) ?? "";
    const evaluate = (by: LoadedBundle, about: EvaluationContext) => by.engine.evaluate(request, about);
    const asking = this.#givingBack(leaseId, () => this.#ask(request, { loaded, context }, startedAtMs));
    if (asking === undefined) return this.#settle(request, { loaded, context, leaseId }, evaluate);
    return asking.then(
      (backends) => this.#settle(request, { loaded, context: { ...context, backends }, leaseId }, evaluate),
      (error: unknown) => {
        this.#options.meter?.giveBack(leaseId);
        throw error;
      },
    );
  }

  /** Judges a structured output by its schema alone. */
  judgeSchema(request: EvaluateRequest): EvaluateResponse | Promise<EvaluateResponse> {
    const startedAtMs = performance.now();
    assertJudgeable(request, Stage.OUTPUT);
    assertOneOutput(request);
    return this.#finish(request, Stage.OUTPUT, startedAtMs, (loaded, context) =>
      loaded.engine.evaluateSchema(request, context),
    );
  }

  /** Judges a request and says why. It leaves no trace. */
  async explain(request: EvaluateRequest): Promise<Explanation> {
    const startedAtMs = performance.now();
    const moment = statedMoment(request);
    assertJudgeable(request, moment);
    const loaded = this.#options.holder.requireFor(request);
    const context = this.#contextOf(request, moment, loaded, startedAtMs);
    const backends = await this.#ask(request, { loaded, context }, startedAtMs);
    return loaded.engine.explain(request, { ...context, backends }).explanation;
  }

  /**
   * Opens a stream of text, to be judged by the bundle that is in force now. The request has no text yet. It is metered here: a plan
   * that is exhausted must not release anything.
   */
  openStream(request: EvaluateRequest, stage: Stage): OpenedStream {
    assertStreamable(request, stage);
    const loaded = this.#options.holder.requireFor(request);
    assertSchemaKnown(request, loaded.engine.schemas);
    const opening = this.#contextOf(request, stage, loaded, performance.now());
    const { meter } = this.#options;
    const leaseId = meter?.take(opening.now) ?? "";
    const stream = this.#givingBack(leaseId, () => loaded.engine.openStream(request, opening));
    let backends: BackendAnswers | undefined;
    return {
      drop: () => meter?.giveBack(leaseId),
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
        const response = this.#settle(request, { loaded, context, leaseId }, (by, about) =>
          by === loaded ? end().evaluation : by.engine.evaluate(end().request, about),
        );
        return { released: end().released, response };
      },
    };
  }

  #finish(
    request: EvaluateRequest,
    moment: Moment,
    startedAtMs: number,
    evaluate: (loaded: LoadedBundle, context: EvaluationContext) => Evaluation,
  ): EvaluateResponse | Promise<EvaluateResponse> {
    const loaded = this.#options.holder.requireFor(request);
    assertSchemaKnown(request, loaded.engine.schemas);
    const context = this.#contextOf(request, moment, loaded, startedAtMs);
    const leaseId = this.#options.meter?.take(context.now) ?? "";
    return this.#settle(request, { loaded, context, leaseId }, evaluate);
  }

  /** What backends say of a request; undefined when its bundle asks none about it. */
  #ask(
    request: EvaluateRequest,
    { loaded, context }: Pick<Metered, "loaded" | "context">,
    startedAtMs: number,
  ): Promise<BackendAnswers> | undefined {
    const { backends } = this.#options;
    if (backends === undefined || loaded.engine.backends.length === 0) return undefined;
    const questions = loaded.engine.questionsOf(request, context);
    return questions.length === 0 ? undefined : backends.ask(questions, loaded.backends, startedAtMs);
  }

  #settle(
    request: EvaluateRequest,
    { loaded, context, leaseId }: Metered,
    evaluate: (loaded: LoadedBundle, context: EvaluationContext) => Evaluation,
  ): EvaluateResponse | Promise<EvaluateResponse> {
    const { spool, meters } = this.#options;
    const { stage, now } = context;
    const evaluation = this.#givingBack(leaseId, () => evaluate(loaded, context));
    const { response } = evaluation;
    this.#compare(request, evaluation, (candidate) =>
      evaluate({ ...loaded, ...candidate }, { ...context, bundle: candidate.reference, onDetectorTime: undefined }),
    );
    // Nothing between here and `append` writes a message.
    const record =
      spool === undefined ? undefined : writeRecord(recordOf(request, evaluation, { stage, loaded, now, leaseId }));
    this.#remember(request, context, evaluation);
    const { outcome, latencyUs } = response;
    meters.onEvaluation({ stage, outcome, latencyUs, unjudged: evaluation.unjudged });
    const stored = record === undefined ? undefined : spool?.append(record);
    return stored instanceof Promise ? stored.then(() => response) : response;
  }

  /** Has a candidate judge the same: after the answer, or at once for a caller that asked for every detail. */
  #compare(
    { options }: EvaluateRequest,
    evaluation: Evaluation,
    evaluate: (candidate: LoadedCandidate) => Evaluation,
  ): void {
    const { candidates } = this.#options;
    if (candidates?.current === undefined) return;
    if (options?.detail === DetailLevel.FULL) evaluation.response.candidate = candidates.judge(evaluation, evaluate);
    else candidates.consider(evaluation, evaluate);
  }

  /** What came to nothing gives back what was taken for it. */
  #givingBack<T>(leaseId: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#options.meter?.giveBack(leaseId);
      throw error;
    }
  }

  #contextOf(request: EvaluateRequest, moment: Moment, loaded: LoadedBundle, startedAtMs: number): EvaluationContext {
    const { fingerprintKey, clock, sessions, memory, meters } = this.#options;
    const now = clock.now();
    const stage = moment === "transcript" ? stageOfTranscript(request) : moment;
    const { sessionId } = request;
    return {
      stage,
      isTranscript: moment === "transcript",
      now,
      evaluationId: request.evaluationId?.toLowerCase() ?? newId(),
      fingerprintKey: fingerprintKey(),
      bundle: loaded.reference,
      memory,
      onDetectorTime: meters.detectorTime?.(),
      elapsedUs: () => (performance.now() - startedAtMs) * 1000,
      session:
        sessionId === undefined || this.isTheirs(request) ? undefined : sessions.view(sessionId, stage, now.getTime()),
    };
  }

  #remember(request: EvaluateRequest, { stage, now }: EvaluationContext, evaluation: Evaluation): void {
    const { sessionId, evaluationId } = request;
    if (sessionId === undefined || this.isTheirs(request)) return;
    const { sessionUpdate: update, vault } = evaluation;
    this.#options.sessions.add(
      sessionId,
      { stage, evaluationId: evaluationId?.toLowerCase(), update, vault },
      now.getTime(),
    );
  }
}

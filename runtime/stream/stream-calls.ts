// Streams of single calls: opened, pushed to and finished by calls of their own, in the process that keeps them. With several processes
// the id of a stream begins with the number of its process, and whichever is called hands the call on. A stream of a session is kept where
// the session is.

import { create } from "@bufbuild/protobuf";
import { type EvaluateRequest, EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { StreamOpening } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import {
  type FinishStreamRequest,
  type FinishStreamResponse,
  FinishStreamResponseSchema,
  type OpenStreamRequest,
  type OpenStreamResponse,
  OpenStreamResponseSchema,
  type PushStreamChunkRequest,
  type PushStreamChunkResponse,
  PushStreamChunkResponseSchema,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { Clock } from "../../src/kit/clock.ts";
import { notFound, validationFailed } from "../../src/kit/error.ts";
import type { Siblings } from "../process/sibling.ts";
import type { LiveStream, OpenStreams } from "./open-streams.ts";
import type { StreamSessions } from "./stream-sessions.ts";

/** The calls about a stream. `caller` is who opened it; others do not know it. */
export interface StreamCalls {
  open(request: OpenStreamRequest, caller: string): Promise<OpenStreamResponse>;
  push(request: PushStreamChunkRequest, caller: string): Promise<PushStreamChunkResponse>;
  finish(request: FinishStreamRequest, caller: string): Promise<FinishStreamResponse>;
  /** Ends a stream whose caller is gone. Nothing happens for one that is over. */
  cancel(streamId: string, caller: string): Promise<void>;
}

/** What own streams stand on. */
export interface OwnStreamParts {
  readonly streams: OpenStreams;
  readonly sessions: StreamSessions;
  readonly clock: Clock;
}

/** Opens a stream here. */
export function openHere(opening: StreamOpening | undefined, streams: OpenStreams): LiveStream {
  const stage = opening?.stage === undefined || opening.stage === Stage.UNSPECIFIED ? Stage.OUTPUT : opening.stage;
  if (stage === Stage.TOOL_CALL || stage === Stage.RETRIEVAL)
    throw validationFailed([{ field: "open.stage", message: "expected input, output or tool_result" }]);
  return streams.open(requestOf(opening), stage);
}

function requestOf(opening: StreamOpening | undefined): EvaluateRequest {
  return opening?.request ?? create(EvaluateRequestSchema);
}

/** The streams that this process keeps. */
export class OwnStreams implements StreamCalls {
  readonly #parts: OwnStreamParts;

  constructor(parts: OwnStreamParts) {
    this.#parts = parts;
  }

  async open({ opening }: OpenStreamRequest, caller: string): Promise<OpenStreamResponse> {
    const { streams, sessions } = this.#parts;
    const stream = openHere(opening, streams);
    return create(OpenStreamResponseSchema, {
      streamId: sessions.add(stream, caller, this.#nowMs),
      idleSeconds: streams.limits.idleMs / 1000,
      untilVerdict: stream.untilVerdict,
    });
  }

  async push({ streamId, delta, toolCalls }: PushStreamChunkRequest, caller: string): Promise<PushStreamChunkResponse> {
    const stream = this.#get(streamId, caller);
    for (const part of toolCalls) stream.addCall(part);
    const { released, findings, heldBack, isClosed } = stream.push(delta);
    return create(PushStreamChunkResponseSchema, {
      step: { released, findings: [...findings], heldBack, closed: isClosed },
    });
  }

  async finish({ streamId }: FinishStreamRequest, caller: string): Promise<FinishStreamResponse> {
    const asking = this.#get(streamId, caller).ask();
    if (asking !== undefined) await asking;
    // Meanwhile somebody else may have ended it.
    const stream = this.#get(streamId, caller);
    const { released, verdict } = stream.finish();
    this.#parts.sessions.remove(streamId);
    return create(FinishStreamResponseSchema, { released, verdict: await verdict });
  }

  async cancel(streamId: string, caller: string): Promise<void> {
    const stream = this.#parts.sessions.find(streamId, caller);
    this.#parts.sessions.remove(streamId);
    stream?.cancel();
  }

  #get(streamId: string, caller: string): LiveStream {
    return this.#parts.sessions.get(streamId, caller, this.#nowMs);
  }

  get #nowMs(): number {
    return this.#parts.clock.now().getTime();
  }
}

/** The streams of all processes. */
export class FamilyStreams implements StreamCalls {
  readonly #own: StreamCalls;
  readonly #siblings: Siblings;

  constructor(own: StreamCalls, siblings: Siblings) {
    this.#own = own;
    this.#siblings = siblings;
  }

  /** Whether another process has to keep a stream, since it keeps its session. */
  isTheirs(opening: StreamOpening | undefined): boolean {
    return this.#siblings.keep(requestOf(opening).sessionId);
  }

  async open(request: OpenStreamRequest, caller: string): Promise<OpenStreamResponse> {
    const { sessionId } = requestOf(request.opening);
    if (sessionId === undefined || !this.isTheirs(request.opening)) return this.#own.open(request, caller);
    // A sibling that is away has forgotten the session: then nobody knows it.
    return (await this.#siblings.openStream(request, sessionId, caller)) ?? this.#own.open(request, caller);
  }

  push(request: PushStreamChunkRequest, caller: string): Promise<PushStreamChunkResponse> {
    const index = this.#indexOf(request.streamId);
    return index === undefined ? this.#own.push(request, caller) : this.#siblings.pushStream(request, index, caller);
  }

  finish(request: FinishStreamRequest, caller: string): Promise<FinishStreamResponse> {
    const index = this.#indexOf(request.streamId);
    return index === undefined
      ? this.#own.finish(request, caller)
      : this.#siblings.finishStream(request, index, caller);
  }

  async cancel(streamId: string, caller: string): Promise<void> {
    const index = this.#indexOf(streamId);
    if (index === undefined) await this.#own.cancel(streamId, caller);
    else await this.#siblings.cancelStream(streamId, index, caller);
  }

  /** The other process that an id names; undefined for this one. */
  #indexOf(streamId: string): number | undefined {
    const { index: own, count } = this.#siblings.place;
    const index = Number(/^(\d{1,2})\./.exec(streamId)?.[1] ?? own);
    if (index >= count) throw notFound("stream");
    return index === own ? undefined : index;
  }
}

// Streams by unary calls: each call opens, pushes to or finishes a stream in the process that keeps it. With several
// processes the id of a stream begins with the index of its process ("3.x9…"), and any process forwards the call there.
// The stream of a session is kept by the process of the session.

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
import { notFound, validationFailed } from "../../src/kit/fault/fault.ts";
import type { Clock } from "../../src/kit/process/clock.ts";
import type { StreamCalls } from "../cluster/peer.ts";
import type { Peers } from "../cluster/peer-socket.ts";
import type { LiveStream, OpenStreams } from "./open-streams.ts";
import type { StreamSessions } from "./stream-sessions.ts";

/** The parts that local streams use. */
export interface LocalStreamParts {
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

/** Calls about the streams that this process keeps. */
export class LocalStreams implements StreamCalls {
  readonly #parts: LocalStreamParts;

  constructor(parts: LocalStreamParts) {
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
    // Another call may have ended it in the meantime.
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

/** Calls about the streams of all processes: each goes to the process that keeps the stream. */
export class RoutedStreams implements StreamCalls {
  readonly #own: StreamCalls;
  readonly #peers: Peers;

  constructor(own: StreamCalls, peers: Peers) {
    this.#own = own;
    this.#peers = peers;
  }

  /** Whether another process keeps the session of a stream, and so the stream. */
  belongsToPeer(opening: StreamOpening | undefined): boolean {
    return this.#peers.keep(requestOf(opening).sessionId);
  }

  async open(request: OpenStreamRequest, caller: string): Promise<OpenStreamResponse> {
    const { sessionId } = requestOf(request.opening);
    if (sessionId === undefined || !this.belongsToPeer(request.opening)) return this.#own.open(request, caller);
    // A peer that does not answer has lost the session: then it is unknown everywhere.
    return (await this.#peers.openStream(request, sessionId, caller)) ?? this.#own.open(request, caller);
  }

  push(request: PushStreamChunkRequest, caller: string): Promise<PushStreamChunkResponse> {
    const index = this.#indexOf(request.streamId);
    return index === undefined ? this.#own.push(request, caller) : this.#peers.pushStream(request, index, caller);
  }

  finish(request: FinishStreamRequest, caller: string): Promise<FinishStreamResponse> {
    const index = this.#indexOf(request.streamId);
    return index === undefined ? this.#own.finish(request, caller) : this.#peers.finishStream(request, index, caller);
  }

  async cancel(streamId: string, caller: string): Promise<void> {
    const index = this.#indexOf(streamId);
    if (index === undefined) await this.#own.cancel(streamId, caller);
    else await this.#peers.cancelStream(streamId, index, caller);
  }

  /** The other process that an id names; undefined for this one. */
  #indexOf(streamId: string): number | undefined {
    const { index: own, count } = this.#peers.slot;
    const index = Number(/^(\d{1,2})\./.exec(streamId)?.[1] ?? own);
    if (index >= count) throw notFound("stream");
    return index === own ? undefined : index;
  }
}

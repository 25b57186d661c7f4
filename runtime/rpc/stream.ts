// Streams of text over RPC: both ways at once over HTTP/2, or by one call for each part.

import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { StreamOpening } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import {
  type EvaluateStreamRequest,
  type EvaluateStreamResponse,
  EvaluateStreamResponseSchema,
  type EvaluationService,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { Clock } from "../../src/kit/clock.ts";
import { callerOf } from "../../src/kit/context.ts";
import { Fault, validationFailed } from "../../src/kit/error.ts";
import type { LiveStream, OpenStreams } from "../stream/open-streams.ts";
import type { StreamSessions } from "../stream/stream-sessions.ts";

/** What the handlers of streams work with. */
export interface StreamParts {
  readonly streams: OpenStreams;
  readonly streamSessions: StreamSessions;
  readonly clock: Clock;
}

type Handlers = Pick<
  ServiceImpl<typeof EvaluationService>,
  "evaluateStream" | "openStream" | "pushStreamChunk" | "finishStream"
>;

/** Handlers of streams. */
export function streamHandlers({ streams, streamSessions, clock }: StreamParts): Handlers {
  const nowMs = () => clock.now().getTime();
  return {
    evaluateStream: (requests, { signal }) => evaluateStream(requests, streams, signal),
    openStream: ({ opening }, context) => {
      const stream = openBy(opening, streams);
      return {
        streamId: streamSessions.add(stream, callerId(context), nowMs()),
        idleSeconds: streams.limits.idleMs / 1000,
        untilVerdict: stream.untilVerdict,
      };
    },
    pushStreamChunk: ({ streamId, delta, toolCalls }, context) => {
      const stream = streamSessions.get(streamId, callerId(context), nowMs());
      for (const part of toolCalls) stream.addCall(part);
      const { released, findings, heldBack, isClosed } = stream.push(delta);
      return { step: { released, findings: [...findings], heldBack, closed: isClosed } };
    },
    finishStream: async ({ streamId }, context) => {
      const open = () => streamSessions.get(streamId, callerId(context), nowMs());
      const asking = open().ask();
      if (asking !== undefined) await asking;
      // Meanwhile somebody else may have ended it.
      const stream = open();
      const { released, verdict } = stream.finish();
      streamSessions.remove(streamId);
      return { released, verdict: await verdict };
    },
  };
}

function callerId(context: HandlerContext): string {
  const { credential } = callerOf(context);
  return credential.id;
}

function openBy(opening: StreamOpening | undefined, streams: OpenStreams): LiveStream {
  const request = opening?.request ?? create(EvaluateRequestSchema);
  const stage = opening?.stage === undefined || opening.stage === Stage.UNSPECIFIED ? Stage.OUTPUT : opening.stage;
  if (stage === Stage.TOOL_CALL || stage === Stage.RETRIEVAL)
    throw validationFailed([{ field: "open.stage", message: "expected input, output or tool_result" }]);
  return streams.open(request, stage);
}

// The next message is read when what this one led to has been taken: a caller that does not read is not read from.
async function* evaluateStream(
  requests: AsyncIterable<EvaluateStreamRequest>,
  streams: OpenStreams,
  signal: AbortSignal,
): AsyncGenerator<EvaluateStreamResponse> {
  let stream: LiveStream | undefined;
  const source = withinTime(requests, streams.limits, signal);
  try {
    for await (const { part } of source) {
      if (part.case === "finish") break;
      if (part.case === "open" && stream === undefined) stream = openBy(part.value, streams);
      else if (stream === undefined || part.case === "open")
        throw validationFailed([{ field: "open", message: "expected once, before everything else" }]);
      else if (part.case === "toolCall") stream.addCall(part.value);
      else if (part.case === "delta") yield* eventsOf(stream, part.value);
    }
    if (stream === undefined) throw validationFailed([{ field: "open", message: "expected before the end" }]);
    const asking = stream.ask();
    if (asking !== undefined) await asking;
    const { released, verdict } = stream.finish();
    if (released !== "") yield event({ case: "release", value: released });
    yield event({ case: "verdict", value: await verdict });
  } finally {
    stream?.cancel();
  }
}

function* eventsOf(stream: LiveStream, delta: string): Generator<EvaluateStreamResponse> {
  const { released, findings } = stream.push(delta);
  for (const finding of findings) yield event({ case: "finding", value: finding });
  if (released !== "") yield event({ case: "release", value: released });
}

function event(value: EvaluateStreamResponse["event"]): EvaluateStreamResponse {
  return create(EvaluateStreamResponseSchema, { event: value });
}

// A stream that never finishes ends by itself: after a pause between two messages, or after its longest time.
async function* withinTime<T>(
  messages: AsyncIterable<T>,
  { idleMs, longestMs }: OpenStreams["limits"],
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const endsAtMs = performance.now() + longestMs;
  try {
    for (;;) {
      const next = await orTimeout(iterator.next(), Math.min(idleMs, endsAtMs - performance.now()), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // A source that waits for its caller may never answer; nobody waits for it.
    void iterator.return?.()?.then(undefined, () => undefined);
  }
}

function orTimeout<T>(promise: Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Fault(Reason.DEADLINE_EXCEEDED, "nothing came on the stream for too long"));
    const abort = () => reject(signal.reason);
    const timer = setTimeout(expire, Math.max(0, timeoutMs));
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    });
  });
}

// Streams of text over RPC: both ways at once over HTTP/2, or by one call for each part.

import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { StreamOpening } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import {
  type EvaluateStreamRequest,
  type EvaluateStreamResponse,
  EvaluateStreamResponseSchema,
  type EvaluationService,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { validationFailed } from "../../src/kit/fault/fault.ts";
import { callerOf } from "../../src/kit/rpc/context.ts";
import type { StreamCalls } from "../cluster/peer.ts";
import type { OpenStreams } from "../stream/open-streams.ts";
import { openHere, RoutedStreams } from "../stream/stream-calls.ts";
import { localStream, routedStream, type StreamHandle } from "../stream/stream-handle.ts";
import { whileTaken, withinTime } from "../stream/timeouts.ts";
import { yieldToEventLoop } from "../stream/yield.ts";

/** The parts that the handlers of streams use. */
export interface StreamParts {
  readonly streams: OpenStreams;
  readonly streamCalls: StreamCalls;
}

type Handlers = Pick<
  ServiceImpl<typeof EvaluationService>,
  "evaluateStream" | "openStream" | "pushStreamChunk" | "finishStream"
>;

/** Handlers of streams. */
export function streamHandlers({ streams, streamCalls }: StreamParts): Handlers {
  const open = (opening: StreamOpening | undefined, caller: string) =>
    streamCalls instanceof RoutedStreams && streamCalls.belongsToPeer(opening)
      ? routedStream(opening, streamCalls, caller)
      : localStream(openHere(opening, streams));
  return {
    evaluateStream: (requests, context) => {
      const { limits } = streams;
      const current: { stream?: StreamHandle } = {};
      const parts = withinTime(requests, limits, context.signal);
      const events = evaluateStream(parts, current, (opening) => open(opening, callerId(context)));
      return whileTaken(events, limits.idleMs, () => current.stream?.cancel());
    },
    openStream: (request, context) => streamCalls.open(request, callerId(context)),
    pushStreamChunk: async (request, context) => {
      await yieldToEventLoop();
      return streamCalls.push(request, callerId(context));
    },
    finishStream: (request, context) => streamCalls.finish(request, callerId(context)),
  };
}

function callerId(context: HandlerContext): string {
  const { credential } = callerOf(context);
  return credential.id;
}

// The next message is read only after the events of this one were taken: the runtime does not read from a caller that
// does not read.
async function* evaluateStream(
  requests: AsyncIterable<EvaluateStreamRequest>,
  current: { stream?: StreamHandle },
  open: (opening: StreamOpening) => StreamHandle | Promise<StreamHandle>,
): AsyncGenerator<EvaluateStreamResponse> {
  let stream: StreamHandle | undefined;
  try {
    for await (const { part } of requests) {
      if (part.case === "finish") break;
      if (part.case === "open" && stream === undefined) {
        stream = await open(part.value);
        current.stream = stream;
      } else if (stream === undefined || part.case === "open")
        throw validationFailed([{ field: "open", message: "expected once, before everything else" }]);
      else if (part.case === "toolCall") stream.addCall(part.value);
      else if (part.case === "delta") yield* eventsOf(stream, part.value);
    }
    if (stream === undefined) throw validationFailed([{ field: "open", message: "expected before the end" }]);
    const { released, verdict } = await stream.finish();
    if (released !== "") yield event({ case: "release", value: released });
    yield event({ case: "verdict", value: await verdict });
  } finally {
    stream?.cancel();
  }
}

async function* eventsOf(stream: StreamHandle, delta: string): AsyncGenerator<EvaluateStreamResponse> {
  const { released, findings } = await stream.push(delta);
  for (const finding of findings) yield event({ case: "finding", value: finding });
  if (released !== "") yield event({ case: "release", value: released });
}

function event(value: EvaluateStreamResponse["event"]): EvaluateStreamResponse {
  return create(EvaluateStreamResponseSchema, { event: value });
}

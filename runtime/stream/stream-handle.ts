// One stream of a caller that sends and receives at once. It is kept here, or by the peer that keeps its session.

import { create } from "@bufbuild/protobuf";
import type { EvaluateResponse, Finding } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { StreamOpening, ToolCallPart } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import {
  FinishStreamRequestSchema,
  OpenStreamRequestSchema,
  PushStreamChunkRequestSchema,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { StreamCalls } from "../cluster/peer.ts";
import type { LiveStream } from "./open-streams.ts";

/** A step of a stream. */
export interface StreamHandleStep {
  readonly released: string;
  readonly findings: readonly Finding[];
}

/** An open stream, wherever it is kept. */
export interface StreamHandle {
  push(delta: string): StreamHandleStep | Promise<StreamHandleStep>;
  addCall(part: ToolCallPart): void;
  /** Asks detector backends, and ends the stream. */
  finish(): Promise<{ readonly released: string; readonly verdict: EvaluateResponse | Promise<EvaluateResponse> }>;
  /** Ends a stream whose caller is gone; nothing happens when it is over. */
  cancel(): void;
}

/** A stream that is kept here. */
export function localStream(stream: LiveStream): StreamHandle {
  return {
    push: (delta) => stream.push(delta),
    addCall: (part) => stream.addCall(part),
    finish: async () => {
      const asking = stream.ask();
      if (asking !== undefined) await asking;
      return stream.finish();
    },
    cancel: () => stream.cancel(),
  };
}

/** Opens a stream that another process may keep. */
export async function routedStream(
  opening: StreamOpening | undefined,
  calls: StreamCalls,
  caller: string,
): Promise<StreamHandle> {
  const { streamId } = await calls.open(create(OpenStreamRequestSchema, { opening }), caller);
  let parts: ToolCallPart[] = [];
  let isOver = false;
  const push = async (delta: string): Promise<StreamHandleStep> => {
    const toolCalls = parts;
    parts = [];
    const { step } = await calls.push(create(PushStreamChunkRequestSchema, { streamId, delta, toolCalls }), caller);
    return { released: step?.released ?? "", findings: step?.findings ?? [] };
  };
  return {
    push,
    // Only the verdict judges them, so they go with the next message.
    addCall: (part) => void parts.push(part),
    finish: async () => {
      const before = parts.length === 0 ? "" : (await push("")).released;
      const { released, verdict } = await calls.finish(create(FinishStreamRequestSchema, { streamId }), caller);
      isOver = true;
      if (verdict === undefined) throw new Error("a stream ended without a verdict");
      return { released: before + released, verdict };
    },
    cancel: () => {
      // A stream that ended with its process or by its time limit needs no cancelling.
      if (!isOver) calls.cancel(streamId, caller).catch(() => undefined);
      isOver = true;
    },
  };
}

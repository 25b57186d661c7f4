// One stream of text of a caller that sends and receives at once: kept here, or by the sibling that keeps its session.

import { create } from "@bufbuild/protobuf";
import type { EvaluateResponse, Finding } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { StreamOpening, ToolCallPart } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import {
  FinishStreamRequestSchema,
  OpenStreamRequestSchema,
  PushStreamChunkRequestSchema,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { LiveStream } from "./open-streams.ts";
import type { StreamCalls } from "./stream-calls.ts";

/** A step of a stream. */
export interface UnderWayStep {
  readonly released: string;
  readonly findings: readonly Finding[];
}

/** A stream that is under way. */
export interface StreamUnderWay {
  push(delta: string): UnderWayStep | Promise<UnderWayStep>;
  addCall(part: ToolCallPart): void;
  /** Asks what has to be known, and ends it. */
  finish(): Promise<{ readonly released: string; readonly verdict: EvaluateResponse | Promise<EvaluateResponse> }>;
  /** Ends a stream whose caller is gone; nothing happens when it is over. */
  cancel(): void;
}

/** A stream that is kept here. */
export function nearStream(stream: LiveStream): StreamUnderWay {
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

/** Opens a stream by calls, so that it may be kept elsewhere. */
export async function farStream(
  opening: StreamOpening | undefined,
  calls: StreamCalls,
  caller: string,
): Promise<StreamUnderWay> {
  const { streamId } = await calls.open(create(OpenStreamRequestSchema, { opening }), caller);
  let parts: ToolCallPart[] = [];
  let isOver = false;
  const push = async (delta: string): Promise<UnderWayStep> => {
    const toolCalls = parts;
    parts = [];
    const { step } = await calls.push(create(PushStreamChunkRequestSchema, { streamId, delta, toolCalls }), caller);
    return { released: step?.released ?? "", findings: step?.findings ?? [] };
  };
  return {
    push,
    // They are judged by the verdict only, so they go with whatever is sent next.
    addCall: (part) => void parts.push(part),
    finish: async () => {
      const before = parts.length === 0 ? "" : (await push("")).released;
      const { released, verdict } = await calls.finish(create(FinishStreamRequestSchema, { streamId }), caller);
      isOver = true;
      if (verdict === undefined) throw new Error("a stream ended without a verdict");
      return { released: before + released, verdict };
    },
    cancel: () => {
      // One that is gone already, with its process or by its time limit, needs no cancelling.
      if (!isOver) calls.cancel(streamId, caller).catch(() => undefined);
      isOver = true;
    },
  };
}

// Two ways to have a stream judged: one call that goes both ways, where HTTP/2 is at hand, and single calls elsewhere.

import type { CallOptions, Client } from "@connectrpc/connect";
import type {
  EvaluateStreamRequest,
  EvaluateStreamResponse,
  EvaluationService,
} from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { callWithRetries } from "./call.ts";

/** What a caller sends: the opening, text, the end. */
export type StreamPart = EvaluateStreamRequest["part"];

/** What comes back: text that is released, findings, the verdict. */
export type StreamEvent = EvaluateStreamResponse["event"];

/** Limits of a stream. */
export interface StreamLimits {
  /** For the opening, and for each call where there are several. */
  readonly timeoutMs: number;
  /** Of the opening, which is all that can be repeated. */
  readonly retries: number;
  readonly signal: AbortSignal;
}

/** Has the parts judged, and yields what the runtime answers. */
export type StreamCall = (parts: AsyncIterable<StreamPart>, limits: StreamLimits) => AsyncIterable<StreamEvent>;

/** One call in both directions. */
export function duplexStream(client: Client<typeof EvaluationService>): StreamCall {
  return async function* (parts, { signal }) {
    // A stream may take minutes: its reader ends it, not a limit of the whole call.
    for await (const { event } of client.evaluateStream(requestsOf(parts), { signal, timeoutMs: 0 })) yield event;
  };
}

async function* requestsOf(parts: AsyncIterable<StreamPart>): AsyncGenerator<{ readonly part: StreamPart }> {
  for await (const part of parts) yield { part };
}

/** A call for each part. */
export function chunkedStream(client: Client<typeof EvaluationService>): StreamCall {
  return async function* (parts, { timeoutMs, retries, signal }) {
    const options: CallOptions = { signal, timeoutMs };
    let streamId = "";
    for await (const { case: kind, value } of parts) {
      if (kind === "open") {
        const open = (attempt: CallOptions) => client.openStream({ opening: value }, attempt);
        streamId = (await callWithRetries(open, { timeoutMs, retries, signal })).streamId;
      } else if (kind === "delta") {
        const { step } = await client.pushStreamChunk({ streamId, delta: value }, options);
        yield { case: "release", value: step?.released ?? "" };
        for (const finding of step?.findings ?? []) yield { case: "finding", value: finding };
      } else if (kind === "finish") {
        const { released, verdict } = await client.finishStream({ streamId }, options);
        yield { case: "release", value: released };
        if (verdict !== undefined) yield { case: "verdict", value: verdict };
      }
    }
  };
}

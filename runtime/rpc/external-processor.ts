import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import {
  type ExternalProcessor,
  type ProcessingRequest,
  ProcessingResponseSchema,
} from "../../gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { Exchange, type ExchangeParts } from "../adapters/envoy/exchange.ts";
import { whileTaken, withinTime } from "../stream/timeouts.ts";

/** Bounds of one stream. docs/how-to/guard-a-mesh.md documents them. */
const limits = {
  /** Max time between two messages: a model may take that long for its answer. */
  idleMs: 15 * 60_000,
  maxDurationMs: Number.POSITIVE_INFINITY,
} as const;

const takenWithinMs = 60_000;

/** Handlers of Envoy's ExternalProcessor. */
export function externalProcessorHandlers(parts: ExchangeParts): ServiceImpl<typeof ExternalProcessor> {
  return {
    process: (requests, { signal }) => {
      const stalled = new AbortController();
      const messages = withinTime(requests, limits, AbortSignal.any([signal, stalled.signal]));
      const onStalled = () => stalled.abort(new ConnectError("the caller does not take the answers", Code.Canceled));
      return whileTaken(answers(messages, new Exchange(parts)), takenWithinMs, onStalled);
    },
  };
}

async function* answers(messages: AsyncIterable<ProcessingRequest>, exchange: Exchange) {
  for await (const message of messages) {
    const answer = await exchange.answer(message);
    yield create(ProcessingResponseSchema, answer);
    // Envoy has ended the exchange, and reads no further answers.
    if (answer.response?.case === "immediateResponse") return;
  }
}

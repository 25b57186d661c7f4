// Two ways to have a stream judged: one call that goes both ways, where HTTP/2 is at hand, and single calls elsewhere.

import type { CallOptions, Client } from "@connectrpc/connect";
import type {
  EvaluateStreamRequest,
  EvaluateStreamResponse,
  EvaluationService,
} from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { callWithRetries } from "./call.ts";
import { failureOf, RequestError, UnavailableError } from "./error.ts";

/** What a caller sends: the opening, text, the end. */
export type StreamPart = EvaluateStreamRequest["part"];

/** What comes back: text that is released, findings, the verdict. */
export type StreamEvent = EvaluateStreamResponse["event"];

/** Limits of a stream. */
export interface StreamLimits {
  /** For the opening with its repetitions, and for each call where there are several. */
  readonly timeoutMs: number;
  /** Of the opening, which is all that can be repeated. */
  readonly retries: number;
  readonly signal: AbortSignal;
}

/** Has the parts judged, and yields what the runtime answers. */
export type StreamCall = (parts: AsyncIterable<StreamPart>, limits: StreamLimits) => AsyncIterable<StreamEvent>;

/** One call in both directions. */
export function duplexStream(client: Client<typeof EvaluationService>): StreamCall {
  return async function* (parts, limits) {
    const { signal } = limits;
    const sent = new RepeatableParts(parts);
    // A stream may take minutes: whoever judges it ends it, not a limit of the whole call.
    const open = async () => {
      const events = client.evaluateStream(sent.requests(), { signal, timeoutMs: 0 })[Symbol.asyncIterator]();
      return { events, first: await events.next().catch((thrown) => Promise.reject(sent.failureOf(thrown))) };
    };
    const { events, first } = await callWithRetries(open, limits);
    sent.letGo();
    try {
      for (let next = first; !next.done; next = await events.next()) yield next.value.event;
    } finally {
      await events.return?.();
    }
  };
}

/** Beyond so much text without an answer, a stream is not begun again. */
const maxRepeatedUnits = 65_536;

/** The parts of a stream, for each attempt from the first one, until the runtime has answered. */
class RepeatableParts {
  readonly #source: AsyncIterator<StreamPart>;
  readonly #kept = new Map<number, Promise<IteratorResult<StreamPart>>>();
  #attempts = 0;
  /** The last part whose text was counted. */
  #counted = -1;
  #units = 0;
  #isKept = true;

  constructor(parts: AsyncIterable<StreamPart>) {
    this.#source = parts[Symbol.asyncIterator]();
  }

  async *requests(): AsyncGenerator<{ readonly part: StreamPart }> {
    this.#attempts += 1;
    const attempt = this.#attempts;
    // An attempt that has failed may still wait for the part that the next one gets. It takes no other.
    for (let at = 0; attempt === this.#attempts; at++) {
      const taken = this.#kept.get(at) ?? this.#source.next();
      this.#kept.set(at, taken);
      const { value: part, done } = await taken;
      if (done || attempt !== this.#attempts) return;
      this.#forget(at, part);
      yield { part };
    }
  }

  /** There will be no other attempt. What this one has not sent yet is still there. */
  letGo(): void {
    this.#isKept = false;
  }

  #forget(at: number, part: StreamPart): void {
    if (part.case === "delta" && at > this.#counted) this.#units += part.value.length;
    this.#counted = Math.max(this.#counted, at);
    if (this.#units > maxRepeatedUnits) this.letGo();
    if (this.#isKept) return;
    for (const sent of this.#kept.keys()) if (sent <= at) this.#kept.delete(sent);
  }

  /** Why an attempt failed; for good when it cannot be repeated. */
  failureOf(thrown: unknown): UnavailableError | RequestError {
    const failure = failureOf(thrown);
    if (this.#isKept || failure instanceof RequestError) return failure;
    return new UnavailableError(failure.reason, failure.message, { isTransient: false, cause: failure });
  }
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

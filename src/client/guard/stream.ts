// A pair of web streams: unjudged text goes in, released text comes out. A block ends the readable side with a
// BlockedError, and the writable side too, so that `pipeThrough` cancels the source and the model stops.

import { Mode, Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { StreamOpening } from "../../../gen/policyguard/policy/v1/stream_pb.ts";
import { BlockedError, type StageName } from "./blocked.ts";
import { wellFormed } from "./content.ts";
import { type Decision, decisionOf, passed } from "./decision.ts";
import { failureOf, GuardError, RequestError, UnavailableError } from "./error.ts";
import { PartQueue } from "./part-queue.ts";
import { type RestoreTexts, RestoringText } from "./restore.ts";
import type { StreamCall, StreamEvent, StreamPart } from "./stream-call.ts";

/** A stream that is judged while it comes: for `pipeThrough`. */
export interface GuardedStream {
  /** What may go on. Fails with a BlockedError when the policy blocks. */
  readonly readable: ReadableStream<string>;
  /** Takes the text as it comes, cut anywhere. */
  readonly writable: WritableStream<string>;
  /** The decision about the whole text, a block too. Rejects when none could be made. */
  readonly decision: Promise<Decision>;
}

/** What a stream is about, and how it is called. */
export interface StreamSettings {
  readonly stage: StageName;
  readonly opening: StreamOpening;
  readonly call: StreamCall;
  readonly onUnavailable: "block" | "allow";
  readonly timeoutMs: number;
  readonly retries: number;
  readonly signal?: AbortSignal;
  /** Puts originals back into what is released. */
  readonly restore?: RestoreTexts;
}

/** Opens when it is first read. */
export function guardedStream(settings: StreamSettings): GuardedStream {
  const judging = new Judging(settings);
  // Nothing is read ahead, so that an error does not discard what was released before it.
  const readable = new ReadableStream<string>(
    { pull: (controller) => judging.pull(controller), cancel: (reason) => judging.giveUp(reason) },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<string>({
    start: (controller) => judging.connect(controller),
    write: (text) => judging.write(text),
    close: () => judging.close(),
    abort: (reason) => judging.giveUp(reason),
  });
  return { readable, writable, decision: judging.decision };
}

class Judging {
  readonly decision: Promise<Decision>;
  readonly #settings: StreamSettings;
  readonly #parts: PartQueue;
  readonly #abort = new AbortController();
  readonly #restoring: RestoringText | undefined;
  readonly #onSignal = () => this.giveUp(this.#settings.signal?.reason);
  #decide: (decision: Decision) => void = () => undefined;
  #despair: (error: unknown) => void = () => undefined;
  #events: AsyncIterator<StreamEvent> | undefined;
  #writer: WritableStreamDefaultController | undefined;
  /** The first half of a character whose second half comes with the next chunk. */
  #half = "";
  /** The text that was sent and the text that was released: with `onUnavailable: "allow"` the rest may follow. */
  #sent = "";
  #released = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #late: UnavailableError | undefined;
  /** Since when the reader waits for the runtime; undefined while it does not. */
  #waitsSinceMs: number | undefined;
  /** Why the stream ends before its verdict. */
  #end: { readonly reason: unknown } | undefined;
  #isBlocked = false;
  #isPassing = false;
  #isOver = false;

  constructor(settings: StreamSettings) {
    this.#settings = settings;
    this.#parts = new PartQueue({ case: "open", value: settings.opening });
    this.#restoring = settings.restore && new RestoringText(settings.restore);
    this.decision = new Promise((resolve, reject) => {
      this.#decide = resolve;
      this.#despair = reject;
    });
    // Whoever only reads the text learns of a failure there.
    this.decision.catch(() => undefined);
    settings.signal?.addEventListener("abort", this.#onSignal, { once: true });
    if (settings.signal?.aborted) this.giveUp(settings.signal.reason);
  }

  connect(writer: WritableStreamDefaultController): void {
    this.#writer = writer;
  }

  async write(chunk: string): Promise<void> {
    const text = this.#half + chunk;
    const isCut = /[\ud800-\udbff]$/.test(text);
    this.#half = isCut ? text.slice(-1) : "";
    const delta = wellFormed(isCut ? text.slice(0, -1) : text);
    if (delta !== "") await this.#put(delta);
  }

  async close(): Promise<void> {
    if (this.#half !== "") await this.#put(wellFormed(this.#half));
    this.#finish();
  }

  /** Ends at once: the reader has gone, the source has failed, or the caller's signal says so. */
  giveUp(reason: unknown): void {
    this.#end ??= { reason: reason ?? new GuardError("the stream was given up") };
    this.#settle(this.#end.reason);
    this.#abort.abort();
  }

  async pull(controller: ReadableStreamDefaultController<string>): Promise<void> {
    try {
      for (;;) {
        const text = this.#isOver ? undefined : await this.#next();
        if (this.#end !== undefined) throw this.#end.reason;
        if (text === undefined) break;
        if (text === "") continue;
        controller.enqueue(text);
        return;
      }
    } catch (error) {
      this.#settle(error);
      this.#abort.abort();
      throw error;
    }
    controller.close();
  }

  /** More text; undefined at the end. */
  async #next(): Promise<string | undefined> {
    if (this.#isPassing) return this.#nextUnjudged();
    this.#events ??= this.#settings
      .call(this.#sentParts(), {
        timeoutMs: this.#settings.timeoutMs,
        retries: this.#settings.retries,
        signal: this.#abort.signal,
      })
      [Symbol.asyncIterator]();
    this.#waitsSinceMs = performance.now();
    try {
      const { value: event, done } = await this.#events.next();
      if (!done) return await this.#take(event);
    } catch (thrown) {
      return this.#onFailure(thrown);
    } finally {
      this.#waitsSinceMs = undefined;
    }
    return this.#onFailure(new GuardError("the stream ended without a verdict"));
  }

  async #take(event: StreamEvent): Promise<string | undefined> {
    if (event.case === "release") {
      if (this.#settings.onUnavailable === "allow") this.#released += event.value;
      return this.#restoring === undefined ? event.value : this.#restoring.push(event.value);
    }
    if (event.case === "finding") {
      const { action, mode, exemptedBy } = event.value;
      // The verdict is certain, and the rest of the text would be for nothing.
      this.#isBlocked ||= action === Outcome.BLOCK && mode === Mode.ENFORCE && exemptedBy === undefined;
      if (this.#isBlocked) this.#finish();
    }
    if (event.case !== "verdict") return "";
    const decision = decisionOf(event.value);
    this.#decide(decision);
    if (decision.outcome === "BLOCK" || this.#isBlocked) throw new BlockedError(this.#settings.stage, decision);
    this.#settle();
    return this.#restoring?.end() ?? "";
  }

  #onFailure(thrown: unknown): string {
    if (this.#end !== undefined) throw this.#end.reason;
    if (thrown instanceof BlockedError) throw thrown;
    const isOurs = thrown instanceof RequestError || thrown instanceof UnavailableError;
    const failure = this.#late ?? (isOurs ? thrown : failureOf(thrown));
    // Which part of a text that was rewritten has been released cannot be told.
    const canPass = this.#settings.onUnavailable === "allow" && this.#sent.startsWith(this.#released);
    if (failure instanceof RequestError || !canPass) throw failure;
    this.#isPassing = true;
    clearTimeout(this.#timer);
    this.#decide(passed(failure));
    return (this.#restoring?.end() ?? "") + this.#sent.slice(this.#released.length);
  }

  async #nextUnjudged(): Promise<string | undefined> {
    const part = await this.#parts.take();
    if (part?.case === "delta") return part.value;
    // The opening is still there when no connection was made.
    if (part?.case === "open") return "";
    this.#settle();
    return undefined;
  }

  async *#sentParts(): AsyncGenerator<StreamPart> {
    // The call may ask for more after it has failed; what comes then is for whoever reads the rest.
    while (!this.#isPassing) {
      const part = await this.#parts.take();
      if (part === undefined) return;
      if (part.case === "delta" && this.#settings.onUnavailable === "allow") this.#sent += part.value;
      yield part;
      if (part.case === "finish") return;
    }
  }

  /** Hands text on. A runtime that takes none although the reader waits for it is given up. */
  async #put(delta: string): Promise<void> {
    const { timeoutMs } = this.#settings;
    const offeredMs = performance.now();
    const look = () => {
      const nowMs = performance.now();
      // While nobody reads, it is the reader who holds everything up.
      const leftMs = Math.max(offeredMs, this.#waitsSinceMs ?? nowMs) + timeoutMs - nowMs;
      if (leftMs > 0) timer = setTimeout(look, leftMs);
      else this.#giveUpRuntime(`the runtime took no text for ${timeoutMs} ms`);
    };
    let timer = setTimeout(look, timeoutMs);
    try {
      await this.#parts.put(delta);
    } finally {
      clearTimeout(timer);
    }
  }

  #finish(): void {
    this.#parts.finish();
    const { timeoutMs } = this.#settings;
    const message = `the runtime gave no verdict within ${timeoutMs} ms`;
    this.#timer ??= setTimeout(() => this.#giveUpRuntime(message), timeoutMs);
  }

  #giveUpRuntime(message: string): void {
    this.#late = new UnavailableError("deadline_exceeded", message, { isTransient: false });
    this.#abort.abort();
  }

  #settle(error?: unknown): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#settings.signal?.removeEventListener("abort", this.#onSignal);
    if (error !== undefined) {
      this.#writer?.error(error);
      this.#despair(error);
    }
    this.#parts.close();
  }
}

/** The texts as a web stream. Cancelling it ends their source. */
export function readableOf(source: AsyncIterable<string>): ReadableStream<string> {
  const texts = source[Symbol.asyncIterator]();
  return new ReadableStream<string>(
    {
      async pull(controller) {
        const { value, done } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async (reason) => void (await texts.return?.(reason)),
    },
    { highWaterMark: 0 },
  );
}

/** What a stream has, to be read by `for await`. Leaving the loop cancels the stream. */
export async function* textsIn(stream: ReadableStream<string>): AsyncGenerator<string, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

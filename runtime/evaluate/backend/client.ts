// Asks one detector backend: with a few calls at a time, within the time that is left, and not at all while it fails.
// Answers are kept for a while.

import type { BackendAnswer, BackendFindings, BackendReference } from "../../engine/backend/backend.ts";
import { AnswerCache } from "./answer-cache.ts";
import { Breaker, type BreakerState } from "./breaker.ts";
import { CallSlots } from "./call-slots.ts";
import { withMeanings } from "./meanings.ts";
import { type BackendTransport, type CallFailure, CallRefused } from "./transport.ts";

/** How one call ended. */
export type CallResult = "ok" | CallFailure;

/** Options of a client. */
export interface BackendClientOptions {
  readonly reference: BackendReference;
  readonly transport: BackendTransport;
  /** Called after each call. */
  readonly onCall: (backend: string, result: CallResult, seconds: number) => void;
  /** Called with the reason why there was no valid answer; it never contains the text. */
  readonly onProblem: (backend: string, error: unknown) => void;
}

/** Limits of the calls to one backend. */
const backendLimits = {
  /** Max calls under way or waiting for a connection, and max calls that wait for one of those to end. */
  slots: { calls: 128, waiting: 8_192 },
  breaker: { failures: 5, openMs: 5_000 },
  cache: { count: 4_096, ttlMs: 60_000 },
} as const;

/** Asks one backend. */
export class BackendClient {
  readonly #options: BackendClientOptions;
  readonly #breaker = new Breaker(backendLimits.breaker);
  readonly #cache = new AnswerCache(backendLimits.cache);
  readonly #slots = new CallSlots(backendLimits.slots);

  constructor(options: BackendClientOptions) {
    this.#options = options;
  }

  /** The state of the breaker. */
  get breakerState(): BreakerState {
    return this.#breaker.state(performance.now());
  }

  /** The answer to each text, known by `endsAtMs` of the process's clock. Never throws. */
  async ask(texts: readonly string[], endsAtMs: number): Promise<Map<string, BackendAnswer>> {
    const answers = new Map<string, BackendAnswer>();
    const open: string[] = [];
    for (const text of texts) {
      const answer = this.#cache.get(text, performance.now());
      if (answer === undefined) open.push(text);
      else answers.set(text, answer);
    }
    const { batch } = this.#options.transport;
    const parts: string[][] = [];
    for (let from = 0; from < open.length; from += batch) parts.push(open.slice(from, from + batch));
    // The latest texts first: what somebody has just said matters most where the time does not suffice for all.
    const results = await Promise.all(parts.toReversed().map((part) => this.#askSome(part, endsAtMs)));
    for (const result of results) for (const [text, answer] of result) answers.set(text, answer);
    return answers;
  }

  /** Ends its connections. */
  close(): Promise<void> {
    return this.#options.transport.close();
  }

  async #askSome(texts: readonly string[], endsAtMs: number): Promise<[string, BackendAnswer][]> {
    const startedAtMs = performance.now();
    const result = await this.#inSlot(texts, endsAtMs);
    const { key } = this.#options.reference;
    const name = typeof result === "string" ? result : "ok";
    this.#options.onCall(key, name, (performance.now() - startedAtMs) / 1000);
    if (typeof result === "string") return texts.map((text) => [text, { failure: result }]);
    return texts.map((text, index) => {
      const answer = result[index] ?? { findings: [] };
      this.#cache.set(text, answer, performance.now());
      return [text, answer];
    });
  }

  async #inSlot(texts: readonly string[], endsAtMs: number): Promise<BackendFindings[] | CallFailure> {
    const missing = await this.#slots.take(endsAtMs);
    if (missing !== undefined) return missing;
    try {
      return await this.#guarded(texts, endsAtMs);
    } finally {
      this.#slots.giveBack();
    }
  }

  async #guarded(texts: readonly string[], endsAtMs: number): Promise<BackendFindings[] | CallFailure> {
    const { reference, transport, onProblem } = this.#options;
    const startedAtMs = performance.now();
    const timeoutMs = Math.min(reference.timeoutMs, endsAtMs - startedAtMs);
    if (timeoutMs < 1) return "timeout";
    if (!this.#breaker.admit(startedAtMs)) return "circuit_open";
    const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
    const understood = (answer: BackendFindings) => withMeanings(answer, reference.meanings);
    const late = (text: string, answer: BackendFindings) => {
      try {
        this.#cache.set(text, understood(answer), performance.now());
      } catch (error) {
        onProblem(reference.key, error);
      }
    };
    try {
      const answers = (await transport.call({ texts, signal, timeoutMs, late })).map(understood);
      this.#breaker.succeeded();
      return answers;
    } catch (error) {
      onProblem(reference.key, error);
      const refusal = error instanceof CallRefused ? error : undefined;
      // A caller with little time left says nothing about the backend.
      const isIll = refusal?.isIllness ?? !(signal.aborted && timeoutMs < reference.timeoutMs);
      if (isIll) this.#breaker.failed(performance.now());
      else this.#breaker.undecided();
      return refusal?.failure ?? (signal.aborted ? "timeout" : "error");
    }
  }
}

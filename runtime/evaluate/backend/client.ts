// Asks one detector backend: over persistent connections, with a few calls at a time, within the time that is left.

import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "undici";
import { createConnector } from "../../../src/kit/net/outbound/connector.ts";
import { OutboundError } from "../../../src/kit/net/outbound/error.ts";
import type { NetworkGuard } from "../../../src/kit/net/outbound/guard.ts";
import { outgoingTraceparent } from "../../../src/kit/observability/tracing.ts";
import type { BackendAnswer, BackendFinding, BackendReference } from "../../engine/backend/backend.ts";
import { AnswerCache } from "./answer-cache.ts";
import { Breaker, type BreakerState } from "./breaker.ts";
import { OriginRefused, type SecretHeader } from "./origin.ts";
import { AnswerInvalid, contracts } from "./shape.ts";

/** How one call ended. */
export type CallResult = "ok" | "timeout" | "error" | "circuit_open" | "backend_origin_refused";

/** Options of a client. */
export interface BackendClientOptions {
  readonly reference: BackendReference;
  /** The header with its secret; undefined when the runtime has none. */
  readonly secret: SecretHeader | undefined;
  /** Decides which addresses its connections may go to. */
  readonly guard: NetworkGuard;
  /** Called after each call. */
  readonly onCall: (backend: string, result: CallResult, seconds: number) => void;
  /** Called with the reason why there was no valid answer; it never contains the text. */
  readonly onProblem: (backend: string, error: unknown) => void;
}

/** Limits of the calls to one backend. */
const backendLimits = {
  connections: 16,
  /** Max calls under way or waiting for a connection. */
  calls: 128,
  answerBytes: 4 * 1024 * 1024,
  breaker: { failures: 5, openMs: 5_000 },
  cache: { count: 4_096, ttlMs: 60_000 },
  retryAfterMs: 20,
  connectTimeoutMs: 10_000,
} as const;

/** Asks one backend. */
export class BackendClient {
  readonly #options: BackendClientOptions;
  readonly #pool: Promise<Pool>;
  readonly #path: string;
  readonly #breaker = new Breaker(backendLimits.breaker);
  readonly #cache = new AnswerCache(backendLimits.cache);
  #calls = 0;

  constructor(options: BackendClientOptions) {
    this.#options = options;
    const { origin, pathname, search } = new URL(options.reference.url);
    this.#path = pathname + search;
    // Loaded with the first backend: most runtimes have none, and start faster without it.
    this.#pool = import("undici").then(
      (undici) =>
        new undici.Pool(origin, {
          connect: createConnector(options.guard, { origin, connectTimeoutMs: backendLimits.connectTimeoutMs }),
          connections: backendLimits.connections,
          pipelining: 1,
        }),
    );
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
      const findings = this.#cache.get(text, performance.now());
      if (findings === undefined) open.push(text);
      else answers.set(text, { findings });
    }
    const { batch } = contracts[this.#options.reference.shape];
    const parts: string[][] = [];
    for (let from = 0; from < open.length; from += batch) parts.push(open.slice(from, from + batch));
    const results = await Promise.all(parts.map((part) => this.#askSome(part, endsAtMs)));
    for (const result of results) for (const [text, answer] of result) answers.set(text, answer);
    return answers;
  }

  /** Ends its connections. */
  async close(): Promise<void> {
    await (await this.#pool).destroy();
  }

  async #askSome(texts: readonly string[], endsAtMs: number): Promise<[string, BackendAnswer][]> {
    const startedAtMs = performance.now();
    const result = await this.#guarded(texts, startedAtMs, endsAtMs);
    const { key } = this.#options.reference;
    const name = typeof result === "string" ? result : "ok";
    this.#options.onCall(key, name, (performance.now() - startedAtMs) / 1000);
    if (typeof result === "string") return texts.map((text) => [text, { failure: result }]);
    return texts.map((text, index) => {
      const findings = result[index] ?? [];
      this.#cache.set(text, findings, performance.now());
      return [text, { findings }];
    });
  }

  async #guarded(
    texts: readonly string[],
    startedAtMs: number,
    endsAtMs: number,
  ): Promise<BackendFinding[][] | Exclude<CallResult, "ok">> {
    const { reference, onProblem } = this.#options;
    const timeoutMs = Math.min(reference.timeoutMs, endsAtMs - startedAtMs);
    if (timeoutMs < 1) return "timeout";
    if (this.#calls >= backendLimits.calls) return "error";
    if (!this.#breaker.admit(startedAtMs)) return "circuit_open";
    this.#calls += 1;
    const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
    try {
      const findings = await this.#call(texts, signal);
      this.#breaker.succeeded();
      return findings;
    } catch (error) {
      onProblem(reference.key, error);
      // Neither our own refusal nor a caller with little time left says anything about the backend.
      const isRefusal = error instanceof OriginRefused;
      if (isRefusal || (signal.aborted && timeoutMs < reference.timeoutMs)) this.#breaker.undecided();
      else this.#breaker.failed(performance.now());
      if (isRefusal) return "backend_origin_refused";
      return signal.aborted ? "timeout" : "error";
    } finally {
      this.#calls -= 1;
    }
  }

  async #call(texts: readonly string[], signal: AbortSignal): Promise<BackendFinding[][]> {
    try {
      return await this.#post(texts, signal);
    } catch (error) {
      // Nothing was sent, so a retry cannot do anything twice.
      if (!isRefused(error)) throw error;
      await pause(backendLimits.retryAfterMs, undefined, { signal });
      return this.#post(texts, signal);
    }
  }

  async #post(texts: readonly string[], signal: AbortSignal): Promise<BackendFinding[][]> {
    const { reference, secret } = this.#options;
    const contract = contracts[reference.shape];
    const traceparent = outgoingTraceparent();
    const pool = await this.#pool;
    const { statusCode, body } = await pool.request({
      method: "POST",
      path: this.#path,
      signal,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...contract.headers?.(reference),
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(secret === undefined ? {} : { [secret.name]: secret.value }),
      },
      body: JSON.stringify(contract.body(texts)),
    });
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of body) {
      sizeBytes += chunk.length;
      if (sizeBytes > backendLimits.answerBytes) throw new AnswerInvalid("the answer is too large");
      chunks.push(chunk);
    }
    if (statusCode !== 200) throw new AnswerInvalid(`expected status 200, got ${statusCode}`);
    return contract.read(parsed(Buffer.concat(chunks)), texts);
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    // The parser's message would quote the text.
    throw new AnswerInvalid("the answer is not JSON");
  }
}

function isRefused(error: unknown): boolean {
  if (error instanceof OutboundError && error.cause !== undefined) return isRefused(error.cause);
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}

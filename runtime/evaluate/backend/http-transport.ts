// Reaches a backend by HTTP: over persistent connections, with the contract of its shape.

import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "undici";
import { createConnector } from "../../../src/kit/net/outbound/connector.ts";
import { OutboundError } from "../../../src/kit/net/outbound/error.ts";
import type { NetworkGuard } from "../../../src/kit/net/outbound/guard.ts";
import { inSpan, type OpenSpan, tracedHeaders } from "../../../src/kit/observability/tracing.ts";
import type { BackendFinding, BackendFindings, BackendReference, ServerShape } from "../../engine/backend/backend.ts";
import { AnswerInvalid, parsedAnswer } from "./answer.ts";
import { type Contract, type ContractCall, together } from "./contract.ts";
import { OriginRefused, type SecretHeader } from "./origin.ts";
import { contracts } from "./shape.ts";
import { type BackendCall, type BackendTransport, CallRefused } from "./transport.ts";

/** Options of the transport. */
export interface HttpTransportOptions {
  readonly reference: BackendReference & { readonly shape: ServerShape };
  /** The header with its secret; undefined when the runtime has none. */
  readonly secret: SecretHeader | undefined;
  /** Decides which addresses its connections may go to. */
  readonly guard: NetworkGuard;
}

const httpLimits = {
  connections: 16,
  answerBytes: 4 * 1024 * 1024,
  retryAfterMs: 20,
  connectTimeoutMs: 10_000,
} as const;

/** The way to one backend. */
export class HttpTransport implements BackendTransport {
  readonly #options: HttpTransportOptions;
  readonly #pool: Promise<Pool>;
  readonly #path: string;
  readonly #contract: Contract;
  readonly batch: number;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#contract = contracts[options.reference.shape];
    this.batch = this.#contract.batch;
    const { origin, pathname, search } = new URL(options.reference.url);
    this.#path = pathname + search;
    // Loaded with the first backend: most runtimes have none, and start faster without it.
    this.#pool = import("undici").then(
      (undici) =>
        new undici.Pool(origin, {
          connect: createConnector(options.guard, { origin, connectTimeoutMs: httpLimits.connectTimeoutMs }),
          connections: httpLimits.connections,
          pipelining: 1,
        }),
    );
  }

  /** Posts the texts. A call is repeated only when the connection was refused, once. */
  async call({ texts, signal }: BackendCall): Promise<BackendFindings[]> {
    const failed = new AbortController();
    try {
      const calls = this.#contract.calls(texts, this.#options.reference);
      // When one of several fails, nobody waits for the others.
      const until = calls.length === 1 ? signal : AbortSignal.any([signal, failed.signal]);
      const answers = await Promise.all(calls.map((each) => this.#postTwice(each, until)));
      return together(answers, texts.length).map((findings) => ({ findings }));
    } catch (error) {
      failed.abort();
      // Our own refusal says nothing about the backend.
      if (!(error instanceof OriginRefused)) throw error;
      throw new CallRefused("backend_origin_refused", error.message, { isIllness: false });
    }
  }

  /** Ends its connections. */
  async close(): Promise<void> {
    await (await this.#pool).destroy();
  }

  async #postTwice(call: ContractCall, signal: AbortSignal): Promise<BackendFinding[][]> {
    const post = () =>
      inSpan("outbound call", "client", async (span) => call.read(await this.#post(call.body, { signal, span })));
    try {
      return await post();
    } catch (error) {
      // Nothing was sent, so a retry cannot do anything twice.
      if (!isRefused(error)) throw error;
      await pause(httpLimits.retryAfterMs, undefined, { signal });
      return post();
    }
  }

  async #post(
    content: object,
    { signal, span }: { readonly signal: AbortSignal; readonly span: OpenSpan | undefined },
  ): Promise<unknown> {
    const { reference, secret } = this.#options;
    const traced = tracedHeaders();
    const pool = await this.#pool;
    const { statusCode, body } = await pool.request({
      method: "POST",
      path: this.#path,
      signal,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...this.#contract.headers?.(reference),
        ...traced,
        ...(secret === undefined ? {} : { [secret.name]: secret.value }),
      },
      body: JSON.stringify(content),
    });
    span?.note({ "http.request.method": "POST", "http.response.status_code": statusCode });
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of body) {
      sizeBytes += chunk.length;
      if (sizeBytes > (this.#contract.answerBytes ?? httpLimits.answerBytes))
        throw new AnswerInvalid("the answer is too large");
      chunks.push(chunk);
    }
    if (statusCode !== 200) throw new AnswerInvalid(`expected status 200, got ${statusCode}`);
    return parsedAnswer(Buffer.concat(chunks));
  }
}

function isRefused(error: unknown): boolean {
  if (error instanceof OutboundError && error.cause !== undefined) return isRefused(error.cause);
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}

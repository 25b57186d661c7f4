// Sends requests to URLs that customers gave: through the guard, without proxies and redirects, within limits of time
// and size. Connections are kept for a few seconds and never shared between owners, so that nobody's connection carries
// what another sent.

import { errors, Pool } from "undici";
import { inSpan, tracedHeaders } from "../../observability/tracing.ts";
import { BoundedCache } from "../../process/bounded-cache.ts";
import { createConnector } from "./connector.ts";
import { OutboundError, type OutboundFailure } from "./error.ts";
import type { NetworkGuard } from "./guard.ts";

/** One request. */
export interface OutboundRequest {
  /** Whose request it is, such as a webhook's id. Connections are reused within one owner only. */
  readonly owner: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Left out of a request that has none. */
  readonly body?: Uint8Array;
  /** Ends the request early. */
  readonly signal?: AbortSignal;
}

/** What the target answered. */
export interface OutboundResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first bytes of the body up to the limit, 64 KiB if the request sets none; not decompressed. */
  readonly bodyText: string;
  /** Whether the body was longer than the limit, or broke off. The status counts all the same. */
  readonly isBodyCut: boolean;
  readonly durationMs: number;
}

/** A request of any method. */
export interface MethodRequest extends OutboundRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Maximum number of bytes that are read of the answer's body. */
  readonly bodyLimitBytes?: number;
}

/** A request for a body that is read as it comes. */
export interface OpenRequest extends Omit<OutboundRequest, "body"> {
  /** Time in which the status line has to come, and then each next piece of the body. */
  readonly idleMs: number;
}

/** An answer whose body is read as it comes. */
export interface OpenResponse {
  readonly statusCode: number;
  /** Where a redirect leads. */
  readonly location: string | undefined;
  /** Fails with an OutboundError when it breaks off. Not decompressed. */
  readonly body: AsyncIterable<Uint8Array> & { readonly cancel: () => Promise<void> };
}

/** Sends requests to URLs that customers gave. */
export interface Outbound {
  /** Gets a body of any size. Redirects are not followed. Rejects with an OutboundError when there is no answer. */
  open(request: OpenRequest): Promise<OpenResponse>;
  /** Sends a request. Rejects with an OutboundError when there is no answer; any status is an answer. */
  request(request: MethodRequest): Promise<OutboundResponse>;
  /** The same with POST. */
  post(request: OutboundRequest): Promise<OutboundResponse>;
  /** Ends all connections; what is under way fails. */
  close(): Promise<void>;
}

/** What an outbound client works with. */
export interface OutboundOptions {
  readonly guard: NetworkGuard;
  /** From the start to the status line, and to the end of the body; 10 s when not given. */
  readonly totalTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
}

const usualBodyLimitBytes = 64 * 1024;
const headerLimitBytes = 16 * 1024;
const connectionsPerOwner = 8;
const maxPools = 1000;
/** Below the five seconds after which many servers close, so that we seldom write into a connection that is closing. */
const keepAliveMs = 4000;
const secondTryMs = 1000;

/** A client behind this guard. */
export function createOutbound({ guard, totalTimeoutMs = 10_000, connectTimeoutMs = 5000 }: OutboundOptions): Outbound {
  const pools = new PoolMap(guard, { totalTimeoutMs, connectTimeoutMs });
  const send = async (request: MethodRequest): Promise<OutboundResponse> => {
    const url = URL.parse(request.url);
    if (url === null) throw new OutboundError("invalid_url", "the URL cannot be read");
    const startedAtMs = performance.now();
    const timeout = AbortSignal.timeout(totalTimeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    const attempt = async () => sendTo(pools.of(request.owner, url.origin), url, request, signal);
    const response = await attempt().catch((error: unknown) => {
      const failure = translate(error, { timeout, url });
      // The request is repeated only when the server closed a kept connection while we wrote into it, and only at once.
      // Any other repetition would be an attempt of its own: a target that hangs up would see twice as many as
      // promised.
      const isEarly = performance.now() - startedAtMs < secondTryMs;
      if (failure.failure !== "connection_lost" || !hadAnswered(error) || !isEarly || signal.aborted) throw failure;
      return attempt().catch((second: unknown) => Promise.reject(translate(second, { timeout, url })));
    });
    return { ...response, durationMs: performance.now() - startedAtMs };
  };
  const sendTraced = (request: MethodRequest) => traced(request.method, request, send);
  const open = async (request: OpenRequest) => {
    const url = URL.parse(request.url);
    if (url === null) throw new OutboundError("invalid_url", "the URL cannot be read");
    return openAt(pools.of(request.owner, url.origin), url, request);
  };
  return {
    request: sendTraced,
    open: (request) => traced("GET", request, open),
    post: (request) => sendTraced({ ...request, method: "POST" }),
    close: () => pools.close(),
  };
}

/**
 * Makes a call as a span, where spans of the caller are recorded, and tells the target of it. The span does not say
 * which target: a customer wrote its address.
 */
function traced<R extends { readonly headers: OutboundRequest["headers"] }, A extends { readonly statusCode: number }>(
  method: string,
  request: R,
  send: (request: R) => Promise<A>,
): Promise<A> {
  return inSpan("outbound call", "client", async (span) => {
    if (span === undefined) return send(request);
    span.note({ "http.request.method": method });
    try {
      const answer = await send({ ...request, headers: { ...request.headers, ...tracedHeaders() } });
      span.note({ "http.response.status_code": answer.statusCode });
      return answer;
    } catch (error) {
      if (error instanceof OutboundError) span.note({ "policy_guard.outbound_failure": error.failure });
      throw error;
    }
  });
}

async function sendTo(pool: Pool, url: URL, request: MethodRequest, signal: AbortSignal) {
  const { method, headers, body = null, bodyLimitBytes = usualBodyLimitBytes } = request;
  const response = await pool.request({ method, path: url.pathname + url.search, headers, body, signal });
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let isBodyCut = false;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      // Leaving the loop destroys the body, and with it the socket.
      if (sizeBytes > bodyLimitBytes) break;
    }
    isBodyCut = sizeBytes > bodyLimitBytes;
  } catch {
    isBodyCut = true;
  }
  const bodyText = Buffer.concat(chunks).subarray(0, bodyLimitBytes).toString("utf8");
  return { statusCode: response.statusCode, headers: response.headers, bodyText, isBodyCut };
}

async function openAt(pool: Pool, url: URL, { headers, idleMs, signal }: OpenRequest): Promise<OpenResponse> {
  const timeout = signal ?? new AbortController().signal;
  const failed = (error: unknown) => Promise.reject(translate(error, { timeout, url }));
  const times = { headersTimeout: idleMs, bodyTimeout: idleMs, signal };
  const path = url.pathname + url.search;
  const {
    statusCode,
    headers: given,
    body,
  } = await pool.request({ method: "GET", path, headers, ...times }).catch(failed);
  const { location } = given;
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const piece of body) yield piece;
    } catch (error) {
      throw translate(error, { timeout, url });
    }
  }
  return {
    statusCode,
    location: Array.isArray(location) ? location[0] : location,
    body: Object.assign(pieces(), { cancel: () => body.dump().catch(() => undefined) }),
  };
}

/** Whether the broken connection had already carried an answer. */
function hadAnswered(error: unknown): boolean {
  return error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0;
}

/** A pool of connections for each owner and origin. Beyond the limit, the least recently used pool is closed. */
class PoolMap {
  readonly #guard: NetworkGuard;
  readonly #limits: { readonly totalTimeoutMs: number; readonly connectTimeoutMs: number };
  readonly #pools = new BoundedCache<string, Pool>({
    maxEntries: maxPools,
    onEvict: (pool) => void pool.close().catch(() => undefined),
  });
  #isClosed = false;

  constructor(guard: NetworkGuard, limits: { readonly totalTimeoutMs: number; readonly connectTimeoutMs: number }) {
    this.#guard = guard;
    this.#limits = limits;
  }

  of(owner: string, origin: string): Pool {
    if (this.#isClosed) throw new OutboundError("aborted", "the request was ended early");
    const key = JSON.stringify([owner, origin]);
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const pool = this.#create(origin);
    this.#pools.set(key, pool);
    return pool;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #create(origin: string): Pool {
    const { totalTimeoutMs, connectTimeoutMs } = this.#limits;
    return new Pool(origin, {
      connect: createConnector(this.#guard, { origin, connectTimeoutMs }),
      connections: connectionsPerOwner,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      maxHeaderSize: headerLimitBytes,
      headersTimeout: totalTimeoutMs,
      bodyTimeout: totalTimeoutMs,
    });
  }
}

function translate(error: unknown, { timeout, url }: { timeout: AbortSignal; url: URL }): OutboundError {
  if (error instanceof OutboundError) return error;
  const make = (failure: OutboundFailure, message: string) => new OutboundError(failure, message, { cause: error });
  if (timeout.aborted || error instanceof errors.HeadersTimeoutError) {
    return make("timeout", `${url.host} did not answer in time`);
  }
  const isClosed = error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError;
  if (
    isClosed ||
    error instanceof errors.RequestAbortedError ||
    (error instanceof Error && error.name === "AbortError")
  ) {
    return make("aborted", "the request was ended early");
  }
  if (error instanceof errors.HeadersOverflowError) {
    return make("headers_too_large", `${url.host} answered with more than 16 KiB of headers`);
  }
  if (error instanceof errors.HTTPParserError) return make("invalid_response", `${url.host} did not answer in HTTP`);
  if (error instanceof errors.InvalidArgumentError) return make("invalid_url", "the request could not be formed");
  return make("connection_lost", `${url.host} closed the connection before it answered`);
}

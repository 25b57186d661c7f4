// The typed client, for Node and for browsers: Connect over fetch. It contains no service: callers import those that
// they use, so that a bundle for a browser has no others.

import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import type { UniversalClientFn } from "@connectrpc/connect/protocol";
import { createTransport } from "@connectrpc/connect/protocol-connect";

/** The server to call, and the credential for it. */
export interface ClientOptions {
  /** Address of a control plane or of a runtime, such as "https://guard.example.com". */
  readonly url: string;
  /** A token, or a function that returns the current one; absent for services that need none. */
  readonly token?: string | (() => string | Promise<string>);
  /** Time limit of calls that set none of their own. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Each call passes through them; the last one is next to the wire. */
  readonly interceptors?: readonly Interceptor[];
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Makes clients of services that are at one address. */
export interface PolicyGuard {
  /** A client of the service. */
  service<Service extends DescService>(service: Service): Client<Service>;
}

const defaultTimeoutMs = 30_000;
const noLimitBytes = 0xffffffff;

/** A client of a control plane or of a runtime. Streams in both directions need `node.ts`. */
export function createPolicyGuard(options: ClientOptions): PolicyGuard {
  const { url, timeoutMs = defaultTimeoutMs, fetch = globalThis.fetch } = options;
  return clientsOver(
    createTransport({
      httpClient: httpClientOf(fetch),
      baseUrl: url.replace(/\/+$/, ""),
      defaultTimeoutMs: timeoutMs,
      useBinaryFormat: true,
      interceptors: interceptorsOf(options),
      acceptCompression: [],
      sendCompression: null,
      compressMinBytes: noLimitBytes,
      readMaxBytes: noLimitBytes,
      writeMaxBytes: noLimitBytes,
    }),
  );
}

// A request is sent as a whole: browsers do not stream what they send.
function httpClientOf(fetch: typeof globalThis.fetch): UniversalClientFn {
  return async ({ url, method, header, body, signal }) => {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for await (const part of body ?? []) parts.push(new Uint8Array(part));
    const sent = method === "GET" ? {} : { body: new Blob(parts) };
    const response = await fetch(url, { method, headers: header, signal, ...sent });
    // What arrives here is decompressed already.
    const answered = new Headers(response.headers);
    for (const name of ["content-encoding", "content-length"]) answered.delete(name);
    return { status: response.status, header: answered, body: partsOf(response.body), trailer: new Headers() };
  };
}

async function* partsOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = stream?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || value === undefined) return;
      yield value;
    }
  } finally {
    await reader?.cancel();
  }
}

/** Clients over a transport. */
export function clientsOver(transport: Transport): PolicyGuard {
  return { service: (service) => createClient(service, transport) };
}

/** The interceptors of each call: the one for the token, then the caller's. */
export function interceptorsOf({ token, interceptors = [] }: ClientOptions): Interceptor[] {
  if (token === undefined) return [...interceptors];
  const authenticate: Interceptor = (next) => async (request) => {
    request.header.set("Authorization", `Bearer ${typeof token === "string" ? token : await token()}`);
    return next(request);
  };
  return [authenticate, ...interceptors];
}

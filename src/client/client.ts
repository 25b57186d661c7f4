// The typed client, for Node and for browsers: Connect over fetch. It brings no service with it: callers import those that
// they use, so that a bundle for a browser has no others.

import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createFetchClient } from "@connectrpc/connect/protocol";
import { createTransport } from "@connectrpc/connect/protocol-connect";

/** Where to call, and as whom. */
export interface ClientOptions {
  /** Address of a control plane or of a runtime, such as "https://guard.example.com". */
  readonly url: string;
  /** A token, or what gives the one in force; left out for services that need none. */
  readonly token?: string | (() => string | Promise<string>);
  /** Time for a call that sets none of its own; 30 s when not given. */
  readonly timeoutMs?: number;
  /** Seen by each call, the last one first to the wire. */
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

/** A client of a control plane or of a runtime. Streams in both directions need `policy-guard/client/node`. */
export function createPolicyGuard(options: ClientOptions): PolicyGuard {
  const { url, timeoutMs = defaultTimeoutMs, fetch = globalThis.fetch } = options;
  return clientsOver(
    createTransport({
      httpClient: createFetchClient(fetch),
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

/** Clients over a transport. */
export function clientsOver(transport: Transport): PolicyGuard {
  return { service: (service) => createClient(service, transport) };
}

/** What each call passes through: the token, then what the caller gave. */
export function interceptorsOf({ token, interceptors = [] }: ClientOptions): Interceptor[] {
  if (token === undefined) return [...interceptors];
  const authenticate: Interceptor = (next) => async (request) => {
    request.header.set("Authorization", `Bearer ${typeof token === "string" ? token : await token()}`);
    return next(request);
  };
  return [authenticate, ...interceptors];
}

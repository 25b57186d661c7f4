// One port for every dialect: Connect, gRPC and gRPC-Web by Connect's own adapter, everything else by the REST facade,
// which calls the same handlers through the in-memory transport. Both pass the same interceptors.

import type { DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextValues,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { maxBundleJsonBytes } from "../src/kit/bundle/bundle-size.ts";
import { peerAddress } from "../src/kit/net/address.ts";
import { type Certificate, type Listener, listen } from "../src/kit/net/listen.ts";
import type { Logger } from "../src/kit/observability/log.ts";
import { connectionKey } from "../src/kit/rpc/context.ts";
import { assertServable } from "../src/kit/rpc/options.ts";
import type { Pages } from "./docs/static-page.ts";
import type { FastPathOptions } from "./fast/call.ts";
import { createFastPath } from "./fast/path.ts";
import { rpcCompressions } from "./http/compression.ts";
import { hostOf, type RestHandler, type RestRequest } from "./http/http.ts";
import { type Conversation, createRestHandler } from "./rest/handler.ts";
import type { RestLimits } from "./rest/operation.ts";
import { createRpcAdapter, type NodeHandler } from "./rpc/adapter.ts";
import { completeFailures } from "./rpc/failure.ts";
import { createInProcessTransport } from "./rpc/in-process.ts";
import { rpcJson } from "./rpc/json.ts";
import { encodeLargeAnswers, sendLargeAnswers } from "./rpc/large-answer.ts";

/** What a server serves, and where. */
export interface ServeOptions {
  readonly services: readonly DescService[];
  /** Registers the handlers of these services. */
  readonly routes: (router: ConnectRouter) => void;
  readonly interceptors: readonly Interceptor[];
  readonly port: number;
  readonly host: string;
  readonly certificate?: Certificate;
  /** Several processes listen on the port. */
  readonly isShared?: boolean;
  /** Proxies of our own in front of this port; see src/kit/net/address.ts. */
  readonly trustedHops: number;
  readonly limits: RestLimits;
  /** Pages that no operation makes. */
  readonly pages?: Pages;
  /** Makes the HTTP forms of methods of which both sides stream. */
  readonly conversations?: (parts: ConversationParts) => readonly Conversation[];
  /** Methods whose ordinary calls take the fast path. */
  readonly fastPath?: FastPathOptions;
  readonly log: Logger;
}

/** What the HTTP form of a conversation stands on: it calls the same handlers as RPC callers, through the transport. */
export interface ConversationParts {
  readonly transport: Transport;
  readonly trustedHops: number;
  readonly log: Logger;
}

/** A running server. */
export interface Server {
  readonly port: number;
  /** Asks clients of HTTP/1.1 to make their next call over another connection. */
  retire(): void;
  /** Ends streams, lets calls in flight finish, cuts off what is left after the grace time. */
  close(options: { readonly graceMs: number }): Promise<number>;
}

/** Serves until closed. Throws when a method cannot be served as its options stand. */
export async function serve(options: ServeOptions): Promise<Server> {
  const { services, routes, limits, log, pages, trustedHops } = options;
  assertServable(services);
  const interceptors = [...options.interceptors];
  const shutdown = new AbortController();
  const transport = createInProcessTransport(routes, { interceptors, shutdownSignal: shutdown.signal });
  const conversations = options.conversations?.({ transport, trustedHops, log });
  const rest = createRestHandler({ services, transport, limits, trustedHops, log, pages, conversations });
  const adapter = createRpcAdapter({
    routes(router) {
      routes(router);
      sendLargeAnswers(router);
      completeFailures(router, log);
    },
    interceptors: [encodeLargeAnswers(maxBundleJsonBytes), ...interceptors],
    jsonOptions: rpcJson,
    readMaxBytes: limits.maxBodyBytes,
    writeMaxBytes: maxBundleJsonBytes,
    acceptCompression: [...rpcCompressions],
    shutdownSignal: shutdown.signal,
    contextValues: (request) => {
      const received = request as RestRequest;
      const address = addressOf(received, trustedHops);
      const connection = { address, host: hostOf(received), retire: retirementOf(received) };
      return createContextValues().set(connectionKey, connection);
    },
    fallback: rest as NodeHandler,
    log,
  });
  const ordinary = adapter as RestHandler; // Connect declares its own, equal, request types
  const fast =
    options.fastPath &&
    createFastPath(options.fastPath, { ordinary, limits, trustedHops, log, closing: shutdown.signal });
  const handler = (fast?.handler ?? ordinary) as Parameters<typeof listen>[0]["handler"];
  const takeStream = fast?.takeStream;
  const { port, host, certificate, isShared } = options;
  const listener: Listener = await listen({ port, host, certificate, isShared, log, handler, takeStream });
  return {
    port: listener.port,
    retire: () => listener.retire(),
    close: (grace) => {
      shutdown.abort(new ConnectError("the server is shutting down", Code.Unavailable));
      return listener.close(grace);
    },
  };
}

function retirementOf(request: RestRequest): (() => void) | undefined {
  const session = "stream" in request ? request.stream?.session : undefined;
  return session && (() => session.close());
}

function addressOf(request: RestRequest, trustedHops: number): string {
  return peerAddress({
    socketAddress: request.socket.remoteAddress,
    forwardedFor: request.headers["x-forwarded-for"],
    trustedHops,
  });
}

// The fast paths of a server: which of its calls they try to take, before the ordinary handler.

import type { StreamHandler } from "../../src/kit/net/http2-server.ts";
import type { RestHandler } from "../http/http.ts";
import type { FastPathContext, FastPathOptions } from "./call.ts";
import { restDialect, rpcDialects } from "./dialect.ts";
import { assertEligible, plainUrl } from "./eligible.ts";
import { RequestExchange, StreamExchange } from "./exchange.ts";
import { createFastStream } from "./stream.ts";
import { createTickBatch } from "./tick-batch.ts";
import { createFastUnary } from "./unary.ts";

/** The fast paths of a server. */
export interface FastPath {
  readonly handler: RestHandler;
  readonly takeStream: StreamHandler;
}

/** Makes the fast paths. Throws for a method whose options ask for more than they do. */
export function createFastPath(options: FastPathOptions, parts: FastPathContext): FastPath {
  const { methods, streams, together } = options;
  for (const { method } of [...methods, ...streams]) assertEligible(method);
  const context = { ...parts, take: createTickBatch(together) };
  const { ordinary, closing, log } = context;
  const restCalls = new Map(
    methods.map((fast) => {
      const url = plainUrl(fast.method);
      return [url, createFastUnary(fast, restDialect(fast.method, url), options, context)];
    }),
  );
  const rpcCalls = new Map(
    methods.map((fast) => {
      const { method } = fast;
      const path = `/${method.parent.typeName}/${method.name}`;
      return [path, createFastUnary(fast, rpcDialects(method, log), options, context)];
    }),
  );
  const openStreams = new Map(streams.map((fast) => createFastStream(fast, options, context)));
  return {
    handler: (request, response) => {
      const url = request.method === "POST" && !closing.aborted ? (request.url ?? "") : "";
      // RPCs over HTTP/2 come here only after takeStream has left them to the ordinary handler.
      const take = restCalls.get(url) ?? ("stream" in response ? undefined : rpcCalls.get(url));
      if (take?.(new RequestExchange(request, response, ordinary)) !== true) ordinary(request, response);
    },
    takeStream: (raw) => {
      const url = raw.headers[":method"] === "POST" && !closing.aborted ? (raw.headers[":path"] ?? "") : "";
      return rpcCalls.get(url)?.(new StreamExchange(raw, ordinary)) ?? openStreams.get(url)?.(raw) ?? false;
    },
  };
}

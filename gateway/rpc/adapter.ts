// Connect's handlers for Node's servers. It differs from Connect's own adapter in one point: that one prints answers
// that it cannot write to the console, this one logs them.

import type { ConnectRouter } from "@connectrpc/connect";
import {
  Code,
  ConnectError,
  type ConnectRouterOptions,
  type ContextValues,
  createConnectRouter,
} from "@connectrpc/connect";
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { Logger } from "../../src/kit/observability/log.ts";

/** Node's requests and responses of both versions of HTTP, as Connect declares them. */
type NodeRequest = Parameters<typeof universalRequestFromNodeRequest>[0];
type NodeResponse = Parameters<typeof universalResponseToNodeResponse>[1];

/** Takes a request. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => void;

/** What an adapter works with. */
export interface RpcAdapterOptions extends ConnectRouterOptions {
  readonly routes: (router: ConnectRouter) => void;
  readonly contextValues: (request: NodeRequest) => ContextValues;
  /** Handles requests that are no RPCs. */
  readonly fallback: NodeHandler;
  readonly log: Logger;
}

/** A handler for RPCs in every dialect of Connect, and for everything else. */
export function createRpcAdapter({ routes, contextValues, fallback, log, ...options }: RpcAdapterOptions): NodeHandler {
  const router = createConnectRouter(options);
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return (request, response) => {
    const handler = handlers.get(request.url?.split("?", 1)[0] ?? "");
    if (handler === undefined) return fallback(request, response);
    // The fourth argument is optional there and undefined here: the path is the request's own.
    const call = universalRequestFromNodeRequest(request, response, undefined, contextValues(request));
    handler(call)
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((err: unknown) => {
        if (ConnectError.from(err).code === Code.Aborted) return;
        // The handler has done its part: what fails here is the connection, which belongs to the caller.
        log.debug({ err, method: handler.method.name }, "an answer could not be written");
      });
  };
}

// A guard between a listener and its request handler: no request, however malformed, may end the process.

import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { Logger } from "../observability/log.ts";
import { BoundedCache } from "../process/bounded-cache.ts";
import { newId } from "../process/id.ts";
import type { StreamHandler } from "./http2-server.ts";

/** A request of either protocol. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** The answer to it. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/** Answers a request of either protocol. */
export type RequestHandler = (request: HttpRequest, response: HttpResponse) => void;

/**
 * Guards a handler. Handlers build a URL from the authority, so a request without a usable one is refused first; where
 * none does, the authority may be missing (`isHostOptional`).
 */
export function guardHandler(handler: RequestHandler, log: Logger, { isHostOptional = false } = {}): RequestHandler {
  return (request, response) => {
    const authority = "authority" in request ? request.authority : request.headers.host;
    if (!(isHostOptional && authority === undefined) && !isUsable(authority)) {
      return refuse(response, 400, { error: "malformed_request", message: "the request names no valid host" });
    }
    try {
      handler(request, response);
    } catch (err) {
      const id = newId();
      log.error({ err, request_id: id, method: request.method, url: request.url }, "request handler threw");
      refuse(response, 500, { error: "internal", message: `internal error, request id ${id}` });
    }
  };
}

/** The same guard for a handler of streams. */
export function guardStreams(take: StreamHandler, log: Logger): StreamHandler {
  return (raw) => {
    if (!isUsable(raw.headers[":authority"])) return false;
    try {
      return take(raw);
    } catch (err) {
      log.error({ err, url: raw.headers[":path"] }, "stream handler threw");
      raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      return true;
    }
  };
}

// Nearly all requests name the same few hosts.
const usable = new BoundedCache<string, true>({ maxEntries: 64 });

/** Whether a URL can be built from an authority. */
function isUsable(authority: string | undefined): boolean {
  if (!authority) return false;
  if (usable.has(authority)) return true;
  if (!URL.canParse(`http://${authority}/`)) return false;
  usable.set(authority, true);
  return true;
}

function refuse(
  response: HttpResponse,
  status: number,
  detail: { readonly error: string; readonly message: string },
): void {
  if (response.headersSent) {
    if ("stream" in response) response.stream.close();
    else response.destroy();
    return;
  }
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ detail }));
}

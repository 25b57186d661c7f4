// The HTTP/2 half of a listener.

import {
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Logger } from "../observability/log.ts";
import type { HttpServer } from "./http1-server.ts";
import { guardSession } from "./http2-session.ts";
import type { Http2Limits } from "./limits.ts";

/** A handler of requests over HTTP/2. */
export type Http2Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** A stream that may be served as it is, which costs less than to make a request and a response of it. */
export interface RawStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** Makes a request and a response of it after all, for this handler. */
  readonly toRequest: (handler: Http2Handler) => void;
}

/** Takes a stream as it is. False when it leaves the stream to the handler of requests. */
export type StreamHandler = (raw: RawStream) => boolean;

/**
 * A server for HTTP/2 connections, encrypted or by prior knowledge. Requests have no time limit: streams may be long.
 */
export function createHttp2Server(
  handler: Http2Handler,
  limits: Http2Limits,
  log: Logger,
  takeStream: StreamHandler = () => false,
): HttpServer {
  const sessions = new Set<ServerHttp2Session>();
  let isDraining = false;
  const server = createServer({
    maxSessionMemory: limits.maxSessionMemoryMegabytes,
    settings: {
      maxConcurrentStreams: limits.maxConcurrentStreams,
      maxHeaderListSize: limits.maxHeaderListSizeBytes,
    },
  });
  // Node makes requests of the streams of a server that listens to requests; this one has no connections of its own.
  const handlers = new WeakMap<ServerHttp2Stream, Http2Handler>();
  const requests = createServer({}, (request, response) =>
    (handlers.get(request.stream) ?? handler)(request, response),
  );
  server.on("stream", (stream, headers, flags, rawHeaders: string[]) => {
    const toRequest = (own: Http2Handler) => {
      handlers.set(stream, own);
      requests.emit("stream", stream, headers, flags, rawHeaders);
    };
    if (!takeStream({ stream, headers, toRequest })) requests.emit("stream", stream, headers, flags, rawHeaders);
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    guardSession(session, limits);
    if (isDraining) session.close();
  });
  server.on("sessionError", (err) => log.debug({ err }, "HTTP/2 session failed"));
  return {
    take: (socket) => void server.emit("connection", socket),
    drain() {
      isDraining = true;
      // GOAWAY, which server.close() does not send. Streams that are open go on.
      for (const session of sessions) session.close();
    },
    stop: () => undefined,
  };
}

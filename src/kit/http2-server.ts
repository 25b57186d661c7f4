// The HTTP/2 half of a listener.

import { createServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from "node:http2";
import type { HttpServer } from "./http1-server.ts";
import { guardSession } from "./http2-session.ts";
import type { Http2Limits } from "./limits.ts";
import type { Logger } from "./log.ts";

/** A server for HTTP/2 connections, encrypted or by prior knowledge. Requests have no time limit: streams may be long. */
export function createHttp2Server(
  handler: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  limits: Http2Limits,
  log: Logger,
): HttpServer {
  const sessions = new Set<ServerHttp2Session>();
  let isDraining = false;
  const server = createServer(
    {
      maxSessionMemory: limits.maxSessionMemoryMegabytes,
      settings: {
        maxConcurrentStreams: limits.maxConcurrentStreams,
        maxHeaderListSize: limits.maxHeaderListSizeBytes,
      },
    },
    handler,
  );
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

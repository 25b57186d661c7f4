// The HTTP/1.1 half of a listener.

import type { EventEmitter } from "node:events";
import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Http1Limits } from "./limits.ts";

/** The half for HTTP/1.1, whose clients are told with an answer that they have to connect anew. */
export interface Http1Server extends HttpServer {
  /** Lets each connection end after its next answer, of those that come from now on. */
  retire(): void;
}

/** A server that does not listen but is handed its connections. */
export interface HttpServer {
  /** Serves a connection. */
  take(socket: Socket): void;
  /** Tells clients to go elsewhere; requests in flight go on. */
  drain(): void;
  /** Stops its timers, after the last connection. */
  stop(): void;
}

/** Connections with a request whose body takes its own time, and whether it has taken longer than others may. */
const ownTime = new WeakMap<Socket, { isOverdue: boolean }>();

/**
 * Lets the body of a request arrive for longer than the limit of all requests. The handler that reads the body has to
 * limit it instead; it calls this once it knows the caller. It holds until the answer ends. Does nothing for requests
 * of HTTP/2, which have no such limit.
 */
export function letTakeTime(request: object, response: Pick<EventEmitter, "once">): void {
  if (!(request instanceof IncomingMessage)) return;
  const { socket } = request;
  const time = { isOverdue: false };
  ownTime.set(socket, time);
  response.once("close", () => {
    ownTime.delete(socket);
    // Node stops watching a body once it has reported it as overdue. The rest of this body gets as long as a client
    // gets to read an answer.
    if (time.isOverdue) setTimeout(() => request.complete || socket.destroy(), lastMs).unref();
  });
}

/** How long a closing connection is kept open, so that the client can read the answer. */
const lastMs = 1_000;

/** A server for HTTP/1.1 connections. */
export function createHttp1Server(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  limits: Http1Limits,
): Http1Server {
  let isRetiring = false;
  let isDraining = false;
  const answering = new Set<ServerResponse>();
  const server = createServer(optionsOf(limits), (request, response) => {
    answering.add(response);
    if (isRetiring) response.shouldKeepAlive = false;
    response.on("close", onClose);
    handler(request, response);
  });
  // One function for all answers, called once for each.
  function onClose(this: ServerResponse): void {
    answering.delete(this);
    if (isDraining) setImmediate(() => server.closeIdleConnections());
  }
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.on("clientError", (error, socket) => refuseRequest(error, socket as Socket)); // a socket that take() was given
  // A server that is handed its connections enforces its time limits only after it believes that it listens.
  server.emit("listening");
  return {
    take: (socket) => void server.emit("connection", socket),
    retire() {
      isRetiring = true;
    },
    drain() {
      isRetiring = true;
      isDraining = true;
      for (const response of answering) response.shouldKeepAlive = false;
      server.closeIdleConnections();
    },
    stop: () => void server.close(),
  };
}

function optionsOf(limits: Http1Limits) {
  return {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkingIntervalMs,
    maxHeaderSize: limits.maxHeaderSizeBytes,
    requireHostHeader: false, // the guard of the handler refuses such requests, in the envelope
  };
}

interface Refusal {
  readonly status: string;
  readonly detail: string | { readonly error: string; readonly message: string };
}

const malformed: Refusal = {
  status: "400 Bad Request",
  detail: { error: "malformed_request", message: "the request is not well-formed HTTP" },
};

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: "431 Request Header Fields Too Large", detail: "the request headers are too large" },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: "413 Payload Too Large",
    detail: { error: "too_large", message: "the chunk extensions of the request body are too large" },
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", detail: "the request did not arrive in time" },
};

// There is no request that a handler could answer, so the answer is written by hand, in the envelope of every other
// failure.
function refuseRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const time = ownTime.get(socket);
  if (time !== undefined && error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    time.isOverdue = true;
    return;
  }
  if (!socket.writable || error.code === "ECONNRESET" || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const { status, detail } = refusals[error.code ?? ""] ?? malformed;
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
  // Whoever ignores the answer does not keep the connection.
  setTimeout(() => socket.destroy(), lastMs).unref();
}

// A second answer in the middle of a first would be read as its continuation. Node keeps the answer under way on the
// socket, without a public name for it.
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as Socket & {
    readonly _httpMessage?: { readonly headersSent: boolean } | null;
  };
  return answer?.headersSent === true;
}

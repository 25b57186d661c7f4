// Servers that listen, and connections to them, for the time of a test.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import http2, { type ClientHttp2Session, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import net, { type Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { defaultLimits, type Limits } from "../../../../src/kit/net/limits.ts";
import { type Listener, type ListenOptions, listen } from "../../../../src/kit/net/listen.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

const log = createLog({ name: "test", level: "silent" });
/** Limits that a test can wait for. */
export const short: Limits = {
  ...defaultLimits,
  sniffTimeoutMs: 200,
  http1: { ...defaultLimits.http1, headersTimeoutMs: 200, requestTimeoutMs: 400, checkingIntervalMs: 50 },
  http2: { ...defaultLimits.http2, openingTimeoutMs: 200, idleTimeoutMs: 150, pingTimeoutMs: 150 },
};
/** Likewise, of the opening of HTTP/2 only. */
export const shortOpening: Limits = { ...defaultLimits, http2: { ...defaultLimits.http2, openingTimeoutMs: 200 } };

/**
 * Starts a server that answers with the version of the protocol, the method and the body. It listens until the test is
 * over.
 */
export async function start(options: Partial<ListenOptions> = {}): Promise<Listener> {
  const listener = await listen({ port: 0, host: "127.0.0.1", handler: echo, log, limits: short, ...options });
  onTestFinished(async () => {
    await listener.close({ graceMs: 0 });
  });
  return listener;
}

function echo(request: Request, response: Response): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => response.end(`${request.httpVersion} ${request.method} ${Buffer.concat(chunks)}`));
}

/** A connection on which nothing was said yet. */
export async function connectRaw(port: number): Promise<Socket> {
  const socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Resolves at the end of the connection. `once` would fail where a reset ends it. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** All that comes until the connection is closed. */
export async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await closing(socket);
  return text;
}

/** A session of HTTP/2, trusting any certificate. */
export function connectHttp2(port: number, scheme: "http" | "https" = "http"): ClientHttp2Session {
  const session = http2.connect(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on("error", () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

/** The body of the answer to a request. */
export async function requestHttp2(
  session: ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body = "",
): Promise<string> {
  const stream = session.request(headers, { endStream: body === "" });
  if (body !== "") stream.end(body);
  return textOf(stream);
}

/** All of a stream, as text. */
export async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}

/** Whether the other side closes a connection within a time. */
export async function isClosedWithin(socket: Socket, timeoutMs: number): Promise<boolean> {
  if (socket.destroyed) return true;
  socket.resume();
  return Promise.race([closing(socket).then(() => true), sleep(timeoutMs, false)]);
}

/** A connection that can be slowed down and cut. */
export interface Bridge {
  readonly end: Duplex;
  /** Nothing passes any more in either direction, and neither side is told. */
  kill(): void;
}

/** A bridge to a connection; the first `slowBytes` that are written go byte by byte. */
export function bridge(socket: Socket, slowBytes = 0): Bridge {
  let isDead = false;
  let slow = slowBytes;
  const end = new Duplex({
    read: () => undefined,
    async write(chunk: Buffer, _encoding, done) {
      for (const byte of chunk.subarray(0, slow)) {
        socket.write(Buffer.of(byte));
        await sleep(1);
      }
      const rest = chunk.subarray(slow);
      slow = Math.max(0, slow - chunk.length);
      if (!isDead && rest.length > 0) socket.write(rest);
      done();
    },
  });
  socket.on("data", (chunk) => void (isDead || end.push(chunk)));
  return {
    end,
    kill() {
      isDead = true;
    },
  };
}

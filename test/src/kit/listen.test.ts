import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import http2, { type ClientHttp2Session, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import https from "node:https";
import net, { type Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { defaultLimits, type Limits } from "../../../src/kit/limits.ts";
import { type Listener, type ListenOptions, listen } from "../../../src/kit/listen.ts";
import { createLog } from "../../../src/kit/log.ts";
import { selfSigned } from "./self-signed.ts";

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

const log = createLog({ name: "test", level: "silent" });
const short: Limits = {
  ...defaultLimits,
  sniffTimeoutMs: 200,
  http1: { ...defaultLimits.http1, headersTimeoutMs: 200, requestTimeoutMs: 400, checkingIntervalMs: 50 },
  http2: { ...defaultLimits.http2, openingTimeoutMs: 200, idleTimeoutMs: 150, pingTimeoutMs: 150 },
};
const shortOpening: Limits = { ...defaultLimits, http2: { ...defaultLimits.http2, openingTimeoutMs: 200 } };

let listener: Listener | undefined;
const cleanUp: (() => void)[] = [];

afterEach(async () => {
  for (const run of cleanUp.splice(0)) run();
  await listener?.close({ graceMs: 0 });
  listener = undefined;
});

async function start(options: Partial<ListenOptions> = {}): Promise<Listener> {
  listener = await listen({ port: 0, host: "127.0.0.1", handler: echo, log, limits: short, ...options });
  return listener;
}

// Answers with the version of the protocol, the method and the body.
function echo(request: Request, response: Response): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => response.end(`${request.httpVersion} ${request.method} ${Buffer.concat(chunks)}`));
}

async function connectRaw(port: number): Promise<Socket> {
  const socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("error", () => undefined);
  cleanUp.push(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

function connectHttp2(port: number, scheme: "http" | "https" = "http"): ClientHttp2Session {
  const session = http2.connect(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on("error", () => undefined);
  cleanUp.push(() => session.destroy());
  return session;
}

async function requestHttp2(
  session: ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body = "",
): Promise<string> {
  const stream = session.request(headers, { endStream: body === "" });
  if (body !== "") stream.end(body);
  return textOf(stream);
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}

async function isClosedWithin(socket: Socket, timeoutMs: number): Promise<boolean> {
  if (socket.destroyed) return true;
  socket.resume();
  return Promise.race([once(socket, "close").then(() => true), sleep(timeoutMs, false)]);
}

describe("one port in plain text", () => {
  test("speaks HTTP/1.1 and HTTP/2 by prior knowledge", async () => {
    // It is not about patience, and a busy machine may need some.
    const { port } = await start({ limits: defaultLimits });
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "PUT", body: "a" });
    expect(await response.text()).toBe("1.1 PUT a");
    expect(await requestHttp2(connectHttp2(port), { ":method": "POST" }, "b")).toBe("2.0 POST b");
  });

  test.each(["POST", "PUT", "PATCH"])("takes a %s that comes byte by byte", async (method) => {
    const { port } = await start();
    const socket = await connectRaw(port);
    const answer = readAll(socket);
    const request = `${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok`;
    for (const byte of request) {
      socket.write(byte);
      await sleep(1);
    }
    expect(await answer).toContain(`1.1 ${method} ok`);
  });

  test("takes an HTTP/2 preface that comes byte by byte", async () => {
    const { port } = await start();
    const raw = await connectRaw(port);
    const session = http2.connect("http://x", { createConnection: () => bridge(raw, 40).end });
    session.on("error", () => undefined);
    cleanUp.push(() => session.destroy());
    expect(await requestHttp2(session, { ":method": "GET" })).toBe("2.0 GET ");
  });

  test("answers what is no HTTP with 400 in the envelope", async () => {
    const { port } = await start();
    const socket = await connectRaw(port);
    socket.write("HELLO\r\n\r\n");
    const answer = await readAll(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({
      detail: { error: "malformed_request", message: "the request is not well-formed HTTP" },
    });
  });

  test("answers headers beyond the limit with 431 in the envelope", async () => {
    const { port } = await start();
    const socket = await connectRaw(port);
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(17_000)}\r\n\r\n`);
    const answer = await readAll(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({ detail: "the request headers are too large" });
  });

  test("refuses HTTP/2 headers beyond the limit without ending the session", async () => {
    const { port } = await start();
    const session = connectHttp2(port);
    await requestHttp2(session, { ":method": "GET" });
    const long = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`x-long-${i}`, "a".repeat(4_000)]));
    await expect(requestHttp2(session, { ":method": "GET", ...long })).rejects.toThrow(/ENHANCE_YOUR_CALM/);
    expect(await requestHttp2(session, { ":method": "GET" })).toBe("2.0 GET ");
  });
});

test("a handler that throws is answered for, and the process goes on", async () => {
  let calls = 0;
  const { port } = await start({
    handler: (_, response) => {
      if (calls++ === 0) throw new Error("10.1.2.3");
      response.end("second");
    },
  });
  const failed = await fetch(`http://127.0.0.1:${port}/`);
  expect(failed.status).toBe(500);
  expect(await failed.json()).toEqual({
    detail: { error: "internal", message: expect.stringMatching(/^internal error, request id [0-9a-f-]{36}$/) },
  });
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("second");
});

describe("time limits", () => {
  test("a request whose headers never end is 408 in the envelope", async () => {
    const { port } = await start();
    const socket = await connectRaw(port);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
    const drip = setInterval(() => socket.write("X-A: b\r\n"), 30);
    cleanUp.push(() => clearInterval(drip));
    const answer = await readAll(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({ detail: "the request did not arrive in time" });
  });

  test("a connection that never shows its protocol is cut off", async () => {
    const { port } = await start();
    const silent = await connectRaw(port);
    const undecided = await connectRaw(port);
    undecided.write("P");
    expect(await Promise.all([isClosedWithin(silent, 1_000), isClosedWithin(undecided, 1_000)])).toEqual([true, true]);
  });

  test("a half-open HTTP/2 connection is cut off", async () => {
    const { port } = await start({ limits: shortOpening });
    const socket = await connectRaw(port);
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    expect(await isClosedWithin(socket, 1_000)).toBe(true);
  });

  test("an HTTP/2 session that opens no stream is sent away by GOAWAY", async () => {
    const { port } = await start({ limits: shortOpening });
    const session = connectHttp2(port);
    const [code] = await once(session, "goaway");
    expect(code).toBe(http2.constants.NGHTTP2_NO_ERROR);
    await once(session, "close");
  });

  test("an idle HTTP/2 session is closed", async () => {
    const { port } = await start();
    const session = connectHttp2(port);
    await requestHttp2(session, { ":method": "GET" });
    const startedAt = performance.now();
    await once(session, "close");
    expect(performance.now() - startedAt).toBeGreaterThan(100);
  });

  test("a quiet stream outlives the idle, opening and request time limits while its peer answers pings", async () => {
    const { port } = await start();
    const stream = connectHttp2(port).request({ ":method": "POST" });
    stream.write("early ");
    await sleep(900);
    stream.end("late");
    expect(await textOf(stream)).toBe("2.0 POST early late");
  });

  test("a session with an open stream whose peer is dead is cut off", async () => {
    const { port } = await start();
    const raw = await connectRaw(port);
    const { end, kill } = bridge(raw);
    const session = http2.connect("http://x", { createConnection: () => end });
    session.on("error", () => undefined);
    cleanUp.push(() => session.destroy());
    session
      .request({ ":method": "POST" })
      .on("error", () => undefined)
      .write("early");
    await sleep(500); // several probes are answered before the peer dies
    kill();
    expect(listener?.connectionCount()).toBe(1);
    await expect.poll(() => listener?.connectionCount(), { timeout: 2_000 }).toBe(0);
  });
});

describe("connections", () => {
  test("beyond the limit of one peer are refused, and taken again when others have gone", async () => {
    const { port } = await start({ limits: { ...short, sniffTimeoutMs: 5_000, maxConnectionsPerPeer: 2 } });
    const [first] = [await connectRaw(port), await connectRaw(port)];
    const third = await connectRaw(port);
    expect(await isClosedWithin(third, 500)).toBe(true);
    first?.destroy();
    await expect.poll(() => listener?.connectionCount()).toBe(1);
    expect(await isClosedWithin(await connectRaw(port), 100)).toBe(false);
  });

  test("beyond the limit of all are refused", async () => {
    const { port } = await start({ limits: { ...short, maxConnections: 1 } });
    await connectRaw(port);
    expect(await isClosedWithin(await connectRaw(port), 150)).toBe(true);
  });
});

describe("closing", () => {
  test("lets requests in flight finish on both protocols, says so to the clients, and refuses new connections", async () => {
    const release = Promise.withResolvers<void>();
    const arrived: string[] = [];
    const { port } = await start({
      limits: defaultLimits,
      handler: (request, response) => {
        arrived.push(request.httpVersion);
        void release.promise.then(() => response.end("done"));
      },
    });
    const agent = new http.Agent({ keepAlive: true });
    const overHttp1 = new Promise<IncomingMessage>((resolve) => void http.get({ port, agent }, resolve));
    const session = connectHttp2(port);
    const overHttp2 = requestHttp2(session, { ":method": "GET" });
    const goneAway = once(session, "goaway");
    await expect.poll(() => arrived.length).toBe(2);

    const closed = listener?.close({ graceMs: 5_000 });
    await goneAway;
    const refused = net.connect(port, "127.0.0.1");
    await expect(once(refused, "connect")).rejects.toThrow("ECONNREFUSED");
    release.resolve();

    const response = await overHttp1;
    expect(response.headers.connection).toBe("close");
    expect(await textOf(response)).toBe("done");
    expect(await overHttp2).toBe("done");
    expect(await closed).toBe(0);
  });

  test("cuts off idle connections at once and whatever remains after the grace time", async () => {
    const { port } = await start({ limits: defaultLimits, handler: () => undefined });
    const stuck = await connectRaw(port);
    stuck.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const silent = await connectRaw(port);
    await expect.poll(() => listener?.connectionCount()).toBe(2);
    const startedAt = performance.now();
    const closed = listener?.close({ graceMs: 150 });
    expect(await isClosedWithin(silent, 100)).toBe(true);
    expect(await closed).toBe(1);
    expect(performance.now() - startedAt).toBeGreaterThan(140);
    expect(await isClosedWithin(stuck, 500)).toBe(true);
  });

  test("closes a kept-alive connection whose answer had begun before", async () => {
    const release = Promise.withResolvers<void>();
    const { port } = await start({
      limits: defaultLimits,
      handler: (_, response) => {
        // Answers of both protocols have write(), with signatures that do not join.
        (response as ServerResponse).write("be");
        void release.promise.then(() => response.end("gun"));
      },
    });
    const socket = await connectRaw(port);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    const closed = listener?.close({ graceMs: 5_000 });
    release.resolve();
    expect(await closed).toBe(0);
  });
});

describe("with a certificate", () => {
  test("the port speaks both protocols by ALPN", async () => {
    const { port } = await start({ certificate: selfSigned() });
    expect(await requestHttp2(connectHttp2(port, "https"), { ":method": "POST" }, "b")).toBe("2.0 POST b");
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      https.get({ port, host: "127.0.0.1", rejectUnauthorized: false }, resolve).on("error", reject);
    });
    expect(await textOf(response)).toBe("1.1 GET ");
  });

  test("a connection that does not finish its handshake is cut off", async () => {
    const { port } = await start({ certificate: selfSigned() });
    const socket = await connectRaw(port);
    expect(await isClosedWithin(socket, 1_000)).toBe(true);
    await expect.poll(() => listener?.connectionCount()).toBe(0);
  });

  test("closing drains and says GOAWAY as in plain text", async () => {
    const { port } = await start({ certificate: selfSigned(), limits: defaultLimits });
    const session = connectHttp2(port, "https");
    await requestHttp2(session, { ":method": "GET" });
    await connectRaw(port);
    const goneAway = once(session, "goaway");
    expect(await listener?.close({ graceMs: 3_000 })).toBe(0);
    await goneAway;
  });
});

/** A connection that can be slowed down and cut. */
interface Bridge {
  readonly end: Duplex;
  /** Nothing passes any more in either direction, and neither side is told. */
  kill(): void;
}

function bridge(socket: Socket, slowBytes = 0): Bridge {
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

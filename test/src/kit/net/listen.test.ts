import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import http2 from "node:http2";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { defaultLimits } from "../../../../src/kit/net/limits.ts";
import { bridge, connectHttp2, connectRaw, isClosedWithin, readAll, requestHttp2, start, textOf } from "./listening.ts";

/** Longer than anything takes on a busy machine. */
const patienceMs = 30_000;
/** Within that time no connection is closed because it says nothing. */
const unhurried = { ...defaultLimits, sniffTimeoutMs: 4 * patienceMs };

describe("one port in plain text", () => {
  test("speaks HTTP/1.1 and HTTP/2 by prior knowledge", async () => {
    // It is not about patience, and a busy machine may need some.
    const { port } = await start({ limits: defaultLimits });
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "PUT", body: "a" });
    expect(await response.text()).toBe("1.1 PUT a");
    expect(await requestHttp2(connectHttp2(port), { ":method": "POST" }, "b")).toBe("2.0 POST b");
  });

  test.each(["POST", "PUT", "PATCH"])("takes a %s that comes byte by byte", async (method) => {
    const { port } = await start({ limits: defaultLimits });
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
    const { port } = await start({ limits: defaultLimits });
    const raw = await connectRaw(port);
    const session = http2.connect("http://x", { createConnection: () => bridge(raw, 40).end });
    session.on("error", () => undefined);
    onTestFinished(() => session.destroy());
    expect(await requestHttp2(session, { ":method": "GET" })).toBe("2.0 GET ");
  });

  test("answers bytes that are not HTTP with 400 in the envelope", async () => {
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

test("a handler that throws gets an answer on its behalf, and the process goes on", async () => {
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

describe("connections", () => {
  test("beyond the limit of one peer are refused, and taken again when others have gone", async () => {
    const listener = await start({ limits: { ...unhurried, maxConnectionsPerPeer: 2 } });
    const { port } = listener;
    const [first] = [await connectRaw(port), await connectRaw(port)];
    const third = await connectRaw(port);
    expect(await isClosedWithin(third, patienceMs)).toBe(true);
    first?.destroy();
    await expect.poll(() => listener.connectionCount()).toBe(1);
    expect(await isClosedWithin(await connectRaw(port), 100)).toBe(false);
  });

  test("beyond the limit of all are refused", async () => {
    const { port } = await start({ limits: { ...unhurried, maxConnections: 1 } });
    await connectRaw(port);
    expect(await isClosedWithin(await connectRaw(port), patienceMs)).toBe(true);
  });
});

describe("closing", () => {
  test("lets requests in flight finish on both protocols, says so to the clients, and refuses new connections", async () => {
    const release = Promise.withResolvers<void>();
    const arrived: string[] = [];
    const listener = await start({
      limits: defaultLimits,
      handler: (request, response) => {
        arrived.push(request.httpVersion);
        void release.promise.then(() => response.end("done"));
      },
    });
    const { port } = listener;
    const agent = new http.Agent({ keepAlive: true });
    const overHttp1 = new Promise<IncomingMessage>((resolve) => void http.get({ port, agent }, resolve));
    const session = connectHttp2(port);
    const overHttp2 = requestHttp2(session, { ":method": "GET" });
    const goneAway = once(session, "goaway");
    await expect.poll(() => arrived.length).toBe(2);

    const closed = listener.close({ graceMs: 5_000 });
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

  test("cuts off idle connections soon and whatever remains after the grace time", async () => {
    const listener = await start({ limits: defaultLimits, handler: () => undefined });
    const { port } = listener;
    const stuck = await connectRaw(port);
    stuck.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const silent = await connectRaw(port);
    await expect.poll(() => listener.connectionCount()).toBe(2);
    const startedAt = performance.now();
    const closed = listener.close({ graceMs: 3_000 });
    // Before the grace time is over, and not with what remains by then.
    const first = Promise.race([isClosedWithin(silent, patienceMs), closed.then(() => "the rest")]);
    expect(await first).toBe(true);
    expect(await closed).toBe(1);
    expect(performance.now() - startedAt).toBeGreaterThan(2_900);
    expect(await isClosedWithin(stuck, patienceMs)).toBe(true);
  });

  test("answers whoever has connected before and calls a moment later", async () => {
    const listener = await start({ limits: defaultLimits, handler: (_, response) => void response.end("done") });
    const { port } = listener;
    const early = await connectRaw(port);
    await expect.poll(() => listener.connectionCount()).toBe(1);
    const closed = listener.close({ graceMs: 5_000 });
    early.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    let answer = "";
    early.setEncoding("utf8").on("data", (text) => {
      answer += text;
    });
    await once(early, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*Connection: close[\s\S]*done$/i);
    expect(await closed).toBe(0);
  });

  test("lets clients of HTTP/1.1 go with an answer, from the moment that it retires", async () => {
    const listener = await start({ limits: defaultLimits, handler: (_, response) => void response.end("done") });
    const { port } = listener;
    const agent = new http.Agent({ keepAlive: true });
    const call = () => new Promise<IncomingMessage>((resolve) => void http.get({ port, agent }, resolve));
    const kept = await call();
    expect([kept.headers.connection, await textOf(kept)]).toEqual(["keep-alive", "done"]);
    listener.retire();
    // Connections that come meanwhile are served as well, once.
    for (const round of [1, 2]) {
      const last = await call();
      expect([round, last.headers.connection, await textOf(last)]).toEqual([round, "close", "done"]);
    }
    await expect.poll(() => listener.connectionCount()).toBe(0);
    expect(await listener.close({ graceMs: 5_000 })).toBe(0);
  });

  test("closes a kept-alive connection whose answer had begun before", async () => {
    const release = Promise.withResolvers<void>();
    const listener = await start({
      limits: defaultLimits,
      handler: (_, response) => {
        // Answers of both protocols have write(), with signatures that do not join.
        (response as ServerResponse).write("be");
        void release.promise.then(() => response.end("gun"));
      },
    });
    const { port } = listener;
    const socket = await connectRaw(port);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    const closed = listener.close({ graceMs: 5_000 });
    release.resolve();
    expect(await closed).toBe(0);
  });
});

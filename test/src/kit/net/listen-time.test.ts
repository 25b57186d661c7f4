import { once } from "node:events";
import http2 from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  bridge,
  connectHttp2,
  connectRaw,
  isClosedWithin,
  readAll,
  requestHttp2,
  shortOpening,
  start,
  textOf,
} from "./listening.ts";

describe("time limits", () => {
  test("a request whose headers never end is 408 in the envelope", async () => {
    const { port } = await start();
    const socket = await connectRaw(port);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
    const drip = setInterval(() => socket.write("X-A: b\r\n"), 30);
    onTestFinished(() => clearInterval(drip));
    const answer = await readAll(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({ detail: "the request did not arrive in time" });
  });

  test("a connection that never shows its protocol is cut off", async () => {
    const { port } = await start();
    const silent = await connectRaw(port);
    const undecided = await connectRaw(port);
    undecided.write("P");
    expect(await Promise.all([isClosedWithin(silent, 30_000), isClosedWithin(undecided, 30_000)])).toEqual([
      true,
      true,
    ]);
  });

  test("a half-open HTTP/2 connection is cut off", async () => {
    const { port } = await start({ limits: shortOpening });
    const socket = await connectRaw(port);
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    expect(await isClosedWithin(socket, 30_000)).toBe(true);
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
    const listener = await start();
    const { port } = listener;
    const raw = await connectRaw(port);
    const { end, kill } = bridge(raw);
    const session = http2.connect("http://x", { createConnection: () => end });
    session.on("error", () => undefined);
    onTestFinished(() => session.destroy());
    session
      .request({ ":method": "POST" })
      .on("error", () => undefined)
      .write("early");
    await sleep(500); // several probes are answered before the peer dies
    kill();
    expect(listener.connectionCount()).toBe(1);
    await expect.poll(() => listener.connectionCount(), { timeout: 30_000 }).toBe(0);
  });
});

import { createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { failureOf, listening, request, serve, useLocalNames } from "./local.ts";

const { outboundOf } = useLocalNames();

describe("an answer", () => {
  it("is read up to 64 KiB, and then the connection is ended", async () => {
    let isEnded = false;
    let sentBytes = 0;
    const port = await serve((_, response) => {
      const timer = setInterval(() => {
        if (response.write(Buffer.alloc(16 * 1024, 0x61))) sentBytes += 16 * 1024;
      }, 1);
      response.on("close", () => {
        isEnded = true;
        clearInterval(timer);
      });
    });
    const answer = await outboundOf().post(request(`http://hook.test:${port}/`));
    expect(answer).toMatchObject({ statusCode: 200, isBodyCut: true });
    expect(answer.bodyText).toHaveLength(64 * 1024);
    await expect.poll(() => isEnded).toBe(true);
    expect(sentBytes).toBeLessThan(4 << 20);
  });

  it("of exactly 64 KiB is whole", async () => {
    const port = await serve((_, response) => void response.end(Buffer.alloc(64 * 1024, 0x61)));
    const answer = await outboundOf().post(request(`http://hook.test:${port}/`));
    expect([answer.bodyText.length, answer.isBodyCut]).toEqual([64 * 1024, false]);
  });

  it("is not decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(10 << 20));
    const port = await serve((_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    const answer = await outboundOf().post(request(`http://hook.test:${port}/`));
    expect(answer.bodyText.length).toBeLessThanOrEqual(bomb.length);
  });

  it("counts by its status when its body is still dripping at the time limit", async () => {
    const port = await serve((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const answer = await outboundOf({ totalTimeoutMs: 3_000 }).post(request(`http://hook.test:${port}/`));
    expect(answer).toMatchObject({ statusCode: 200, isBodyCut: true });
    expect(answer.durationMs).toBeLessThan(20_000);
  });

  it("that breaks off counts by its status", async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    const answer = await outboundOf().post(request(`http://hook.test:${port}/`));
    expect(answer).toMatchObject({ statusCode: 200, bodyText: "half", isBodyCut: true });
  });

  it("with more than 16 KiB of headers is refused", async () => {
    const port = await listening(
      createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\n");
          const timer = setInterval(() => socket.write(`x-${"a".repeat(900)}: ${"b".repeat(900)}\r\n`), 1);
          socket.on("close", () => clearInterval(timer));
        });
      }),
    );
    expect(await failureOf(outboundOf().post(request(`http://hook.test:${port}/`)))).toBe("headers_too_large");
  });

  it("that is not HTTP is refused", async () => {
    const port = await listening(
      createTcpServer((socket) => void socket.once("data", () => socket.end("220 mail.test ESMTP\r\n"))),
    );
    expect(await failureOf(outboundOf().post(request(`http://hook.test:${port}/`)))).toBe("invalid_response");
  });

  it("that does not come is waited for no longer than the limit", async () => {
    const port = await serve(() => {});
    const startedAtMs = performance.now();
    const outbound = outboundOf({ totalTimeoutMs: 300 });
    expect(await failureOf(outbound.post(request(`http://hook.test:${port}/`)))).toBe("timeout");
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
  });

  it("whose headers drip is waited for no longer than the limit", async () => {
    const port = await listening(
      createTcpServer((socket) => {
        socket.on("error", () => {});
        const timer = setInterval(() => socket.write("H"), 20);
        socket.on("close", () => clearInterval(timer));
      }),
    );
    const failure = await failureOf(outboundOf({ totalTimeoutMs: 300 }).post(request(`http://hook.test:${port}/`)));
    expect(["timeout", "invalid_response"]).toContain(failure);
  });

  it("is not waited for when the caller ends the request", async () => {
    const port = await serve(() => {});
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const { signal } = controller;
    expect(await failureOf(outboundOf().post(request(`http://hook.test:${port}/`, { signal })))).toBe("aborted");
  });
});

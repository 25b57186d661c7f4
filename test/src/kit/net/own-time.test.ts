// Bodies of HTTP/1.1 that may arrive for longer than others, and that nothing else may.

import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { letTakeTime } from "../../../../src/kit/net/http1-server.ts";
import type { RequestHandler } from "../../../../src/kit/net/request-handler.ts";
import { connectRaw, isClosedWithin, readAll, short, start } from "./listening.ts";

const { requestTimeoutMs } = short.http1;
const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** Counts the bytes of a body. On /slow it may take its time; /early answers before its end. */
const handler = ((request: IncomingMessage, response: ServerResponse) => {
  if (request.url !== "/ordinary") letTakeTime(request, response);
  let sizeBytes = 0;
  request.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.byteLength;
    if (request.url === "/early" && sizeBytes > 8) response.end("enough");
  });
  request.on("end", () => response.end(`${sizeBytes} bytes`));
}) as RequestHandler;

async function drip(path: string, times: number) {
  const { port } = await start({ handler });
  const socket = await connectRaw(port);
  const answer = readAll(socket);
  socket.write(head(path));
  for (let n = 0; n < times && !socket.destroyed; n++) {
    await sleep(requestTimeoutMs / 4);
    socket.write("1\r\nx\r\n");
  }
  return { socket, answer };
}

describe("a body that may take its time", () => {
  it("arrives for longer than others may", async () => {
    const { socket, answer } = await drip("/slow", 8);
    socket.end("0\r\n\r\n");
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*8 bytes/);
  });

  it("does not extend others: they are 408", async () => {
    const { answer } = await drip("/ordinary", 8);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("lends nothing to the next request on its connection", async () => {
    const { socket, answer } = await drip("/slow", 8);
    socket.write(`0\r\n\r\n${head("/ordinary")}1\r\nx\r\n`);
    expect(await answer).toMatch(/8 bytes[\s\S]*HTTP\/1\.1 408 /);
  });

  it("does not keep its connection when it continues after the answer", async () => {
    const { socket, answer } = await drip("/early", 9);
    const going = setInterval(() => socket.destroyed || socket.write("1\r\nx\r\n"), 50);
    expect(await isClosedWithin(socket, 30_000)).toBe(true);
    clearInterval(going);
    expect(await answer).toContain("enough");
  });
});

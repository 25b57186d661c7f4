import { createServer as createTcpServer } from "node:net";
import { describe, expect, it } from "vitest";
import { failureOf, listening, request, serve, useLocalNames } from "./local.ts";

const { outboundOf } = useLocalNames();

describe("a connection", () => {
  it("that is refused is reported", async () => {
    const port = await serve(() => {});
    expect(await failureOf(outboundOf().post(request(`http://127.0.0.2:${port}/`)))).toBe("connect_failed");
  });

  it("that TLS does not finish on is given up", async () => {
    const port = await listening(createTcpServer(() => {}));
    const outbound = outboundOf({ connectTimeoutMs: 200 });
    expect(await failureOf(outbound.post(request(`https://hook.test:${port}/`)))).toBe("connect_timeout");
  });

  it("is kept for the same owner, and never shared with another or with another target", async () => {
    const ports: (number | undefined)[] = [];
    const port = await serve((message, response) => {
      ports.push(message.socket.remotePort);
      response.end("ok");
    });
    const outbound = outboundOf();
    const post = (owner: string, host = "hook.test") => outbound.post(request(`http://${host}:${port}/`, { owner }));
    for (let i = 0; i < 10; i++) await post("a");
    const ofOwner = new Set(ports);
    // A second one may be opened while the first still finishes.
    expect(ofOwner.size).toBeLessThanOrEqual(2);
    await post("b");
    await post("a", "other.test");
    const [other, otherTarget] = ports.slice(10);
    expect([ofOwner.has(other), ofOwner.has(otherTarget), other === otherTarget]).toEqual([false, false, false]);
  });

  it("that the server closed in the meantime costs no attempt", async () => {
    let connections = 0;
    const port = await listening(
      createTcpServer((socket) => {
        const isFirst = connections++ === 0;
        let requests = 0;
        socket.on("error", () => {});
        socket.on("data", () => {
          // The first connection answers once, and dies of the second request.
          if (isFirst && requests++ > 0) socket.destroy();
          else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        });
      }),
    );
    const outbound = outboundOf();
    await outbound.post(request(`http://hook.test:${port}/`));
    expect(await outbound.post(request(`http://hook.test:${port}/`))).toMatchObject({ statusCode: 200 });
    expect(connections).toBe(2);
  });

  it("that breaks before it ever answered is not tried again", async () => {
    let connections = 0;
    const port = await listening(
      createTcpServer((socket) => {
        connections++;
        socket.on("error", () => {});
        socket.once("data", () => socket.destroy());
      }),
    );
    expect(await failureOf(outboundOf().post(request(`http://hook.test:${port}/`)))).toBe("connection_lost");
    expect(connections).toBe(1);
  });

  it("to a slow owner delays no other", async () => {
    const slow = await serve(() => {});
    const quick = await serve((_, response) => void response.end());
    const outbound = outboundOf({ totalTimeoutMs: 60_000 });
    const stuck = Array.from({ length: 30 }, () => failureOf(outbound.post(request(`http://hook.test:${slow}/`))));
    const answer = await outbound.post(request(`http://hook.test:${quick}/`, { owner: "webhook-2" }));
    expect(answer.durationMs).toBeLessThan(20_000);
    const startedAtMs = performance.now();
    await outbound.close();
    expect(new Set(await Promise.all(stuck))).toEqual(new Set(["aborted"]));
    expect(performance.now() - startedAtMs, "closing ends what is under way").toBeLessThan(20_000);
    expect(await failureOf(outbound.post(request(`http://hook.test:${quick}/`)))).toBe("aborted");
  });
});

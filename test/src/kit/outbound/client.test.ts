import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createOutbound, type Outbound, type OutboundOptions } from "../../../../src/kit/outbound/client.ts";
import { OutboundError } from "../../../../src/kit/outbound/error.ts";
import { createNetworkGuard } from "../../../../src/kit/outbound/guard.ts";
import { selfSigned } from "../../../harness/certificate.ts";
import { type DnsServer, startDnsServer } from "../../../harness/dns-server.ts";

let dns: DnsServer;
const trusted = selfSigned(["hook.test", "127.0.0.1"]);
const past = selfSigned(["hook.test"], [-2, -1]);
const future = selfSigned(["hook.test"], [1, 2]);
const usual = getCACertificates("default");
beforeAll(async () => {
  dns = await startDnsServer();
  dns.names.set("hook.test", ["127.0.0.1"]);
  dns.names.set("other.test", ["127.0.0.1"]);
  setDefaultCACertificates([...usual, ...[trusted, past, future].map(({ certificate }) => certificate)]);
});
afterAll(async () => {
  setDefaultCACertificates(usual);
  await dns.close();
});

function outboundOf(change: Partial<OutboundOptions> & { allow?: string[] } = {}): Outbound {
  const { allow = ["127.0.0.0/8"], ...options } = change;
  const guard = createNetworkGuard({ allowNetworks: allow, dnsServers: [dns.address] });
  const outbound = createOutbound({ guard, ...options });
  onTestFinished(() => outbound.close());
  return outbound;
}

async function listening(server: Server | TcpServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener) => listening(createHttpServer(listener));

function request(url: string, change: { owner?: string; body?: string; signal?: AbortSignal } = {}) {
  const { owner = "webhook-1", body = "{}", ...rest } = change;
  return { owner, url, headers: { "content-type": "application/json" }, body: Buffer.from(body), ...rest };
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "answered";
  } catch (error) {
    if (error instanceof OutboundError) return error.failure;
    throw error;
  }
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of message) text += String(chunk);
  return text;
}

describe("an outbound request", () => {
  it("arrives as it was sent, under the name in the URL, and brings back status, headers and body", async () => {
    const seen: unknown[] = [];
    const port = await serve(async (message, response) => {
      seen.push([
        message.method,
        message.url,
        message.headers.host,
        message.headers["content-type"],
        await bodyOf(message),
      ]);
      response.writeHead(202, { "Retry-After": "7" }).end("thanks");
    });
    const answer = await outboundOf().post(request(`http://hook.test:${port}/a?b=c#d`, { body: "Grüße 😀" }));
    expect(answer).toMatchObject({ statusCode: 202, bodyText: "thanks", isBodyCut: false });
    expect(answer.headers["retry-after"]).toBe("7");
    expect(answer.durationMs).toBeGreaterThan(0);
    expect(seen).toEqual([["POST", "/a?b=c", `hook.test:${port}`, "application/json", "Grüße 😀"]]);
  });

  it("does not reach this machine without an allowed network, by any name, and does with one", async () => {
    let reached = 0;
    const port = await serve((_, response) => {
      reached++;
      response.end();
    });
    const closed = outboundOf({ allow: [] });
    for (const host of [
      "127.0.0.1",
      "localhost",
      "hook.test",
      "2130706433",
      "0x7f.1",
      "[::ffff:127.0.0.1]",
      "127.0.0.1.",
    ]) {
      expect(await failureOf(closed.post(request(`https://${host}:${port}/`))), host).toBe("address_refused");
      expect(await failureOf(closed.post(request(`http://${host}:${port}/`))), host).toBe("address_refused");
    }
    expect(reached).toBe(0);
    await outboundOf().post(request(`http://localhost:${port}/`));
    expect(reached).toBe(1);
  });

  it("is refused at the connection when the name changed its mind since the check", async () => {
    let reached = 0;
    const port = await serve((_, response) => {
      reached++;
      response.end();
    });
    const guard = createNetworkGuard({ allowNetworks: [], dnsServers: [dns.address] });
    dns.names.set("rebind.test", ["93.184.216.34"]);
    const url = `https://rebind.test:${port}/`;
    await expect(guard.check(url)).resolves.toMatchObject({ addresses: ["93.184.216.34"] });
    dns.names.set("rebind.test", ["127.0.0.1"]);
    expect(await failureOf(outboundOf({ allow: [] }).post(request(url)))).toBe("address_refused");
    expect(reached).toBe(0);
  });

  it("goes to the address that was checked: one look-up of each family a connection, none of them after the check", async () => {
    const port = await serve((_, response) => void response.end());
    // Public when asked first (and so refused for http), private when asked again: whoever asks twice gets through.
    let turn = 0;
    dns.names.set("flip.test", () => (turn++ < 2 ? ["127.0.0.1"] : ["10.0.0.1"]));
    dns.asked.length = 0;
    await outboundOf().post(request(`http://flip.test:${port}/`));
    expect(dns.asked.filter((name) => name === "flip.test")).toHaveLength(2);
  });

  it.each([301, 302, 303, 307, 308])("does not follow a redirect (%i)", async (status) => {
    let visited = 0;
    const goal = await serve((_, response) => {
      visited++;
      response.end();
    });
    const port = await serve(
      (_, response) => void response.writeHead(status, { location: `http://127.0.0.1:${goal}/` }).end(),
    );
    expect(await outboundOf().post(request(`http://hook.test:${port}/`))).toMatchObject({ statusCode: status });
    expect(visited).toBe(0);
  });

  it("does not go through a proxy of the environment", async () => {
    const port = await serve((_, response) => void response.writeHead(204).end());
    const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    for (const name of names) process.env[name] = name.startsWith("NODE") ? "1" : "http://127.0.0.1:9/";
    onTestFinished(() => {
      for (const name of names) delete process.env[name];
    });
    expect(await outboundOf().post(request(`http://hook.test:${port}/`))).toMatchObject({ statusCode: 204 });
  });

  it("tries the next address when the first does not answer", async () => {
    const port = await serve((_, response) => void response.end());
    dns.names.set("two.test", ["127.0.0.2", "127.0.0.1"]);
    expect(await outboundOf().post(request(`http://two.test:${port}/`))).toMatchObject({ statusCode: 200 });
  });
});

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

  it("counts by its status when its body drips beyond the time limit", async () => {
    const port = await serve((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const answer = await outboundOf({ totalTimeoutMs: 300 }).post(request(`http://hook.test:${port}/`));
    expect(answer).toMatchObject({ statusCode: 200, isBodyCut: true });
    expect(answer.durationMs).toBeLessThan(2000);
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

  it("that is no HTTP is refused", async () => {
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
    expect(performance.now() - startedAtMs).toBeLessThan(2000);
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

describe("a connection", () => {
  it("that is refused is told", async () => {
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
    const outbound = outboundOf({ totalTimeoutMs: 3000 });
    const stuck = Array.from({ length: 30 }, () => failureOf(outbound.post(request(`http://hook.test:${slow}/`))));
    const answer = await outbound.post(request(`http://hook.test:${quick}/`, { owner: "webhook-2" }));
    expect(answer.durationMs).toBeLessThan(1500);
    const startedAtMs = performance.now();
    await outbound.close();
    expect(new Set(await Promise.all(stuck))).toEqual(new Set(["aborted"]));
    expect(performance.now() - startedAtMs, "closing ends what is under way").toBeLessThan(1500);
    expect(await failureOf(outbound.post(request(`http://hook.test:${quick}/`)))).toBe("aborted");
  });
});

describe("TLS", () => {
  async function serveTls(options: object): Promise<{ port: number; names: unknown[] }> {
    const names: unknown[] = [];
    const server = createHttpsServer(options, (message, response) => {
      names.push("servername" in message.socket ? message.socket.servername : undefined, message.headers.host);
      response.end("secure");
    });
    server.on("tlsClientError", () => {});
    return { port: await listening(server), names };
  }
  const own = { cert: trusted.certificate, key: trusted.key };

  it("is spoken under the name in the URL, though an address is dialled", async () => {
    const { port, names } = await serveTls(own);
    expect(await outboundOf().post(request(`https://hook.test:${port}/`))).toMatchObject({ bodyText: "secure" });
    expect(names).toEqual(["hook.test", `hook.test:${port}`]);
  });

  it("works for an address that the certificate is for, without a server name", async () => {
    const { port, names } = await serveTls(own);
    expect(await outboundOf().post(request(`https://127.0.0.1:${port}/`))).toMatchObject({ bodyText: "secure" });
    expect(names[0]).toBe(false);
  });

  it("is refused when the certificate is for another name", async () => {
    const { port } = await serveTls(own);
    const failed = outboundOf().post(request(`https://other.test:${port}/`));
    await expect(failed).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await failureOf(failed)).toBe("tls_failed");
  });

  it("is refused when nobody vouches for the certificate, whatever the environment says", async () => {
    const stranger = selfSigned(["hook.test"]);
    const { port } = await serveTls({ cert: stranger.certificate, key: stranger.key });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    onTestFinished(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    });
    expect(await failureOf(outboundOf().post(request(`https://hook.test:${port}/`)))).toBe("tls_failed");
  });

  it.each([
    ["has expired", past, "CERT_HAS_EXPIRED"],
    ["is not good yet", future, "CERT_NOT_YET_VALID"],
  ])("is refused when the certificate %s", async (_, { certificate, key }, code) => {
    const { port } = await serveTls({ cert: certificate, key });
    const failed = outboundOf().post(request(`https://hook.test:${port}/`));
    await expect(failed).rejects.toThrow(code);
    expect(await failureOf(failed)).toBe("tls_failed");
  });

  it("is refused below version 1.2", async () => {
    const { port } = await serveTls({
      ...own,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    expect(await failureOf(outboundOf().post(request(`https://hook.test:${port}/`)))).toBe("tls_failed");
  });

  it("is not spoken to a server that does not speak it", async () => {
    const port = await serve((_, response) => void response.end());
    expect(await failureOf(outboundOf().post(request(`https://hook.test:${port}/`)))).toBe("tls_failed");
  });
});

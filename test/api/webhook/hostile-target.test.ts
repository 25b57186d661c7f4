// Targets that do what they can to be a nuisance, all at once, and one that behaves: it hears of its event at once.

import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "../../../src/kit/rpc/context.ts";
import { selfSigned } from "../../harness/net/certificate.ts";
import { startWebhookSink, type WebhookSink } from "../../harness/net/webhook-sink.ts";
import { openWebhookWorld, type WebhookWorld } from "../../harness/net/webhook-world.ts";

const timeoutMs = 4_000;
const certificate = selfSigned(["another.test"]);

let world: WebhookWorld;
let healthy: WebhookSink;
let inside: WebhookSink;
const servers: Server[] = [];
const sockets = new Set<Socket>();

beforeAll(async () => {
  [world, healthy, inside] = await Promise.all([
    openWebhookWorld({ totalTimeoutMs: timeoutMs }),
    startWebhookSink(),
    startWebhookSink(),
  ]);
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  await Promise.all([healthy.close(), inside.close()]);
  await world.close();
});

async function listen(server: Server, scheme = "http"): Promise<string> {
  servers.push(server);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`; // listens on TCP
}

/** A server that does this with each connection as soon as something was sent. */
function raw(work: (socket: Socket) => void): Promise<string> {
  return listen(createServer((socket) => void socket.once("data", () => work(socket))));
}

function http(respond: (response: ServerResponse) => void): Promise<string> {
  return listen(createHttpServer((request, response) => void request.resume().once("end", () => respond(response))));
}

/** Writes something again and again until the connection ends. */
function drip(socket: Socket | ServerResponse, text: string | Buffer, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once("close", () => clearInterval(timer));
}

/** What becomes of a delivery to each: the status, or what the error says. */
const targets: readonly [name: string, wanted: number | RegExp, start: () => Promise<string>][] = [
  ["hangs", /did not answer in time/, () => raw(() => {})],
  [
    "drips its headers",
    /did not answer in time/,
    () =>
      raw((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        drip(socket, "X-A: b\r\n", 50);
      }),
  ],
  ["drips its body", 200, () => http((response) => drip(response.writeHead(200), "x", 50))],
  ["sends gigabytes", 200, () => http((response) => drip(response.writeHead(200), Buffer.alloc(1_048_576), 1))],
  [
    "sends a flood of headers",
    /more than 16 KiB of headers/,
    () => raw((socket) => void socket.write(`HTTP/1.1 200 OK\r\nX-A: ${"b".repeat(64 * 1024)}\r\n\r\n`)),
  ],
  ["resets the connection", /closed the connection/, () => raw((socket) => void socket.resetAndDestroy())],
  ["speaks no HTTP", /did not answer in HTTP/, () => raw((socket) => void socket.end("220 mail.test ESMTP\r\n"))],
  [
    "has a certificate that nobody vouches for",
    /failed the TLS handshake/,
    () => listen(createTlsServer({ cert: certificate.certificate, key: certificate.key }), "https"),
  ],
  ["redirects inside", 302, () => http((response) => void response.writeHead(302, { location: inside.url }).end())],
];

async function outcomeOf(caller: Caller, webhookId: string) {
  const [[delivery]] = await world.deliveries.list(caller, webhookId, { limit: 1, offset: 0 });
  return delivery;
}

describe("nine hostile targets and one that behaves", () => {
  it("become what is documented, and none holds up the delivery to the other", async () => {
    const caller = await world.newCaller();
    const hostile = await Promise.all(
      targets.map(async ([name, wanted, start]) => ({
        name,
        wanted,
        id: (await world.subscribe(caller, await start())).row.id,
      })),
    );
    const good = (await world.subscribe(caller, healthy.url)).row;
    await world.publish(caller);
    for (const { id } of hostile) world.dispatcher.wake({ org_id: caller.orgId, webhook_id: id });
    const startedAt = performance.now();
    world.dispatcher.wake({ org_id: caller.orgId, webhook_id: good.id });
    await healthy.received(1);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    await world.dispatcher.idle();
    for (const { name, wanted, id } of hostile) {
      const delivery = await outcomeOf(caller, id);
      expect(delivery?.attempts, name).toBe(1);
      expect(delivery?.state, name).toBe(wanted === 200 ? "delivered" : "pending");
      if (typeof wanted === "number") expect(delivery?.statusCode, name).toBe(wanted);
      else expect(delivery?.error, name).toMatch(wanted);
    }
    expect(inside.requests).toHaveLength(0);
  });
});

// Servers on this machine, names that lead to them, and requests that go there.

import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket, Server as TcpServer } from "node:net";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createOutbound, type Outbound, type OutboundOptions } from "../../../../../src/kit/net/outbound/client.ts";
import { OutboundError } from "../../../../../src/kit/net/outbound/error.ts";
import { createNetworkGuard } from "../../../../../src/kit/net/outbound/guard.ts";
import { type DnsServer, startDnsServer } from "../../../../harness/net/dns-server.ts";

/** For the tests of a file: names that lead to this machine, and who may call them. */
export function useLocalNames() {
  let server: DnsServer;
  beforeAll(async () => {
    server = await startDnsServer();
    server.names.set("hook.test", ["127.0.0.1"]);
    server.names.set("other.test", ["127.0.0.1"]);
  });
  afterAll(() => server.close());
  return {
    /** What answers for the names, once the tests run. */
    dns: () => server,
    /** An outbound that may go to this machine, until the test is over. */
    outboundOf(change: Partial<OutboundOptions> & { allow?: string[] } = {}): Outbound {
      const { allow = ["127.0.0.0/8"], ...options } = change;
      const guard = createNetworkGuard({ allowNetworks: allow, dnsServers: [server.address] });
      const outbound = createOutbound({ guard, ...options });
      onTestFinished(() => outbound.close());
      return outbound;
    },
  };
}

/** Lets a server listen on a free port until the test is over, and gives the port. */
export async function listening(server: Server | TcpServer): Promise<number> {
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

/** The port of a server that answers so. */
export const serve = (listener: RequestListener) => listening(createHttpServer(listener));

/** A POST of the owner of a webhook. */
export function request(url: string, change: { owner?: string; body?: string; signal?: AbortSignal } = {}) {
  const { owner = "webhook-1", body = "{}", ...rest } = change;
  return { owner, url, headers: { "content-type": "application/json" }, body: Buffer.from(body), ...rest };
}

/** How an attempt failed; "answered" when it did not. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "answered";
  } catch (error) {
    if (error instanceof OutboundError) return error.failure;
    throw error;
  }
}

/** The body of a message, as text. */
export async function bodyOf(message: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of message) text += String(chunk);
  return text;
}

// A balancer of TCP connections that honours readiness, as a Service of Kubernetes does: new connections go in turn to
// the processes that were ready when they were last asked, and one that refuses is passed over. What is open stays.

import { request } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A process that connections may go to. */
export interface Backend {
  readonly name: string;
  readonly port: number;
  /** Where it says whether it is ready. */
  readonly managementPort: number;
}

/** A listening balancer. */
export interface Balancer {
  readonly port: number;
  /** Names of the processes that get connections now. */
  ready(): readonly string[];
  close(): Promise<void>;
}

/** How a balancer asks. */
export interface Probing {
  /** From one question to the next. */
  readonly pollMs: number;
  /** How long an answer may take. */
  readonly probeTimeoutMs: number;
}

/** Starts a balancer in front of these processes, which may come and go. */
export async function startBalancer(
  backends: readonly Backend[],
  { pollMs, probeTimeoutMs }: Probing,
): Promise<Balancer> {
  const ready = new Set<Backend>();
  let isOver = false;
  const watching = backends.map(async (backend) => {
    while (!isOver) {
      if (await isReady(backend, probeTimeoutMs)) ready.add(backend);
      else ready.delete(backend);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  });
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer({ noDelay: true, pauseOnConnect: true, allowHalfOpen: true }, (client) => {
    sockets.add(client.once("close", () => sockets.delete(client)));
    client.on("error", () => client.destroy());
    const left = backends.filter((backend) => ready.has(backend));
    const start = turn++ % Math.max(1, left.length);
    void forward(client, [...left.slice(start), ...left.slice(0, start)], sockets);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port, // listens on TCP
    ready: () => [...ready].map(({ name }) => name),
    async close() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
      await Promise.all([new Promise((resolve) => server.close(resolve)), ...watching]);
    },
  };
}

/** Hands the connection to the first process that takes it. */
async function forward(client: Socket, backends: readonly Backend[], sockets: Set<Socket>): Promise<void> {
  for (const { port } of backends) {
    const upstream = await opened(port);
    if (upstream === undefined) continue;
    sockets.add(upstream.once("close", () => sockets.delete(upstream)));
    upstream.on("error", () => client.resetAndDestroy());
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
    return;
  }
  client.resetAndDestroy();
}

function opened(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", () => resolve(undefined));
  });
}

function isReady({ managementPort: port }: Backend, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ host: "127.0.0.1", port, path: "/readyz", timeout, agent: false }, (answer) => {
      answer.resume();
      answer.once("close", () => resolve(answer.statusCode === 200));
    });
    probe.once("timeout", () => probe.destroy());
    probe.once("error", () => resolve(false));
    probe.end();
  });
}

// A TCP proxy before PostgreSQL, with the faults that a network has.

import { connect, createServer, type Socket } from "node:net";

/** A running proxy. */
export interface PostgresProxy {
  /** As the target's URL, with the proxy's port. */
  readonly url: string;
  /** The connections that are open carry nothing more, and stay open. */
  stall(): void;
  /** Ends every connection, and from now on each new one at once. */
  cut(): void;
  close(): void;
}

/** Starts a proxy before the server that a URL names. */
export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const pairs: [Socket, Socket][] = [];
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on("error", () => undefined);
    pairs.push([near, far]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const url = new URL(target);
  url.port = String(address.port);
  const end = () => {
    for (const sockets of pairs.splice(0)) for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    stall() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
      }
    },
    cut() {
      isCut = true;
      end();
    },
    close() {
      end();
      server.close();
    },
  };
}

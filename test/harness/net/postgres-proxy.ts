// A TCP proxy before PostgreSQL, with the faults that a network has.

import { connect, createServer, type Socket } from "node:net";

/** A running proxy. */
export interface PostgresProxy {
  /** As the target's URL, with the proxy's port. */
  readonly url: string;
  /** How many connections have been made. */
  readonly made: number;
  /** The connections that are open carry nothing more, and stay open. */
  stall(): void;
  /** Ends every connection. From now on new ones are made, and carry nothing once they are ready for a query. */
  silence(): void;
  /** New connections carry everything again. */
  speak(): void;
  /** Ends every connection, and from now on each new one at once. */
  cut(): void;
  close(): void;
}

/** Starts a proxy before the server that a URL names. */
export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const pairs: [Socket, Socket][] = [];
  let made = 0;
  let isCut = false;
  let isSilent = false;
  const server = createServer((near) => {
    made += 1;
    if (isCut) return near.destroy();
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    if (isSilent) far.on("data", (chunk: Buffer) => isReadyForQuery(chunk) && part(near, far));
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
    get made() {
      return made;
    },
    stall() {
      for (const [near, far] of pairs) part(near, far);
    },
    silence() {
      isSilent = true;
      end();
    },
    speak() {
      isSilent = false;
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

function part(near: Socket, far: Socket): void {
  near.unpipe(far);
  far.unpipe(near);
}

/** The message that ends PostgreSQL's part of the start-up: "Z", its length, and the state of the transaction. */
function isReadyForQuery(chunk: Buffer): boolean {
  return chunk.at(-6) === 0x5a && chunk.readUInt32BE(chunk.length - 5) === 5;
}

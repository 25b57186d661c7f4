// Ports of this machine.

import { createServer } from "node:net";

/** A port that is free now on 127.0.0.1. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === "string") reject(new Error("no port"));
        else resolve(address.port);
      });
    });
  });
}

/** Why a server could not listen on this port of the address: the system's code. Undefined when it could. */
export function listenFailure(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Whether a server could listen on this port of the address. */
export async function isPortFree(port: number, host: string): Promise<boolean> {
  return (await listenFailure(port, host)) === undefined;
}

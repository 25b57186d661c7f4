// A connection that dies inside a transaction cannot be rolled back. Kysely returns to the pool only connections that
// it could commit or roll back, so each death would cost the pool one connection, until none is left.

import type pg from "pg";

// In most cases its holder returns the connection; pg refuses to take it back twice.
const graceMs = 100;

/** Returns dead connections to their pool when nobody else does. */
export function reclaimDeadClients(pool: pg.Pool): void {
  const held = new Set<pg.PoolClient>();
  pool.on("acquire", (client) => held.add(client));
  pool.on("release", (_error, client) => held.delete(client));
  pool.on("connect", (client) => {
    client.once("end", () => {
      setTimeout(() => {
        if (held.has(client)) client.release(true);
      }, graceMs);
    });
  });
}

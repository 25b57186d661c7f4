// A connection that dies inside a transaction cannot be rolled back, and Kysely gives back to the pool only what it could
// commit or roll back: each such death would cost the pool one place for ever, until none is left.

import type pg from "pg";

// Whoever holds the connection gives it back by itself in most cases; pg refuses to take it twice.
const graceMs = 100;

/** Gives dead connections back to their pool when nobody else does. */
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

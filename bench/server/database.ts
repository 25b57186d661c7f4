// A database of its own for a bench, with the durability of production.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openEmbeddedDatabase } from "../../scripts/postgres/embedded.ts";
import type { DatabaseUrls } from "../../scripts/postgres/urls.ts";
import { migrateDatabase } from "../../src/store/connection/migrate.ts";
import { childrenCpuSecondsOf } from "../measure.ts";

/** A migrated database, and how it ends. */
export interface BenchDatabase extends DatabaseUrls {
  /** CPU time that the processes of the server have used, in seconds. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Starts a server in a temporary folder. `settings` are PostgreSQL's own. */
export async function startBenchDatabase(settings: Readonly<Record<string, string>> = {}): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-bench-"));
  chmodSync(folder, 0o755);
  const database = await openEmbeddedDatabase(folder, join(folder, "postgres.log"));
  const server = await database.start(settings);
  await migrateDatabase(database.urls);
  return {
    ...database.urls,
    cpuSeconds: () => childrenCpuSecondsOf(server.pid),
    async stop() {
      await server.stop(10_000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A bare pool. Its connections may still be closing when the server stops, which is nobody's failure. */
export function openBarePool(url: string, connections: number): pg.Pool {
  const ignore = (): void => undefined;
  const pool = new pg.Pool({ connectionString: url, max: connections });
  return pool.on("error", ignore).on("connect", (connection) => connection.on("error", ignore));
}

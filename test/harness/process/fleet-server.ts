// A PostgreSQL server of a fleet's own, with a database that has no schema yet, which can be restarted.

import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { findBinaries } from "../../../scripts/postgres/binaries.ts";
import { createCluster, superuser } from "../../../scripts/postgres/cluster.ts";
import { freePort } from "../../../scripts/postgres/port.ts";
import { startServer } from "../../../scripts/postgres/server.ts";
import { type DatabaseUrls, databaseUrls, postgresUrl } from "../../../scripts/postgres/urls.ts";
import { chooseServerUser } from "../../../scripts/postgres/user.ts";
import { createRolesSql, prepareDatabaseSql } from "../../../src/store/core/roles.ts";

/** The server and its database. */
export interface FleetServer {
  readonly urls: DatabaseUrls;
  /** Ends all sessions and starts anew. Resolves when it accepts connections again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const name = "policy_guard";

/** Makes a cluster and starts it. What it acknowledges is on disk, unlike with the server of all other tests. */
export async function startFleetServer(): Promise<FleetServer> {
  const user = chooseServerUser({ create: false });
  const home = mkdtempSync(join(tmpdir(), "policy-guard-fleet-"));
  chmodSync(home, 0o755);
  const binaries = findBinaries(user);
  const folder = join(home, "cluster");
  const [superuserPassword, port] = [newPassword(), await freePort()];
  await createCluster({ folder, user, binaries, superuserPassword, sync: false });
  const settings = { max_connections: 300, shared_buffers: "128MB", scram_iterations: 64 };
  const start = () => startServer({ folder, port, user, binaries, settings, logFile: join(home, "postgres.log") });
  let server = await start();
  const passwords = { owner: newPassword(), application: newPassword(), worker: newPassword() };
  const client = new pg.Client({ connectionString: postgresUrl(port, "postgres", superuser, superuserPassword) });
  await client.connect();
  await client.query(createRolesSql(passwords));
  await client.query(`create database ${name} template template0`);
  await client.query(prepareDatabaseSql(name));
  await client.end();
  return {
    urls: databaseUrls(port, name, passwords),
    async restart() {
      await server.stop(30_000);
      server = await start();
    },
    async stop() {
      await server.stop(30_000);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function newPassword(): string {
  return randomBytes(18).toString("base64url");
}

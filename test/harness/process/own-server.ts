// A PostgreSQL server of a test's own, with a database that has no schema yet, which can be restarted and have a replica.

import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, lchownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { findBinaries } from "../../../scripts/postgres/binaries.ts";
import { createCluster, superuser } from "../../../scripts/postgres/cluster.ts";
import { freePort } from "../../../scripts/postgres/port.ts";
import { type Server, startServer } from "../../../scripts/postgres/server.ts";
import { type DatabaseUrls, databaseUrls, postgresUrl } from "../../../scripts/postgres/urls.ts";
import { chooseServerUser } from "../../../scripts/postgres/user.ts";
import { signalProcess } from "../../../scripts/process.ts";
import { createRolesSql, prepareDatabaseSql } from "../../../src/store/core/roles.ts";

/** The server and its database. */
export interface OwnServer {
  readonly urls: DatabaseUrls;
  /** Ends all sessions and starts anew. Resolves when it accepts connections again. */
  restart(): Promise<void>;
  /** Starts a streaming replica of it. The server is restarted, as its files are copied while it does not run. */
  startReplica(): Promise<OwnReplica>;
  /** Ends it and its replica, and removes their files. */
  stop(): Promise<void>;
}

/** A replica. */
export interface OwnReplica {
  readonly urls: DatabaseUrls;
  /** Of the superuser, to hold up what it replays. */
  readonly superuserUrl: string;
  stop(): Promise<void>;
}

const name = "policy_guard";
const stopMs = 30_000;

/** Makes a cluster and starts it. */
export async function startOwnServer(): Promise<OwnServer> {
  const user = chooseServerUser({ create: false });
  const home = mkdtempSync(join(tmpdir(), "policy-guard-server-"));
  chmodSync(home, 0o755);
  const binaries = findBinaries(user);
  const [folder, copy] = [join(home, "cluster"), join(home, "replica")];
  const [superuserPassword, port] = [newPassword(), await freePort()];
  await createCluster({ folder, user, binaries, superuserPassword, sync: false });
  const settings = { max_connections: 300, shared_buffers: "128MB", scram_iterations: 64 };
  const logFile = join(home, "postgres.log");
  const start = () => startServer({ folder, port, user, binaries, settings, logFile });
  const running = new Set<Server>();
  const started = (server: Server) => {
    running.add(server);
    return server;
  };
  const ended = async (server: Server) => {
    running.delete(server);
    await server.stop(stopMs);
  };
  let server = started(await start());
  const abandon = () => {
    for (const { pid } of running) signalProcess(pid, "SIGQUIT");
  };
  process.once("exit", abandon);
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
      await ended(server);
      server = started(await start());
    },
    async startReplica() {
      await ended(server);
      cpSync(folder, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      writeFileSync(join(copy, "standby.signal"), "");
      own(copy, folder);
      server = started(await start());
      const replicaPort = await freePort();
      const from = `host=127.0.0.1 port=${port} user=${superuser} password=${superuserPassword}`;
      const replica = started(
        await startServer({
          ...{ folder: copy, port: replicaPort, user, binaries, logFile: join(home, "replica.log") },
          settings: { ...settings, primary_conninfo: from, wal_retrieve_retry_interval: "200ms" },
        }),
      );
      return {
        urls: databaseUrls(replicaPort, name, passwords),
        superuserUrl: postgresUrl(replicaPort, "postgres", superuser, superuserPassword),
        stop: () => ended(replica),
      };
    },
    async stop() {
      await Promise.all([...running].map(ended));
      process.off("exit", abandon);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Gives a copy, which belongs to us, to the owner of what was copied. */
function own(copy: string, original: string): void {
  const { uid, gid } = statSync(original);
  for (const entry of readdirSync(copy, { recursive: true, encoding: "utf8" })) lchownSync(join(copy, entry), uid, gid);
  lchownSync(copy, uid, gid);
  chmodSync(copy, 0o700);
}

function newPassword(): string {
  return randomBytes(18).toString("base64url");
}

// A PostgreSQL server of its own that archives its log, so that it can be restored to an earlier moment: a copy of its
// folder from before anything was done, and the log up to that moment
// (https://www.postgresql.org/docs/18/continuous-archiving.html).

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { findBinaries } from "../../../scripts/postgres/binaries.ts";
import { createCluster, superuser } from "../../../scripts/postgres/cluster.ts";
import { freePort } from "../../../scripts/postgres/port.ts";
import { type Server, startServer } from "../../../scripts/postgres/server.ts";
import { databaseUrls, postgresUrl } from "../../../scripts/postgres/urls.ts";
import { chooseServerUser } from "../../../scripts/postgres/user.ts";
import { migrateDatabase } from "../../../src/store/connection/migrate.ts";
import { createRolesSql, prepareDatabaseSql } from "../../../src/store/core/roles.ts";
import type { TestDatabase } from "../database.ts";

/** A server whose state of any moment can be brought back. */
export interface ArchivedServer {
  readonly urls: TestDatabase;
  /** The moment, as a place in the server's log. */
  moment(): Promise<string>;
  /** Stops the server and starts it as it was at this moment. Nobody may be connected. */
  restoreTo(moment: string): Promise<void>;
}

const database = "policy_guard";
const segment = /^[0-9A-F]{24}$|\.history$/;

/** Starts a server with a migrated database. It goes with `urls.drop()`. */
export async function startArchivedServer(): Promise<ArchivedServer> {
  const user = chooseServerUser({ create: false });
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-archived-"));
  chmodSync(folder, 0o755);
  const [cluster, base, archive] = ["cluster", "base", "archive"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(archive);
  if (user !== undefined) chownSync(archive, user.uid, user.gid);
  const binaries = findBinaries(user);
  const [ownerPassword, application, worker, superuserPassword] = Array.from({ length: 4 }, newPassword) as [
    string,
    string,
    string,
    string,
  ];
  const passwords = { owner: ownerPassword, application, worker };
  await createCluster({ folder: cluster, user, binaries, superuserPassword, sync: false });
  const port = await freePort();
  const start = (settings: Readonly<Record<string, string>> = {}) =>
    startServer({
      ...{ folder: cluster, port, user, binaries, logFile: join(folder, "postgres.log") },
      settings: {
        ...{ fsync: "off", wal_level: "replica", max_wal_senders: 0, shared_buffers: "32MB", hot_standby: "off" },
        ...{ archive_mode: "on", archive_command: `cp "%p" "${archive}/%f"`, ...settings },
      },
    });
  const run = async (name: string, texts: readonly string[]) => {
    const client = new pg.Client({ connectionString: postgresUrl(port, name, superuser, superuserPassword) });
    await client.connect();
    try {
      const answers = [];
      for (const text of texts) answers.push(await client.query(text));
      return answers.at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  };
  let server: Server = await start();
  const urls = databaseUrls(port, database, passwords);
  await run("postgres", [createRolesSql(passwords), `create database ${database} template template0`]);
  await run("postgres", [prepareDatabaseSql(database)]);
  await migrateDatabase({ migrationUrl: urls.migrationUrl });
  const stop = () => server.stop(60_000);
  const copy = (from: string, to: string) => cpSync(from, to, { recursive: true, preserveTimestamps: true });
  await stop();
  copy(cluster, base);
  server = await start();
  return {
    urls: {
      ...urls,
      openWitness: () => Promise.reject(new Error("this server has no witness")),
      async drop() {
        await stop();
        rmSync(folder, { recursive: true, force: true });
      },
    },
    moment: async () => (await run(database, ["select pg_current_wal_lsn()::text as lsn"]))[0]?.lsn,
    async restoreTo(moment) {
      await stop();
      // The last part of the log is archived only when it is full.
      for (const name of readdirSync(join(cluster, "pg_wal")).filter((each) => segment.test(each)))
        if (!existsSync(join(archive, name))) copyFileSync(join(cluster, "pg_wal", name), join(archive, name));
      if (user !== undefined)
        for (const name of readdirSync(archive)) chownSync(join(archive, name), user.uid, user.gid);
      rmSync(cluster, { recursive: true });
      copy(base, cluster);
      writeFileSync(join(cluster, "recovery.signal"), "");
      chmodSync(cluster, 0o700);
      if (user !== undefined) own(cluster, user);
      server = await start({
        ...{ restore_command: `cp "${archive}/%f" "%p"`, recovery_target_lsn: moment },
        ...{ recovery_target_action: "promote", recovery_target_timeline: "latest" },
      });
      // It accepts connections when it has been promoted; the log says so a little before.
      await run(database, ["select 1"]);
    },
  };
}

/** What was copied belongs to whoever runs the server. */
function own(path: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  chownSync(path, uid, gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) own(inner, { uid, gid });
    else chownSync(inner, uid, gid);
  }
}

function newPassword(): string {
  return randomBytes(18).toString("base64url");
}

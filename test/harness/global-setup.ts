// One PostgreSQL server for the whole run, with the roles of production and a migrated template to copy databases from.
// Each run has its own server and folder, so that several runs on one machine do not meet.

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { findBinaries } from "../../scripts/postgres/binaries.ts";
import { createCluster, superuser } from "../../scripts/postgres/cluster.ts";
import { freePort } from "../../scripts/postgres/port.ts";
import { processesIn, type Server, startServer } from "../../scripts/postgres/server.ts";
import { databaseUrls, postgresUrl } from "../../scripts/postgres/urls.ts";
import { chooseServerUser, type ServerUser, userPasses } from "../../scripts/postgres/user.ts";
import { signalProcess } from "../../scripts/process.ts";
import { isRunning, type ProcessStamp, processStamp } from "../../src/kit/process/process-stamp.ts";
import { createRolesSql, type LoginPasswords, prepareDatabaseSql } from "../../src/store/core/roles.ts";

/** What test files need to know of the run's server. */
export interface TestPostgres {
  readonly port: number;
  /** A superuser's connection to the maintenance database; for creating and dropping databases only. */
  readonly superuserUrl: string;
  readonly passwords: LoginPasswords;
  /** The migrated database that test databases are copies of. */
  readonly template: string;
}

declare module "vitest" {
  interface ProvidedContext {
    postgres: TestPostgres;
  }
}

const folderPrefix = "policy-guard-test-";
const template = "policy_guard_template";

/** Nothing of a test outlives it, so nothing needs to reach the disk. */
const settings = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: 0,
  max_connections: 200,
  shared_buffers: "64MB",
  // A vacuum of the template would make copying wait.
  autovacuum: "off",
  scram_iterations: 64,
};

let running: { readonly server: Server; readonly folder: string } | undefined;

/** Starts the server, before the first test file. */
export async function setup(project: TestProject): Promise<void> {
  const user = chooseServerUser({ create: false });
  const parent = runsFolder(user);
  await removeLeftovers(parent);
  const folder = mkdtempSync(join(parent, folderPrefix));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "run.json"), JSON.stringify(processStamp(process.pid)));
  const superuserPassword = newPassword();
  const server = await createServer(folder, user, superuserPassword);
  running = { server, folder };
  process.once("exit", abandon);
  const superuserUrl = postgresUrl(server.port, "postgres", superuser, superuserPassword);
  const passwords = { owner: newPassword(), application: newPassword(), worker: newPassword() };
  await createTemplate(superuserUrl, server.port, passwords);
  project.provide("postgres", { port: server.port, superuserUrl, passwords, template });
}

/** Stops the server and removes its folder, after the last test file. */
export async function teardown(): Promise<void> {
  if (running === undefined) return;
  const { server, folder } = running;
  running = undefined;
  process.off("exit", abandon);
  // Immediate shutdown: the files are removed anyway.
  signalProcess(server.pid, "SIGQUIT");
  await server.exited;
  rmSync(folder, { recursive: true, force: true });
}

/** The run ends without teardown: the process is exiting, so only synchronous work is possible. */
function abandon(): void {
  if (running !== undefined) signalProcess(running.server.pid, "SIGQUIT");
}

async function createServer(folder: string, user: ServerUser | undefined, superuserPassword: string): Promise<Server> {
  const binaries = findBinaries(user);
  const cluster = join(folder, "cluster");
  await createCluster({ folder: cluster, user, binaries, superuserPassword, sync: false });
  const logFile = join(folder, "postgres.log");
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startServer({ folder: cluster, port: await freePort(), user, binaries, settings, logFile });
    } catch (error) {
      // Another run may have taken the port between our asking for it and our listening on it.
      if (attempt === 3) throw error;
    }
  }
}

async function createTemplate(superuserUrl: string, port: number, passwords: LoginPasswords): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query(createRolesSql(passwords));
    await client.query(`create database ${template} template template0`);
    await client.query(prepareDatabaseSql(template));
    await migrate(databaseUrls(port, template, passwords).migrationUrl);
    await forgetIdentity(superuserUrl);
    await client.query(`alter database ${template} with is_template true allow_connections false`);
  } finally {
    await client.end();
  }
}

/** A copy of a database is another one, which would have to be told so: those of tests begin as one that nobody knows. */
async function forgetIdentity(superuserUrl: string): Promise<void> {
  const url = new URL(superuserUrl);
  url.pathname = template;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query("update installation set database_identity = null").finally(() => client.end());
}

async function migrate(migrationUrl: string): Promise<void> {
  const module = new URL("../../src/store/connection/migrate.ts", import.meta.url);
  if (!existsSync(module)) return;
  const { migrateDatabase } = await import(module.href);
  await migrateDatabase({ migrationUrl });
}

function runsFolder(user: ServerUser | undefined): string {
  const found = [tmpdir(), "/tmp", "/var/tmp"].find((folder) => userPasses(user, "-x", folder));
  if (found === undefined) throw new Error("no temporary folder that the database's user may enter");
  return found;
}

/** Ends servers and removes folders of runs that were killed. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(folderPrefix))) {
    const folder = join(parent, name);
    try {
      if (!isAbandoned(folder)) continue;
      for (const pid of processesIn(join(folder, "cluster"))) signalProcess(pid, "SIGQUIT");
      while (processesIn(join(folder, "cluster")).length > 0) await sleep(20);
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another user's, or removed by another run at this moment.
    }
  }
}

function isAbandoned(folder: string): boolean {
  const file = join(folder, "run.json");
  // Without the file the run is in its first moments, or died in them.
  if (!existsSync(file)) return Date.now() - statSync(folder).mtimeMs > 3_600_000;
  const stamp: ProcessStamp = JSON.parse(readFileSync(file, "utf8"));
  return !isRunning(stamp);
}

function newPassword(): string {
  return randomBytes(18).toString("base64url");
}

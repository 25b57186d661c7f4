// The database of `npm start`: a cluster that belongs to one data folder. As root the server runs as an unprivileged
// user. When that user cannot enter the data folder (a clone below /root), the cluster lies in the system folder
// instead, and the data folder keeps its address.

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { createRolesSql, type LoginPasswords, prepareDatabaseSql } from "../../src/store/core/roles.ts";
import { findBinaries, makePublicFolder, systemFolder } from "./binaries.ts";
import { createCluster, isCluster, superuser } from "./cluster.ts";
import { freePort, isPortFree } from "./port.ts";
import { adoptServer, clearRemains, type Server, type ServerOptions, startServer } from "./server.ts";
import { type DatabaseUrls, databaseUrls, postgresUrl } from "./urls.ts";
import { chooseServerUser, type ServerUser, userOfId, userPasses } from "./user.ts";

/** What the data folder keeps about its cluster, in postgres.json. */
interface ClusterRecord {
  /** The cluster's folder, relative to the data folder unless it lies elsewhere. */
  readonly cluster: string;
  readonly port: number;
  readonly passwords: LoginPasswords & { readonly superuser: string };
}

const database = "policy_guard";

/** The database of a data folder. */
export interface EmbeddedDatabase {
  readonly urls: DatabaseUrls;
  /**
   * Makes the server run: takes over a live one, or starts it, with these settings of postgresql.conf. To be called
   * again when the server has died.
   */
  start(settings?: ServerOptions["settings"]): Promise<Server>;
}

/** Prepares the cluster of a data folder: its place, passwords and port; on the first start the cluster itself. */
export async function openEmbeddedDatabase(dataFolder: string, logFile: string): Promise<EmbeddedDatabase> {
  const file = join(dataFolder, "postgres.json");
  const record = existsSync(file) ? await renewPort(file, dataFolder) : await newRecord(file, dataFolder);
  const folder = resolve(dataFolder, record.cluster);
  const user = isCluster(folder) ? ownerOf(folder) : chooseServerUser({ create: true });
  const binaries = findBinaries(user);
  if (!isCluster(folder)) {
    await createCluster({ folder, user, binaries, superuserPassword: record.passwords.superuser, sync: true });
  }
  return {
    urls: databaseUrls(record.port, database, record.passwords),
    async start(settings = {}) {
      const live = await adoptServer(folder);
      if (live === undefined) await clearRemains(folder);
      const server = live ?? (await startServer({ folder, port: record.port, user, binaries, settings, logFile }));
      await createDatabase(record);
      return server;
    },
  };
}

/** The URLs of a data folder's database while its server runs. */
export async function liveDatabaseUrls(dataFolder: string): Promise<DatabaseUrls | undefined> {
  const file = join(dataFolder, "postgres.json");
  if (!existsSync(file)) return undefined;
  const record: ClusterRecord = JSON.parse(readFileSync(file, "utf8"));
  const live = await adoptServer(resolve(dataFolder, record.cluster));
  return live && databaseUrls(live.port, database, record.passwords);
}

/** The roles are created anew each time, which changes nothing when they are there; the database only once. */
async function createDatabase({ port, passwords }: ClusterRecord): Promise<void> {
  const connectionString = postgresUrl(port, "postgres", superuser, passwords.superuser);
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(createRolesSql(passwords));
    const { rowCount } = await client.query("select from pg_database where datname = $1", [database]);
    if (rowCount === 0) await client.query(`create database ${database} template template0`);
    await client.query(prepareDatabaseSql(database));
  } finally {
    await client.end();
  }
}

/** The record, with another port when the former one has been taken by a stranger. A live server keeps its port. */
async function renewPort(file: string, dataFolder: string): Promise<ClusterRecord> {
  const record: ClusterRecord = JSON.parse(readFileSync(file, "utf8"));
  const live = await adoptServer(resolve(dataFolder, record.cluster));
  if (live?.port === record.port) return record;
  if (live === undefined && (await isPortFree(record.port, "127.0.0.1"))) return record;
  return writeRecord(file, { ...record, port: live?.port ?? (await freePort()) });
}

async function newRecord(file: string, dataFolder: string): Promise<ClusterRecord> {
  const cluster = choosePlace(dataFolder);
  const passwords = {
    superuser: newPassword(),
    owner: newPassword(),
    application: newPassword(),
    worker: newPassword(),
  };
  return writeRecord(file, { cluster, port: await freePort(), passwords });
}

function writeRecord(file: string, record: ClusterRecord): ClusterRecord {
  writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return record;
}

function choosePlace(dataFolder: string): string {
  const user = chooseServerUser({ create: true });
  if (user === undefined || userPasses(user, "-x", dataFolder)) return "postgres";
  const home = join(systemFolder, randomBytes(6).toString("hex"));
  makePublicFolder(systemFolder);
  makePublicFolder(home);
  writeFileSync(join(home, "data-folder"), `${dataFolder}\n`);
  return join(home, "postgres");
}

/** The user that an existing cluster belongs to: PostgreSQL runs as no other. Undefined when that is ourselves. */
function ownerOf(folder: string): ServerUser | undefined {
  const { uid, gid } = statSync(folder);
  if (uid === process.getuid?.()) return undefined;
  const owner = userOfId(uid) ?? { name: String(uid), uid, gid };
  if (process.getuid?.() !== 0) {
    throw new Error(`the database in ${folder} belongs to the user ${owner.name}: start as that user or as root`);
  }
  return owner;
}

function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

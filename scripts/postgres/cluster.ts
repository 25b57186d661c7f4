// A cluster: the folder in which PostgreSQL keeps all of its files.

import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { idsOf, type ServerUser } from "./user.ts";

/** The superuser of every cluster that we create. */
export const superuser = "postgres";

/** What `createCluster` needs to know. */
export interface ClusterOptions {
  /** The folder to create; its parent exists, and the user may enter it. */
  readonly folder: string;
  readonly user: ServerUser | undefined;
  readonly binaries: Binaries;
  readonly superuserPassword: string;
  /** Whether the files are flushed to disk. Only tests do without. */
  readonly sync: boolean;
}

/** Whether the folder holds a complete cluster. */
export function isCluster(folder: string): boolean {
  return existsSync(join(folder, "PG_VERSION"));
}

/**
 * Creates a cluster: UTF-8, PostgreSQL's own C.UTF-8 collation (the same order on every machine), password log-in only.
 * It is built beside its final path and renamed, so that an interrupted attempt leaves nothing that looks like a
 * cluster.
 */
export async function createCluster(options: ClusterOptions): Promise<void> {
  const half = `${options.folder}.new`;
  const passwordFile = `${options.folder}.password`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { mode: 0o700 });
  try {
    writeFileSync(passwordFile, options.superuserPassword, { mode: 0o600 });
    if (options.user !== undefined) {
      chownSync(half, options.user.uid, options.user.gid);
      chownSync(passwordFile, options.user.uid, options.user.gid);
    }
    await runInitdb(options, half, passwordFile);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(half, options.folder);
}

function runInitdb(options: ClusterOptions, folder: string, passwordFile: string): Promise<void> {
  const parameters = [
    `--pgdata=${folder}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--set=timezone=UTC",
    "--set=log_timezone=UTC",
    "--no-instructions",
    ...(options.sync ? [] : ["--no-sync"]),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(options.binaries.initdb, parameters, {
      ...idsOf(options.user),
      // The user may not be allowed to enter our working directory.
      cwd: "/",
      env: serverEnvironment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint += text;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`initdb failed with exit code ${code}: ${complaint.trim()}`));
    });
  });
}

/** The environment of PostgreSQL's programs: none of the caller's PG… variables, and messages in English. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}

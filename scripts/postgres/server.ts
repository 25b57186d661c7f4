// A running server. Its state is read from postmaster.pid, as pg_ctl does it
// (https://www.postgresql.org/docs/18/storage-file-layout.html): line 1 the process id, line 4 the port, line 8 the
// status.

import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { signalProcess, within } from "../process.ts";
import type { Binaries } from "./binaries.ts";
import { serverEnvironment } from "./cluster.ts";
import { idsOf, type ServerUser } from "./user.ts";

/** How to start a server. */
export interface ServerOptions {
  /** The cluster's folder. */
  readonly folder: string;
  readonly port: number;
  readonly user: ServerUser | undefined;
  readonly binaries: Binaries;
  /** Settings of postgresql.conf, given on the command line. */
  readonly settings: Readonly<Record<string, string | number>>;
  /** PostgreSQL's own messages are appended here. */
  readonly logFile: string;
}

/** A server that accepts connections on 127.0.0.1. */
export interface Server {
  /** The postmaster's process id. */
  readonly pid: number;
  readonly port: number;
  /** Resolves when the postmaster is gone, with how it ended: "exit code 1", "SIGKILL". */
  readonly exited: Promise<string>;
  /**
   * Fast shutdown: sessions are ended, everything is on disk. After `limitMs` an immediate one, which the next start
   * recovers from.
   */
  stop(limitMs: number): Promise<void>;
}

const startLimitMs = 120_000;
const pollMs = 20;

/** Starts the server of a cluster and waits until it accepts connections. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port: options.port,
    ...options.settings,
  };
  const log = openSync(options.logFile, "a", 0o600);
  const child = spawn(
    options.binaries.postgres,
    ["-D", options.folder, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    // Its own process group: a Ctrl-C in the terminal is for the supervisor, which stops the database last.
    { ...idsOf(options.user), cwd: "/", env: serverEnvironment(), stdio: ["ignore", log, log], detached: true },
  );
  closeSync(log);
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const pid = await untilReady(child, options);
  return { pid, port: options.port, exited, stop: (limitMs) => stopPostmaster(pid, exited, limitMs) };
}

async function untilReady(child: ChildProcess, options: ServerOptions): Promise<number> {
  let failure: string | undefined;
  child.once("error", (error) => {
    failure = error.message;
  });
  child.once("exit", (code, signal) => {
    failure ??= `exit ${signal ?? code}`;
  });
  const deadline = Date.now() + startLimitMs;
  while (failure === undefined && Date.now() < deadline) {
    const state = readPostmaster(options.folder);
    if (state !== undefined && state.pid === child.pid && state.status === "ready") return state.pid;
    await sleep(pollMs);
  }
  if (failure === undefined) child.kill("SIGINT");
  throw new Error(
    `PostgreSQL did not start (${failure ?? "time-out"}); the end of ${options.logFile}:\n${tail(options.logFile)}`,
  );
}

/**
 * The live server of this cluster, whoever started it; undefined when there is none. Waits for one that is starting or
 * stopping.
 */
export async function adoptServer(folder: string): Promise<Server | undefined> {
  const deadline = Date.now() + startLimitMs;
  while (Date.now() < deadline) {
    const state = readPostmaster(folder);
    if (state === undefined || !processesIn(folder).includes(state.pid)) return undefined;
    if (state.status === "ready") return adopted(state.pid, state.port, folder);
    await sleep(pollMs);
  }
  throw new Error(`the PostgreSQL server in ${folder} is neither ready nor gone`);
}

/** The end is watched only once somebody asks for it, since a watch keeps the watching process alive. */
function adopted(pid: number, port: number, folder: string): Server {
  let watch: Promise<string> | undefined;
  const exited = () => {
    watch ??= untilGone(pid, folder);
    return watch;
  };
  return {
    pid,
    port,
    get exited() {
      return exited();
    },
    stop: (limitMs) => stopPostmaster(pid, exited(), limitMs),
  };
}

/**
 * Makes a cluster without a live postmaster startable. Sessions of a killed postmaster are waited for and then ended:
 * PostgreSQL refuses to start beside them. A postmaster.pid whose number now belongs to another program is removed
 * (PostgreSQL itself removes one whose number belongs to nobody).
 */
export async function clearRemains(folder: string): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (processesIn(folder).length > 0 && Date.now() < deadline) await sleep(pollMs);
  for (const pid of processesIn(folder)) signalProcess(pid, "SIGKILL");
  while (processesIn(folder).length > 0) await sleep(pollMs);
  rmSync(join(folder, "postmaster.pid"), { force: true });
}

/**
 * The ids of the processes that live in the cluster's folder: each process of a server has it as its working directory.
 */
export function processesIn(folder: string): number[] {
  // The kernel names the folder by its real path.
  const place = existsSync(folder) ? realpathSync(folder) : folder;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => workingDirectory(pid) === place);
}

function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // Gone meanwhile, or a process of another user, which is no server of ours.
    return undefined;
  }
}

function readPostmaster(folder: string): { pid: number; port: number; status: string } | undefined {
  try {
    const lines = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
    return { pid: Number(lines[0]), port: Number(lines[3]), status: (lines[7] ?? "").trim() };
  } catch {
    return undefined;
  }
}

async function untilGone(pid: number, folder: string): Promise<string> {
  while (processesIn(folder).includes(pid)) await sleep(200);
  return "ended";
}

async function stopPostmaster(pid: number, exited: Promise<unknown>, limitMs: number): Promise<void> {
  for (const [signal, waitMs] of [
    ["SIGINT", limitMs],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const) {
    signalProcess(pid, signal);
    if (await within(exited, waitMs)) return;
  }
}

function tail(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-8).join("\n");
}

// Node processes of the supervisor. Their output goes straight to a file: it does not pass through the supervisor, and
// outlives it.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { signalProcess, within } from "../process.ts";

/** Something that runs until it is stopped or dies. The database server is one, too. */
export interface Running {
  readonly pid: number;
  /** Resolves when it is gone, with how it ended: "exit code 1", "SIGKILL". */
  readonly exited: Promise<string>;
  /** Asks it to end, waits for at most `limitMs`, then kills it. */
  stop(limitMs: number): Promise<void>;
}

/** The program to run. */
export interface ChildOptions {
  /** The TypeScript file. */
  readonly script: string;
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Options of Node. Default: none. */
  readonly nodeOptions?: readonly string[];
  /** Arguments of the program. Default: none. */
  readonly args?: readonly string[];
}

const lifeline = fileURLToPath(new URL("./lifeline.ts", import.meta.url));

/** Starts a Node process. */
export async function startChild(options: ChildOptions): Promise<Running> {
  const log = openSync(options.logFile, "a", 0o600);
  const { nodeOptions = [], args = [] } = options;
  const child = spawn(process.execPath, [...nodeOptions, "--import", lifeline, options.script, ...args], {
    cwd: options.root,
    env: options.env,
    stdio: ["ignore", log, log, "ipc"],
    // Its own process group: a Ctrl-C in the terminal is for the supervisor, which stops the parts in order.
    detached: true,
  });
  closeSync(log);
  const pid = await pidOf(child);
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return { pid, exited, stop: (limitMs) => stopGroup(pid, exited, limitMs) };
}

async function pidOf(child: ChildProcess): Promise<number> {
  if (child.pid !== undefined) return child.pid;
  return new Promise((_, reject) => child.once("error", reject));
}

async function stopGroup(pid: number, exited: Promise<string>, limitMs: number): Promise<void> {
  signalProcess(pid, "SIGTERM");
  if (await within(exited, limitMs)) return;
  // The whole group, with whatever the process started itself.
  signalProcess(-pid, "SIGKILL");
  await exited;
}

// Processes of the product, to be killed and started again.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { compileCacheVariables } from "../../../scripts/compile-cache.ts";

/** How to start a process. */
export interface ProcessOptions {
  /** The file below the repository, such as "src/main.ts", or anywhere when the path is absolute. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Options of Node. Default: none. */
  readonly nodeOptions?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What it logs when it is ready. */
  readonly readyMessage: string;
  /** How long it may take to end when it is asked to. Default: ten seconds. */
  readonly graceMs?: number;
}

/** A process that can be killed and started again. */
export interface NodeProcess {
  /** Of the process that runs now. */
  readonly pid: number;
  /** What it logged when it became ready. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** The last lines that it wrote. */
  readonly lastLines: readonly string[];
  /** Ends it at once, without a chance to tidy up. */
  kill(): Promise<void>;
  /** Starts it again, and waits until it is ready. */
  start(): Promise<void>;
  /** Asks it to end; ends it after the grace. Returns the exit code. */
  stop(): Promise<number | null>;
}

const root = resolve(import.meta.dirname, "../../..");
// A test that breaks off before it could end its processes takes them with it.
const lifeline = join(root, "scripts/supervisor/lifeline.ts");

/** Starts a process and waits until it is ready. */
export async function startNodeProcess(options: ProcessOptions): Promise<NodeProcess> {
  let lastLines: string[] = [];
  let child = spawnChild(options);
  let facts = await ready(child, options, lastLines);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), options.graceMs ?? 10_000);
    await exited;
    clearTimeout(late);
  };
  return {
    get pid() {
      if (child.pid === undefined) throw new Error(`${options.script} has no process id`);
      return child.pid;
    },
    get facts() {
      return facts;
    },
    get lastLines() {
      return lastLines;
    },
    kill: () => end("SIGKILL"),
    async start() {
      child = spawnChild(options);
      lastLines = [];
      facts = await ready(child, options, lastLines);
    },
    async stop() {
      await end("SIGTERM");
      return child.exitCode;
    },
  };
}

function spawnChild({ script, args = [], nodeOptions = [], env }: ProcessOptions): ChildProcess {
  const file = resolve(root, script);
  return spawn(process.execPath, [...nodeOptions, "--import", lifeline, file, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: "info", ...compileCacheVariables, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

/** Resolves to the line that says that it is ready. Goes on reading, since nobody else empties the pipe. */
function ready(
  child: ChildProcess,
  { script, readyMessage }: ProcessOptions,
  last: string[],
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        last.push(line);
        if (last.length > 20) last.shift();
        if (line.includes(readyMessage)) resolve(JSON.parse(line));
      });
    }
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`${script} ended with ${code ?? signal}:\n${last.join("\n")}`)),
    );
  });
}

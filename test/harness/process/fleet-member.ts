// The processes of a fleet: each can be drained and started again, also as another release, killed, and stopped in its
// tracks.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { eventually } from "../eventually.ts";
import type { Backend } from "../net/balancer.ts";
import { type NodeProcess, startNodeProcess } from "./node-process.ts";

/** What a process is. */
export type MemberKind = "control plane" | "worker" | "runtime";

const programs: Readonly<Record<MemberKind, { readonly script: string; readonly readyMessage: string }>> = {
  "control plane": { script: "src/main.ts", readyMessage: "control plane is listening" },
  worker: { script: "src/worker.ts", readyMessage: "worker is running" },
  runtime: { script: "runtime/main.ts", readyMessage: "runtime is listening" },
};

/** How a member is started. */
export interface MemberOptions extends Backend {
  readonly kind: MemberKind;
  readonly env: Readonly<Record<string, string>>;
}

const root = resolve(import.meta.dirname, "../../..");
/** As long as an orchestrator waits: the chart grants 40 seconds. */
const graceMs = 40_000;

/** A process of the fleet, or what stands for one. */
export interface FleetMember extends Backend {
  readonly kind: MemberKind;
  /** Starts it from a checkout; by default this one. Resolves when it listens. */
  start(checkout?: string): Promise<void>;
  /** Asks it to end, and waits until it has. Resolves to what it had to say when it did not end in order. */
  drain(): Promise<string | undefined>;
  /** Ends it at once. */
  kill(): Promise<void>;
  /** Stops it and its own processes in their tracks; the function lets them go on. */
  freeze(): () => void;
  /** Waits until it says that it is ready. */
  ready(): Promise<void>;
  /** Ends it, if it runs. */
  stop(): Promise<void>;
}

/** A process. */
export class Member implements FleetMember {
  readonly name: string;
  readonly kind: MemberKind;
  readonly port: number;
  readonly managementPort: number;
  readonly #env: Readonly<Record<string, string>>;
  #process: NodeProcess | undefined;

  constructor({ name, kind, port, managementPort, env }: MemberOptions) {
    this.name = name;
    this.kind = kind;
    this.port = port;
    this.managementPort = managementPort;
    this.#env = env;
  }

  async start(checkout: string = root): Promise<void> {
    const { script, readyMessage } = programs[this.kind];
    this.#process = await startNodeProcess({
      script: join(checkout, script),
      env: this.#env,
      readyMessage,
      graceMs,
    });
  }

  async drain(): Promise<string | undefined> {
    const code = await this.#running.stop();
    if (code === 0) return undefined;
    const failed = this.#running.lastLines.filter((line) => line.includes("shutdown step failed"));
    return `${this.name} ended with ${code}: ${failed.join("\n") || this.#running.lastLines.slice(-3).join("\n")}`;
  }

  kill(): Promise<void> {
    return this.#running.kill();
  }

  freeze(): () => void {
    const pids = [this.#running.pid, ...descendants(this.#running.pid)];
    for (const pid of pids) signal(pid, "SIGSTOP");
    return () => {
      for (const pid of pids) signal(pid, "SIGCONT");
    };
  }

  ready(): Promise<void> {
    return untilReady(this);
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  get #running(): NodeProcess {
    if (this.#process === undefined) throw new Error(`${this.name} was not started`);
    return this.#process;
  }
}

/** Waits until a member says that it is ready. */
export async function untilReady({ name, managementPort }: Backend): Promise<void> {
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${managementPort}/readyz`);
    if (answer.status !== 200) throw new Error(`${name} is not ready: ${await answer.text()}`);
  }, 300_000);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** The processes that a process has started, and theirs. */
function descendants(pid: number): number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function parentOf(pid: string): number | undefined {
  try {
    // The name of the program, in brackets, may have spaces.
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
  } catch {
    return undefined;
  }
}

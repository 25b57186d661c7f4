// The primary process of several runtime processes. It starts them and restarts those that end. It serves the
// management port: the sum of their metrics, and ready, once all of them have been, while at least one of them is. It
// evaluates nothing.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AggregatorRegistry, type MetricObject, Registry } from "prom-client";
import { NotReady, startManagement } from "../../src/kit/net/management.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { type BackOff, backOffMs } from "../../src/kit/process/back-off.ts";
import type { ShutdownStep } from "../../src/kit/process/shutdown.ts";
import { slotVariable, type WorkerSlot } from "./worker-slot.ts";

/** The messages of a child to the primary. */
export interface ChildMessage {
  /** When it listens: its own management port. */
  readonly managementPort?: number;
  /** When it was asked for its measurements. */
  readonly metrics?: readonly MetricObject[];
}

/** Settings of the primary. */
export interface PrimaryOptions {
  readonly count: number;
  readonly port: number;
  readonly host: string;
  readonly managementPort: number;
  readonly managementHost: string;
  /** The socket of the host of models; undefined for a runtime without models. */
  readonly modelSocket: string | undefined;
  /** What /readyz says besides. */
  readonly notes: () => Readonly<Record<string, unknown>>;
  readonly log: Logger;
}

/** Running processes. */
export interface ProcessGroup {
  readonly port: number;
  readonly managementPort: number;
  readonly shutdownSteps: readonly ShutdownStep[];
}

/** Before a child is started again. Step 0 is for one that had settled. */
const backOff: BackOff = { baseMs: 100, maxMs: 5_000 };
/** A child that lived this long did not fail at its start. */
const settledMs = 10_000;
const answerMs = 1_000;

/** Starts the processes. Throws when the first start of one fails; it has said why. */
export async function startProcesses(options: PrimaryOptions): Promise<ProcessGroup> {
  const { count, host, log, modelSocket } = options;
  const port = options.port === 0 ? await freePort(host) : options.port;
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-"));
  const isEnding = { now: false };
  const children: Child[] = [];
  const endAll = async (signal?: AbortSignal) => {
    isEnding.now = true;
    await Promise.all(children.map((child) => child.end(signal)));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (let index = 0; index < count; index++) {
      children.push(new Child({ index, count, folder, modelSocket, port, log, isEnding }));
    }
    await Promise.all(children.map((child) => child.start()));
  } catch (error) {
    await endAll();
    throw error;
  }
  const management = await startManagement({
    port: options.managementPort,
    host: options.managementHost,
    log,
    metrics: { registry: { contentType: Registry.PROMETHEUS_CONTENT_TYPE, metrics: () => addedUp(children) } },
    checks: { processes: (signal) => checkReady(children, signal) },
    notes: options.notes,
  });
  return {
    port,
    managementPort: management.port,
    shutdownSteps: [
      { name: "not ready", timeoutMs: 1_000, run: () => management.drain() },
      { name: "processes", timeoutMs: 25_000, run: (signal) => endAll(signal) },
      { name: "management", timeoutMs: 1_000, run: () => management.close() },
    ],
  };
}

interface ChildOptions extends WorkerSlot {
  readonly port: number;
  readonly log: Logger;
  readonly isEnding: { now: boolean };
}

/** One process, and the process that replaces it. */
class Child {
  readonly #options: ChildOptions;
  #process: ChildProcess | undefined;
  /** Ends in a row that came before the child had settled. */
  #earlyEnds = 0;
  managementPort: number | undefined;
  /** Whether it, or one that it replaces, has been ready. */
  wasReady = false;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** Starts it. Resolves when it listens. */
  async start(): Promise<void> {
    const { index, count, folder, modelSocket, port, log, isEnding } = this.#options;
    rmSync(join(folder, `${index}.sock`), { force: true });
    const slot = JSON.stringify({ index, count, folder, modelSocket } satisfies WorkerSlot);
    const env = { ...process.env, RUNTIME_PORT: String(port), RUNTIME_MANAGEMENT_PORT: "0", [slotVariable]: slot };
    const child = fork(process.argv[1] ?? "", process.argv.slice(2), { env });
    this.#process = child;
    const startedAtMs = performance.now();
    const listening = Promise.withResolvers<void>();
    child.on("message", ({ managementPort }: ChildMessage) => {
      if (managementPort === undefined) return;
      this.managementPort = managementPort;
      listening.resolve();
    });
    const isOver = (why: string, facts: object) => {
      this.managementPort = undefined;
      listening.reject(new Error(why));
      if (isEnding.now) return;
      log.error({ index, ...facts }, "a runtime process has ended; another replaces it");
      void this.#startAgain(performance.now() - startedAtMs);
    };
    child.once("exit", (code, signal) => isOver(`process ${index} ended with ${code ?? signal}`, { code, signal }));
    // When the system has no room for another process or its pipe, the child never starts, so it never exits. The
    // others go on.
    child.on("error", (err) => {
      if (child.pid === undefined) isOver(`process ${index} could not be started: ${err.message}`, { err });
    });
    await listening.promise;
  }

  /** Whether it is ready now. */
  async isReady(signal: AbortSignal): Promise<boolean> {
    if (this.managementPort === undefined) return false;
    const answer = fetch(`http://127.0.0.1:${this.managementPort}/readyz`, { signal });
    const isReady = await answer.then(({ ok }) => ok).catch(() => false);
    this.wasReady ||= isReady;
    return isReady;
  }

  /** Its measurements; none when it does not answer. */
  async metrics(): Promise<readonly MetricObject[]> {
    const child = this.#process;
    if (child === undefined || this.managementPort === undefined || !child.connected) return [];
    const answer = Promise.withResolvers<readonly MetricObject[]>();
    const take = ({ metrics }: ChildMessage) => metrics !== undefined && answer.resolve(metrics);
    const late = setTimeout(() => answer.resolve([]), answerMs);
    child.on("message", take);
    child.send("metrics", () => undefined);
    return answer.promise.finally(() => {
      clearTimeout(late);
      child.off("message", take);
    });
  }

  /**
   * Asks the process to end, and waits until it has. It is killed when the signal aborts first: it would keep the port.
   */
  async end(signal?: AbortSignal): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    const kill = () => void child.kill("SIGKILL");
    signal?.addEventListener("abort", kill, { once: true });
    child.kill("SIGTERM");
    await exited;
    signal?.removeEventListener("abort", kill);
  }

  async #startAgain(livedMs: number): Promise<void> {
    this.#earlyEnds = livedMs > settledMs ? 0 : this.#earlyEnds + 1;
    await sleep(backOffMs(this.#earlyEnds, backOff));
    if (this.#options.isEnding.now) return;
    // When this start fails, the end of that process starts the next one.
    await this.start().catch(() => undefined);
  }
}

async function addedUp(children: readonly Child[]): Promise<string> {
  const all = await Promise.all(children.map((child) => child.metrics()));
  const answered = all.filter((metrics) => metrics.length > 0);
  return AggregatorRegistry.aggregate(answered.map((metrics) => [...metrics])).metrics();
}

// They share a port, so a call may come to any that listens: one that has no bundle yet would refuse it. Later, one that
// replaces another has the bundle from the disk, and the others need not be taken out for it.
async function checkReady(children: readonly Child[], signal: AbortSignal): Promise<void> {
  const answers = await Promise.all(children.map((child) => child.isReady(signal)));
  if (!answers.includes(true)) throw new NotReady("none_ready", "no process is ready");
  if (children.some(({ wasReady }) => !wasReady))
    throw new NotReady("starting", "not all processes have been ready yet");
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject).listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

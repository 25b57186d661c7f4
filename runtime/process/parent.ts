// The parent of several runtime processes. It starts them, starts again what ends, and has the management port: their
// measurements added up, and ready as long as one of them is. It evaluates nothing.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AggregatorRegistry, type MetricObject, Registry } from "prom-client";
import type { Logger } from "../../src/kit/log.ts";
import { startManagement } from "../../src/kit/management.ts";
import type { ShutdownStep } from "../../src/kit/shutdown.ts";
import { placeVariable } from "./place.ts";

/** What a child tells its parent. */
export interface ChildMessage {
  /** When it listens: its own management port. */
  readonly managementPort?: number;
  /** When it was asked for its measurements. */
  readonly metrics?: readonly MetricObject[];
}

/** What the parent needs to know. */
export interface ParentOptions {
  readonly count: number;
  readonly port: number;
  readonly host: string;
  readonly managementPort: number;
  readonly log: Logger;
}

/** Running processes. */
export interface ProcessGroup {
  readonly port: number;
  readonly managementPort: number;
  readonly shutdownSteps: readonly ShutdownStep[];
}

const leastPauseMs = 100;
const longestPauseMs = 5_000;
/** A child that lived this long did not fail at its start. */
const settledMs = 10_000;
const answerMs = 1_000;

/** Starts the processes. Throws when the first start of one fails; it has said why. */
export async function startProcesses(options: ParentOptions): Promise<ProcessGroup> {
  const { count, host, log } = options;
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
      children.push(new Child({ index, count, folder, port, log, isEnding }));
    }
    await Promise.all(children.map((child) => child.start()));
  } catch (error) {
    await endAll();
    throw error;
  }
  const management = await startManagement({
    port: options.managementPort,
    host,
    log,
    metrics: { registry: { contentType: Registry.PROMETHEUS_CONTENT_TYPE, metrics: () => addedUp(children) } },
    checks: { processes: (signal) => oneIsReady(children, signal) },
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

interface ChildOptions {
  readonly index: number;
  readonly count: number;
  readonly folder: string;
  readonly port: number;
  readonly log: Logger;
  readonly isEnding: { now: boolean };
}

/** One process, and the next one in its place. */
class Child {
  readonly #options: ChildOptions;
  #process: ChildProcess | undefined;
  #pauseMs = leastPauseMs;
  managementPort: number | undefined;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** Starts it. Resolves when it listens. */
  async start(): Promise<void> {
    const { index, count, folder, port, log, isEnding } = this.#options;
    rmSync(join(folder, `${index}.sock`), { force: true });
    const place = JSON.stringify({ index, count, folder });
    const env = { ...process.env, RUNTIME_PORT: String(port), RUNTIME_MANAGEMENT_PORT: "0", [placeVariable]: place };
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
      log.error({ index, ...facts }, "a runtime process is not there; another takes its place");
      void this.#startAgain(performance.now() - startedAtMs);
    };
    child.once("exit", (code, signal) => isOver(`process ${index} ended with ${code ?? signal}`, { code, signal }));
    // Where the system has no room for one more process, or for its pipe, none begins, so that none exits. The others go on.
    child.on("error", (err) => {
      if (child.pid === undefined) isOver(`process ${index} could not be started: ${err.message}`, { err });
    });
    await listening.promise;
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

  /** Asks it to end, and waits until it has. One that has not when the signal aborts is killed: it would keep the port. */
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
    this.#pauseMs = livedMs > settledMs ? leastPauseMs : Math.min(longestPauseMs, this.#pauseMs * 2);
    await sleep(this.#pauseMs);
    if (this.#options.isEnding.now) return;
    // When it fails its end starts the next one.
    await this.start().catch(() => undefined);
  }
}

async function addedUp(children: readonly Child[]): Promise<string> {
  const all = await Promise.all(children.map((child) => child.metrics()));
  const answered = all.filter((metrics) => metrics.length > 0);
  return AggregatorRegistry.aggregate(answered.map((metrics) => [...metrics])).metrics();
}

async function oneIsReady(children: readonly Child[], signal: AbortSignal): Promise<void> {
  const ports = children.flatMap(({ managementPort }) => managementPort ?? []);
  const answers = await Promise.allSettled(
    ports.map((port) => fetch(`http://127.0.0.1:${port}/readyz`, { signal }).then(({ ok }) => ok)),
  );
  if (!answers.some((answer) => answer.status === "fulfilled" && answer.value)) throw new Error("no process is ready");
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

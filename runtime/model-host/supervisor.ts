// Keeps one host of models running, and remembers what crashed it. An input that was being judged at three crashes is
// refused for an hour: otherwise whoever finds such a text could keep every model down.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger } from "../../src/kit/observability/log.ts";
import { type BackOff, backOffMs } from "../../src/kit/process/back-off.ts";
import { readFlightRecord } from "./flight-record.ts";
import type { HostLine, HostOptions } from "./host-options.ts";

/** Settings of the host. */
export interface SupervisorOptions {
  /** The folder of the models. */
  readonly folder: string;
  readonly threads: number;
  readonly log: Logger;
  /** How long a host may say nothing. Default: 15 seconds. */
  readonly silenceMs?: number;
  /** A host that lived this long did not fail at its start. Default: a minute. */
  readonly settledMs?: number;
}

const backOff: BackOff = { baseMs: 100, maxMs: 30_000 };
const minuteMs = 60_000;
const crashesUntilBarred = 3;
const barredForMs = 60 * 60_000;
/** Inputs whose crashes are remembered. */
const maxRemembered = 10_000;

// Node runs the sources (.ts) and their packed form (.js).
const program = fileURLToPath(
  import.meta.url.endsWith(".ts") ? new URL("./host.ts", import.meta.url) : new URL("./model-host.js", import.meta.url),
);

/** Starts hosts, one after the other. */
export class ModelHostSupervisor {
  readonly #options: SupervisorOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "policy-guard-models-"));
  readonly #crashes = new Map<string, number>();
  readonly #barred = new Map<string, number>();
  #child: ChildProcess | undefined;
  #restarts = 0;
  #earlyEnds = 0;
  #again: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    // The place that the host believes to be its home: nothing is there, and nothing can be written there.
    mkdirSync(this.#home);
    chmodSync(this.#home, 0o500);
    this.#start();
  }

  /** The socket on which the host is asked; the same for each of them. */
  get socket(): string {
    return join(this.#folder, "host.sock");
  }

  /** The id of the running host's process; undefined between two. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get #home(): string {
    return join(this.#folder, "home");
  }

  /** Ends the host and its files. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#again);
    const child = this.#child;
    if (child?.pid !== undefined) {
      const exited = once(child, "exit");
      // Nothing in it is worth waiting for, and a run cannot be cancelled.
      child.kill("SIGKILL");
      await exited;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(): void {
    const { folder, threads, log, silenceMs = 15_000 } = this.#options;
    const flightFile = join(this.#folder, `flight-${this.#restarts}`);
    rmSync(this.socket, { force: true });
    const options: HostOptions = {
      ...{ folder, threads, socket: this.socket, flightFile, restarts: this.#restarts },
      barred: this.#barredNow(),
    };
    const child = fork(program, [JSON.stringify(options)], {
      // Nothing of the parent's environment: it has secrets, and variables by which native code can be steered.
      env: {
        ORT_DISABLE_TELEMETRY: "1",
        HOME: this.#home,
        UV_THREADPOOL_SIZE: String(threads + 1),
      },
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#child = child;
    const startedAtMs = performance.now();
    let isOver = false;
    const silence = setTimeout(() => {
      log.error({ pid: child.pid }, "the host of models says nothing any more, and is ended");
      child.kill("SIGKILL");
    }, silenceMs);
    child.on("message", (message: "alive" | HostLine) => {
      silence.refresh();
      if (typeof message === "object") log.info(message.facts, message.message);
    });
    const end = (facts: object) => {
      if (isOver) return;
      isOver = true;
      this.#child = undefined;
      clearTimeout(silence);
      if (this.#isEnding) return;
      const during = readFlightRecord(flightFile);
      rmSync(flightFile, { force: true });
      for (const digest of during) this.#remember(digest);
      log.error({ ...facts, during: during.length }, "the host of models has ended; another replaces it");
      this.#startAgain(performance.now() - startedAtMs);
    };
    child.once("exit", (code, signal) => end({ code, signal }));
    // A process that could not be started never exits.
    child.on("error", (err) => {
      if (child.pid === undefined) end({ err });
    });
  }

  #startAgain(livedMs: number): void {
    const { settledMs = minuteMs } = this.#options;
    this.#earlyEnds = livedMs > settledMs ? 0 : this.#earlyEnds + 1;
    this.#restarts += 1;
    this.#again = setTimeout(() => this.#start(), backOffMs(Math.max(0, this.#earlyEnds - 1), backOff));
  }

  /** Counts a crash of an input. */
  #remember(digest: string): void {
    const count = (this.#crashes.get(digest) ?? 0) + 1;
    this.#crashes.delete(digest);
    if (count >= crashesUntilBarred) this.#barred.set(digest, Date.now() + barredForMs);
    else this.#crashes.set(digest, count);
    for (const oldest of this.#crashes.keys()) {
      if (this.#crashes.size <= maxRemembered) break;
      this.#crashes.delete(oldest);
    }
  }

  #barredNow(): Record<string, number> {
    const nowMs = Date.now();
    for (const [digest, untilMs] of this.#barred) if (untilMs <= nowMs) this.#barred.delete(digest);
    return Object.fromEntries(this.#barred);
  }
}

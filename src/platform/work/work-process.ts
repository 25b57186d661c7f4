// One process of the work pool, seen from its parent: it does one job at a time, and ends when a job exceeds its
// limits.

import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { deserialize } from "node:v8";
import { Fault } from "../../kit/fault/fault.ts";
import { cpuSignal, type WorkNews, type WorkOutcome } from "./work-message.ts";

/** A limit that a job can exceed. */
export type WorkLimit = "cpu" | "memory";

/** A job exceeded one of its limits. */
export class WorkExceeded extends Error {
  override readonly name = "WorkExceeded";
  readonly limit: WorkLimit;
  /** The phase that the job was in; "" when it had named none. */
  readonly phase: string;

  constructor(limit: WorkLimit, phase: string, detail: string) {
    super(`the job exceeded its ${limit} limit${phase === "" ? "" : ` in the phase "${phase}"`}: ${detail}`);
    this.limit = limit;
    this.phase = phase;
  }
}

/** How a process is made. */
export interface WorkProcessOptions {
  readonly program: URL;
  /** Maximum size of its JavaScript heap. Its program limits its memory as a whole. */
  readonly maxHeapMegabytes: number;
}

/** The limits of one job. */
export interface JobLimits {
  readonly cpuMs: number;
  readonly maxResultBytes: number;
}

interface Present {
  readonly id: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  phase: string;
}

/**
 * Nice value of all threads of the processes: under contention they get a third of the CPU share of processes that
 * answer calls.
 */
const niceness = 5;
/** How many characters of standard error are kept, to say why a process ended. */
const keptErrorLength = 2_000;
/** How V8 ends a process whose heap is full, by platform and kind of allocation, and how the kernel does. */
const memorySignals = new Set(["SIGABRT", "SIGTRAP", "SIGILL", "SIGSEGV", "SIGBUS", "SIGKILL"]);
/** The same endings as exit codes of a shell, which some platforms report. */
const memoryCodes = new Set([132, 133, 134, 137]);

/** A process that works. */
export class WorkProcess {
  readonly #child: ChildProcess;
  #present: Present | undefined;
  #count = 0;
  #errorText = "";
  #isReady = false;
  #endedBy: Error | undefined;
  /** Memory of the process after its last job. */
  memoryBytes = 0;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  hasEnded = false;

  constructor({ program, maxHeapMegabytes }: WorkProcessOptions) {
    this.#child = fork(program, {
      serialization: "advanced",
      execArgv: [`--max-old-space-size=${maxHeapMegabytes}`],
      // No secret of this process reaches one that works on what customers wrote.
      env: environmentOf(process.env),
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    yieldToOthers(this.#child.pid);
    this.#child.stderr?.on("data", (text: Buffer) => {
      this.#errorText = (this.#errorText + text.toString("utf8")).slice(-keptErrorLength);
    });
    this.#child.on("message", (news: WorkNews) => this.#hear(news));
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    const end = (error: Error) => {
      this.hasEnded = true;
      ended.resolve();
      this.#present?.reject(error);
      this.#present = undefined;
    };
    this.#child.on("error", end);
    this.#child.on("exit", (code, signal) => end(this.#reasonOf(code, signal)));
    this.#rest();
  }

  /** Does a job. Throws WorkExceeded when the process ended over it, and the Fault or error that the job threw. */
  run(job: string, input: unknown, limits: JobLimits): Promise<unknown> {
    if (this.#present !== undefined) throw new Error("a process does one job at a time");
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#present = { id, resolve, reject, phase: "" };
      this.#child.ref();
      this.#child.channel?.ref();
      const { cpuMs, maxResultBytes } = limits;
      this.#child.send({ id, job, input, cpuMs, maxResultBytes }, (error) => {
        if (error !== null && this.#present?.id === id) this.end(error);
      });
    });
  }

  /** Ends the process now; its job, if it has one, fails with this error. */
  end(error: Error): void {
    this.#endedBy = error;
    this.#child.kill("SIGKILL");
  }

  #hear(news: WorkNews): void {
    if (news.kind === "ready") {
      this.#isReady = true;
      return;
    }
    const present = this.#present;
    if (present?.id !== news.id) return;
    if (news.kind === "phase") {
      present.phase = news.phase;
      return;
    }
    this.memoryBytes = news.memoryBytes;
    this.#present = undefined;
    this.#rest();
    settle(present, news.outcome);
  }

  // Without a job it keeps no process from ending.
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    const { stderr } = this.#child;
    // A pipe is a socket; the type of a child's streams does not say so.
    if (stderr !== null && "unref" in stderr && typeof stderr.unref === "function") stderr.unref();
  }

  #reasonOf(code: number | null, signal: NodeJS.Signals | null): Error {
    if (this.#endedBy !== undefined) return this.#endedBy;
    const detail = `the process ended with ${signal ?? `code ${code}`}${this.#errorText === "" ? "" : `: ${this.#errorText}`}`;
    const phase = this.#present?.phase ?? "";
    if (signal === cpuSignal) return new WorkExceeded("cpu", phase, detail);
    const isOutOfMemory = memorySignals.has(signal ?? "") || memoryCodes.has(code ?? 0);
    return this.#isReady && isOutOfMemory ? new WorkExceeded("memory", phase, detail) : new Error(detail);
  }
}

/**
 * When the CPU is short, jobs wait and calls do not. The parent sets this at once: a process that sets its own priority
 * does so for one thread only, after it has loaded its program and started the threads of the compiler and of the
 * garbage collector.
 */
function yieldToOthers(pid: number | undefined): void {
  if (pid === undefined) return; // it could not be started, which an event tells
  try {
    setPriority(pid, niceness);
  } catch {
    // The process has ended, or the system does not permit it.
  }
}

function settle({ resolve, reject, phase }: Present, outcome: WorkOutcome): void {
  if ("result" in outcome) resolve(deserialize(outcome.result));
  else if ("tooLargeBytes" in outcome) {
    reject(new WorkExceeded("memory", phase, `the answer has ${outcome.tooLargeBytes} bytes`));
  } else if ("fault" in outcome) {
    const { reason, message, extra, headers } = outcome.fault;
    reject(new Fault(reason, message, { extra, headers }));
  } else {
    const { message, stack } = outcome.error;
    reject(Object.assign(new Error(message), { stack: stack ?? message }));
  }
}

function environmentOf(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = ["PATH", "TZ", "LANG", "NODE_COMPILE_CACHE", "NODE_COMPILE_CACHE_PORTABLE"];
  return Object.fromEntries(kept.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
}

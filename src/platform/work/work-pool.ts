// Work that customers can make arbitrarily expensive, beside the event loop: a few processes take jobs in turn, each
// job with limits of CPU time, memory and wall-clock time, and each tenant with a bound on how much of it runs and
// waits.
//
// Processes and not threads. A thread's `resourceLimits` are no protection: when one allocation takes it past its heap
// limit (a flattened string, a growing array, a map), V8 ends the whole process ("Reached heap limit Allocation
// failed") instead of the thread. Of nine ways to fill a thread's heap eight ended the process on Node 24.21. A process
// of its own takes nothing along; it also can be ended in the middle of a native call, has its memory counted with
// typed arrays, and holds no secret.
//
// CPU time and not wall-clock time decides whether a job was too expensive, so that a busy machine refuses no document
// that a quiet one takes. The process counts its own, `process.cpuUsage()`, in a second thread, which also sees the
// garbage collector's share; polled from the parent, `worker.cpuUsage()` of a thread would have to wait until native
// code returns. The wall-clock limit counts from the question, waiting included: it says that the pool was too busy,
// and the caller may try again. The job goes on without the caller: starting a process costs more than most jobs, and
// on a machine too busy for that within the limit, ending the process would refuse every further call as well.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Logger } from "../../kit/observability/log.ts";
import { type JobLimits, WorkExceeded, WorkProcess, type WorkProcessOptions } from "./work-process.ts";

/** A kind of work, with its limits. Each kind has bounds of its own for each tenant. */
export interface WorkKind extends JobLimits {
  readonly name: string;
  /** From the question to the answer, waiting included. */
  readonly wallMs: number;
  /** How many processes may do work of this kind at once. */
  readonly maxProcesses: number;
}

/** A job for the pool. */
export interface Work {
  readonly job: string;
  /** Plain data. */
  readonly input: unknown;
  readonly kind: WorkKind;
  /** Whose work it is. */
  readonly tenant: string;
  /** Aborted: a job that waits is dropped; one that runs goes on, and nobody hears of it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * How a job ended: it was done, it threw a Fault, it exceeded a limit, it could not be done in time, nobody wanted it,
 * or it failed.
 */
export type WorkResult = "done" | "refused" | "cpu" | "memory" | "overloaded" | "dropped" | "failed";

/** How a pool is bounded. */
export interface WorkPoolOptions extends WorkProcessOptions {
  readonly log: Logger;
  /** Hears how each job ended. */
  readonly onResult?: (job: string, result: WorkResult) => void;
  /** Processes at once. Default: 2. */
  readonly maxProcesses?: number;
  /** Jobs of one tenant and kind that wait while one runs. Default: 8. */
  readonly maxWaiting?: number;
  /** A process that has more memory than this after a job is replaced, so that no job pays for the one before it. */
  readonly retiredAboveMegabytes: number;
  /** How long a process stays when it has nothing to do; the last one stays for good. Default: one minute. */
  readonly idleMs?: number;
}

/** Work of one tenant and kind. */
interface WorkQueue {
  readonly kind: WorkKind;
  isRunning: boolean;
  readonly waiting: Ticket[];
}

interface Ticket {
  readonly work: Work;
  readonly start: (process: WorkProcess) => void;
}

/** Seconds after which a refused caller may try again: by then, one document has had all its CPU time. */
const retryAfterSeconds = 5;
/** A job that runs for so many times its wall-clock limit is stuck, since its CPU time would have ended it. */
const stuckAfterLimits = 4;

/** Does work beside the event loop. One is enough for a process. */
export class WorkPool {
  readonly #options: Required<WorkPoolOptions>;
  /** In the order of service: the queue that was served last is the last one. */
  readonly #queues = new Map<string, WorkQueue>();
  readonly #idle = new Set<WorkProcess>();
  readonly #busy = new Map<WorkProcess, WorkKind>();
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: WorkPoolOptions) {
    this.#options = { maxProcesses: 2, maxWaiting: 8, idleMs: 60_000, onResult: () => undefined, ...options };
  }

  /**
   * Does a job. Throws what the job threw, WorkExceeded when it was too expensive, and a Fault with the reason
   * OVERLOADED when too much of the tenant waits already or the wall-clock limit passed.
   */
  async run(work: Work): Promise<unknown> {
    const { job, signal } = work;
    try {
      const result = await this.#run(work);
      this.#options.onResult(job, "done");
      return result;
    } catch (error) {
      this.#options.onResult(job, resultOf(error, signal));
      throw error;
    }
  }

  #run(work: Work): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(overloaded("the process is shutting down", 1));
    if (work.signal?.aborted === true) return Promise.reject(work.signal.reason);
    const queue = this.#queueOf(work);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        work.signal?.removeEventListener("abort", onAbort);
        act();
      };
      const ticket: Ticket = {
        work,
        start: (process) => {
          this.#runIn(process, work).then(
            (result) => settle(() => resolve(result)),
            (error) => settle(() => reject(error)),
          );
        },
      };
      const onAbort = () => {
        this.#drop(queue, ticket);
        settle(() => reject(work.signal?.reason));
      };
      const timer = setTimeout(() => {
        this.#drop(queue, ticket);
        const error = overloaded(`this could not be finished within ${work.kind.wallMs / 1_000} s; try again later`);
        settle(() => reject(error));
      }, work.kind.wallMs);
      timer.unref();
      work.signal?.addEventListener("abort", onAbort);
      queue.waiting.push(ticket);
      this.#dispatch();
      if (queue.waiting.length <= this.#options.maxWaiting) return;
      this.#drop(queue, ticket);
      const busy = "too many calls of this organization are already waiting; try again when some of them are done";
      settle(() => reject(overloaded(busy)));
    });
  }

  /** How many processes there are. */
  get processes(): number {
    return this.#idle.size + this.#busy.size;
  }

  /** Ends the processes. Jobs that run or wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    const error = overloaded("the process is shutting down", 1);
    const all = [...this.#idle, ...this.#busy.keys()];
    for (const process of all) process.end(error);
    await Promise.all(all.map(({ ended }) => ended));
  }

  #queueOf({ tenant, kind }: Work): WorkQueue {
    const key = queueKey(tenant, kind);
    const queue = this.#queues.get(key) ?? { kind, isRunning: false, waiting: [] };
    this.#queues.set(key, queue);
    return queue;
  }

  /** Starts what may start. */
  #dispatch(): void {
    for (const queue of this.#queues.values()) {
      const next = queue.waiting[0];
      if (queue.isRunning || next === undefined || !this.#hasRoomFor(queue.kind)) continue;
      const process = this.#freeProcess();
      if (process === undefined) return;
      queue.waiting.shift();
      queue.isRunning = true;
      next.start(process);
    }
  }

  #hasRoomFor(kind: WorkKind): boolean {
    return [...this.#busy.values()].filter(({ name }) => name === kind.name).length < kind.maxProcesses;
  }

  #freeProcess(): WorkProcess | undefined {
    const [idle] = this.#idle;
    if (idle !== undefined) return idle;
    if (this.#isClosed || this.processes >= this.#options.maxProcesses) return undefined;
    const process = new WorkProcess(this.#options);
    void process.ended.then(() => {
      this.#idle.delete(process);
      this.#busy.delete(process);
      this.#dispatch();
    });
    return process;
  }

  async #runIn(process: WorkProcess, { job, input, kind, tenant }: Work): Promise<unknown> {
    this.#idle.delete(process);
    this.#busy.set(process, kind);
    const stuck = setTimeout(() => process.end(new Error(`${job} was stuck`)), stuckAfterLimits * kind.wallMs).unref();
    try {
      return await process.run(job, input, kind);
    } catch (error) {
      if (error instanceof WorkExceeded) this.#options.log.warn({ err: error, job, orgId: tenant }, "job ended");
      throw error;
    } finally {
      clearTimeout(stuck);
      this.#release(process, queueKey(tenant, kind));
    }
  }

  #release(process: WorkProcess, key: string): void {
    const queue = this.#queues.get(key);
    if (queue !== undefined) {
      queue.isRunning = false;
      this.#queues.delete(key);
      if (queue.waiting.length > 0) this.#queues.set(key, queue);
    }
    // A process that has ended is neither busy nor idle.
    if (this.#busy.delete(process) && !process.hasEnded) {
      if (process.memoryBytes > this.#options.retiredAboveMegabytes * 2 ** 20) process.end(new Error("replaced"));
      else this.#idle.add(process);
    }
    this.#endIdleLater();
    this.#dispatch();
  }

  #drop(queue: WorkQueue, ticket: Ticket): void {
    const at = queue.waiting.indexOf(ticket);
    if (at >= 0) queue.waiting.splice(at, 1);
    if (!queue.isRunning && queue.waiting.length === 0) this.#queues.delete(queueKey(ticket.work.tenant, queue.kind));
  }

  #endIdleLater(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      const spare = [...this.#idle].slice(this.#busy.size > 0 ? 0 : 1);
      for (const process of spare) {
        this.#idle.delete(process);
        process.end(new Error("not needed"));
      }
    }, this.#options.idleMs).unref();
  }
}

function queueKey(tenant: string, { name }: WorkKind): string {
  return `${name} ${tenant}`;
}

function resultOf(error: unknown, signal: AbortSignal | undefined): WorkResult {
  if (signal?.aborted === true && error === signal.reason) return "dropped";
  if (error instanceof WorkExceeded) return error.limit;
  if (!(error instanceof Fault)) return "failed";
  return error.reason === Reason.OVERLOADED ? "overloaded" : "refused";
}

function overloaded(message: string, seconds = retryAfterSeconds): Fault {
  return new Fault(Reason.OVERLOADED, message, {
    extra: { retry_after: seconds },
    headers: { "Retry-After": String(seconds) },
  });
}

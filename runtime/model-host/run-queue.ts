// Which windows run when. A few at a time, in the order in which they came; and nothing is begun that cannot end in time:
// a refusal that comes at once leaves the caller its budget, a late answer does not.

import type { ModelFailure } from "./protocol.ts";
import { WorkTimes } from "./work-times.ts";

/** Limits of the queue. */
export interface QueueLimits {
  /** Windows that run at once. */
  readonly threads: number;
  /** Windows that may wait. */
  readonly maxWaiting: number;
}

/** The windows of one text. */
export interface WindowJob {
  readonly model: string;
  readonly windows: readonly (readonly number[])[];
  readonly remainingMs: number;
  /** Runs one window. `lane` is one of `threads` places that run at once. */
  readonly run: (window: readonly number[], lane: number) => Promise<number[]>;
}

interface Waiting {
  readonly window: readonly number[];
  readonly model: string;
  readonly expectedMs: number;
  readonly start: (lane: number) => Promise<void>;
  readonly endsAtMs: number;
  readonly giveUp: () => void;
}

/** A question that gets no answer. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure);
    this.failure = failure;
  }
}

/** Runs windows, and keeps how long they take. */
export class RunQueue {
  readonly #limits: QueueLimits;
  readonly #waiting: Waiting[] = [];
  readonly #free: number[];
  /** How long windows take, by the number of their tokens. */
  readonly times = new WorkTimes();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
    this.#free = Array.from({ length: limits.threads }, (_, lane) => lane);
  }

  /** Windows that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Throws Refused when no text can be answered in this time, whatever its windows: before anything is done with it. */
  assertOpen(remainingMs: number): void {
    if (remainingMs <= 0) throw new Refused("timeout");
    const hasRoom = this.#waiting.length < this.#limits.maxWaiting + this.#free.length;
    if (!hasRoom || this.#aheadMs() > remainingMs) throw new Refused("model_busy");
  }

  /** The output for each window. Throws Refused when they cannot all end in time, or when the queue is full. */
  async run(job: WindowJob): Promise<number[][]> {
    const { model, windows, remainingMs, run } = job;
    this.#assertRoom(job);
    const endsAtMs = performance.now() + remainingMs;
    return Promise.all(
      windows.map(
        (window) =>
          new Promise<number[]>((resolve, reject) => {
            this.#waiting.push({
              ...{ window, model, endsAtMs, expectedMs: this.times.expectedMs(model, window.length) },
              start: (lane) => run(window, lane).then(resolve, reject),
              giveUp: () => reject(new Refused("timeout")),
            });
            this.#startNext();
          }),
      ),
    );
  }

  #assertRoom({ model, windows, remainingMs }: WindowJob): void {
    const own = windows.map((window) => this.times.expectedMs(model, window.length));
    const { threads, maxWaiting } = this.#limits;
    const ahead = this.#aheadMs();
    const ownMs = Math.max(Math.max(0, ...own), own.reduce((sum, each) => sum + each, 0) / threads);
    if (this.#waiting.length + windows.length > maxWaiting + this.#free.length) throw new Refused("model_busy");
    if (ahead + ownMs <= remainingMs) return;
    if (ahead === 0) for (const window of windows) this.times.forgive(model, window.length);
    throw new Refused("model_busy");
  }

  /** How long it takes until what waits now has run. */
  #aheadMs(): number {
    return this.#waiting.reduce((sum, { expectedMs }) => sum + expectedMs, 0) / this.#limits.threads;
  }

  #startNext(): void {
    while (this.#free.length > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      // Nobody waits for it any more.
      if (performance.now() > next.endsAtMs) next.giveUp();
      else void this.#start(next);
    }
  }

  async #start({ window, model, start }: Waiting): Promise<void> {
    const lane = this.#free.shift() ?? 0;
    const startedAtMs = performance.now();
    await start(lane);
    this.times.learn(model, window.length, performance.now() - startedAtMs);
    this.#free.push(lane);
    this.#startNext();
  }
}

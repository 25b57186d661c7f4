// Which windows run when. A few at a time, in the order in which they came; and nothing is begun that cannot end in time:
// a refusal that comes at once leaves the caller its budget, a late answer does not.

import type { ModelFailure } from "./protocol.ts";

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

/** The weight of the newest time in a mean. */
const newestShare = 0.2;
/**
 * What a refusal takes off the mean that caused it. Nothing runs while everything is refused, so a time that was
 * measured on a busy machine would never be corrected.
 */
const refusalShare = 0.9;

/** Runs windows, and keeps how long they take. */
export class RunQueue {
  readonly #limits: QueueLimits;
  readonly #waiting: Waiting[] = [];
  readonly #free: number[];
  readonly #means = new Map<string, Map<number, number>>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
    this.#free = Array.from({ length: limits.threads }, (_, lane) => lane);
  }

  /** Windows that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Notes how long a window took. */
  learn(model: string, tokens: number, ms: number): void {
    const means = this.#means.get(model) ?? new Map<number, number>();
    this.#means.set(model, means);
    const bucket = bucketOf(tokens);
    const mean = means.get(bucket);
    means.set(bucket, mean === undefined ? ms : mean + (ms - mean) * newestShare);
  }

  /** How long a window will take, in milliseconds. */
  expectedMs(model: string, tokens: number): number {
    const means = this.#means.get(model);
    const bucket = bucketOf(tokens);
    const mean = means?.get(bucket);
    if (mean !== undefined || means === undefined) return mean ?? 0;
    // Of the next longer length that is known, or of the longest.
    const known = [...means.keys()].sort((a, b) => a - b);
    const near = known.find((each) => each > bucket) ?? known.at(-1);
    return near === undefined ? 0 : (means.get(near) ?? 0) * (near < bucket ? bucket / near : 1);
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
              ...{ window, model, endsAtMs, expectedMs: this.expectedMs(model, window.length) },
              start: (lane) => run(window, lane).then(resolve, reject),
              giveUp: () => reject(new Refused("timeout")),
            });
            this.#startNext();
          }),
      ),
    );
  }

  #assertRoom({ model, windows, remainingMs }: WindowJob): void {
    const own = windows.map((window) => this.expectedMs(model, window.length));
    const { threads, maxWaiting } = this.#limits;
    const ahead = this.#waiting.reduce((sum, { expectedMs }) => sum + expectedMs, 0) / threads;
    const ownMs = Math.max(Math.max(0, ...own), own.reduce((sum, each) => sum + each, 0) / threads);
    if (this.#waiting.length + windows.length > maxWaiting + this.#free.length) throw new Refused("model_busy");
    if (ahead + ownMs <= remainingMs) return;
    if (ahead === 0) for (const window of windows) this.#forgive(model, window.length);
    throw new Refused("model_busy");
  }

  #forgive(model: string, tokens: number): void {
    const means = this.#means.get(model);
    const bucket = bucketOf(tokens);
    const mean = means?.get(bucket);
    if (mean !== undefined) means?.set(bucket, mean * refusalShare);
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
    this.learn(model, window.length, performance.now() - startedAtMs);
    this.#free.push(lane);
    this.#startNext();
  }
}

/** Times are kept by length: the next power of two, at least 16. */
function bucketOf(tokens: number): number {
  return 2 ** Math.max(4, Math.ceil(Math.log2(Math.max(1, tokens))));
}

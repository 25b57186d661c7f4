// Hands the parts of a stream from its writer to whoever sends them, one at a time: a writer waits until its part is
// taken, so that a slow runtime slows the model's stream down.

import type { StreamPart } from "./stream-call.ts";

/** A part that nobody has taken yet. */
interface Offered {
  readonly part: StreamPart;
  readonly taken: () => void;
}

/** The parts of one stream, in order. */
export class PartQueue {
  #offered: Offered[];
  #taker: ((part: StreamPart | undefined) => void) | undefined;
  /** Writers that came too late. They wait for the end, so that no source goes on meanwhile. */
  readonly #late: (() => void)[] = [];
  #isFinished = false;
  #isClosed = false;

  constructor(opening: StreamPart) {
    this.#offered = [{ part: opening, taken: () => undefined }];
  }

  /** Offers more text; resolves when it is taken, or at the end. */
  put(delta: string): Promise<void> {
    return new Promise((taken) => {
      if (this.#isClosed) taken();
      else if (this.#isFinished) this.#late.push(taken);
      else this.#offer({ part: { case: "delta", value: delta }, taken });
    });
  }

  /** Ends the text. What was offered and not taken yet is left out. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    for (const { taken } of this.#offered.splice(0)) this.#late.push(taken);
    this.#offer({ part: { case: "finish", value: true }, taken: () => undefined });
  }

  /** Lets all writers go. */
  close(): void {
    this.finish();
    this.#isClosed = true;
    for (const go of this.#late.splice(0)) go();
  }

  /** The next part; undefined after the last one. Whoever waited before gets none. */
  take(): Promise<StreamPart | undefined> {
    this.#taker?.(undefined);
    this.#taker = undefined;
    const next = this.#offered.shift();
    if (next !== undefined || this.#isFinished) {
      next?.taken();
      return Promise.resolve(next?.part);
    }
    return new Promise((resolve) => {
      this.#taker = resolve;
    });
  }

  #offer(offered: Offered): void {
    const taker = this.#taker;
    if (taker === undefined) {
      this.#offered.push(offered);
      return;
    }
    this.#taker = undefined;
    offered.taken();
    taker(offered.part);
  }
}

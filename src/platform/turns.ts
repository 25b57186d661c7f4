// Lets other work of the event loop in between the steps of a long one.

import { setImmediate as nextTurn } from "node:timers/promises";

/** How long work may go on without letting others in. */
const turnMs = 5;

/** The turns of one long work. */
export class Turns {
  #untilMs = performance.now() + turnMs;

  /** Between two steps: waits for the next turn when this one is over. */
  async step(): Promise<void> {
    if (performance.now() < this.#untilMs) return;
    await nextTurn();
    this.#untilMs = performance.now() + turnMs;
  }
}

// Long work on the thread that answers evaluations, in slices: between two slices the event loop runs.

import { setImmediate as tick } from "node:timers/promises";

/** A slice ends with the first step that is done after this. */
export const sliceMs = 1;

/** Does all steps. */
export async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const endMs = performance.now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < endMs);
    await tick();
  }
}

/** The steps, until nobody wants their result any more. */
export function* whileWanted(steps: Generator<void, void>, isWanted: () => boolean): Generator<void, void> {
  for (const _ of steps) {
    if (!isWanted()) return;
    yield;
  }
}

// Long work on the thread that answers evaluations: a little at a time, and between two slices everybody else has a turn.

import { setImmediate as turn } from "node:timers/promises";

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
    await turn();
  }
}

/** The steps for as long as somebody wants them done. */
export function* whileWanted(steps: Generator<void, void>, isWanted: () => boolean): Generator<void, void> {
  for (const _ of steps) {
    if (!isWanted()) return;
    yield;
  }
}

// Long work on the thread that answers evaluations: a little at a time, and between two slices everybody else has a turn.

import { setImmediate as turn } from "node:timers/promises";

/** A slice ends with the first step that is done after this. */
export const sliceMs = 1;

/** Does all steps. With `isWanted`, gives up as soon as nobody wants it any more, and answers undefined. */
export async function inSlices<T>(
  steps: Generator<void, T>,
  isWanted: () => boolean = () => true,
): Promise<T | undefined> {
  while (isWanted()) {
    const endMs = performance.now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < endMs);
    await turn();
  }
  return undefined;
}

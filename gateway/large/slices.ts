// Cuts long work of the event loop into slices, so that other calls are answered in between. One slice runs in each
// tick of the loop, however many pieces of work there are at once.

import { setImmediate } from "node:timers/promises";

/** Work that can pause at each of its steps. */
export type Steps<T> = Generator<void, T>;

/**
 * How long a slice may take, apart from its last step. An ordinary call takes some ten ticks, and waits for a slice in
 * each of them.
 */
const sliceMs = 2;

let lastTick: Promise<void> = Promise.resolve();

/** Resolves in a tick of the event loop that no other caller of this function gets. */
export function nextTick(): Promise<void> {
  lastTick = lastTick.then(() => setImmediate());
  return lastTick;
}

/** How work is cut. The defaults are for production. */
export interface SliceOptions {
  /** Aborted when nobody waits for the work any more; the work then throws its reason. */
  readonly signal?: AbortSignal | undefined;
  readonly tick?: () => Promise<void>;
  readonly nowMs?: () => number;
}

/** Does the work, one slice in each tick. */
export async function inSlices<T>(
  work: Steps<T>,
  { signal, tick = nextTick, nowMs = () => performance.now() }: SliceOptions = {},
): Promise<T> {
  for (;;) {
    await tick();
    signal?.throwIfAborted();
    const untilMs = nowMs() + sliceMs;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (nowMs() < untilMs);
  }
}

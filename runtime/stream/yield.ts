// Much work of streams may come at once: thousands of lines in one read, hundreds of calls on one connection. Each
// piece of work gets a tick of the event loop of its own, so that other work runs between two of them.

import { setImmediate as tick } from "node:timers/promises";

let lastTick: Promise<void> = Promise.resolve();

/** Waits for a tick of the event loop that no other stream uses. Ticks come in the order of the calls. */
export function yieldToEventLoop(): Promise<void> {
  lastTick = lastTick.then(() => tick());
  return lastTick;
}

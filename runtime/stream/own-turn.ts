// Much of what streams do may come at once: thousands of lines in one read, hundreds of calls on one connection. Each piece of work gets a turn of
// the event loop, and between two of them everybody else does.

import { setImmediate as turn } from "node:timers/promises";

let lastTurn: Promise<void> = Promise.resolve();

/** Waits for a turn of the event loop that no other stream has. Turns come in the order in which they were asked for. */
export function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => turn());
  return lastTurn;
}

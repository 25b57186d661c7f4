// How long streams wait, and others for them. One that never finishes ends by itself: after a pause between two messages, or after its longest
// time. Nor does one wait for ever for a caller that does not take what it led to: then it ends, and frees what it holds.

import { setImmediate as turn } from "node:timers/promises";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../src/kit/error.ts";
import { ownTurn } from "./own-turn.ts";
import type { StreamLimits } from "./stream-limits.ts";

/** Events as they are taken; `onStalled` is called when one is not taken for so long. */
export async function* whileTaken<T>(
  events: AsyncIterable<T>,
  idleMs: number,
  onStalled: () => void,
): AsyncGenerator<T> {
  for await (const event of events) {
    const timer = setTimeout(onStalled, idleMs);
    try {
      yield event;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Turns of the event loop within which the end of a connection is told; it takes one or two. */
const turnsToHear = 8;

/** How long the messages of a stream that came together keep the process busy before others get a turn. */
const sliceMs = 2;

/** Messages as they come. Throws deadline_exceeded after a pause between two that is too long, or after the longest time of all. */
export async function* withinTime<T>(
  messages: AsyncIterable<T>,
  { idleMs, longestMs }: Pick<StreamLimits, "idleMs" | "longestMs">,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const endsAtMs = performance.now() + longestMs;
  let workedMs = 0;
  try {
    for (;;) {
      const next = await orTimeout(iterator.next(), Math.min(idleMs, endsAtMs - performance.now()), signal);
      if (next.done === true) {
        // The parts of a caller that is gone just end; that it is gone is told a moment later, and it has not finished.
        for (let n = 0; n < turnsToHear && !signal.aborted; n++) await turn();
        signal.throwIfAborted();
        return;
      }
      const givenAtMs = performance.now();
      yield next.value;
      workedMs += performance.now() - givenAtMs;
      if (workedMs < sliceMs) continue;
      await ownTurn();
      workedMs = 0;
    }
  } finally {
    // A source that waits for its caller may never answer; nobody waits for it.
    void iterator.return?.()?.then(undefined, () => undefined);
  }
}

function orTimeout<T>(promise: Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Fault(Reason.DEADLINE_EXCEEDED, "nothing came on the stream for too long"));
    const abort = () => reject(signal.reason);
    const timer = setTimeout(expire, Math.max(0, timeoutMs));
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    });
  });
}

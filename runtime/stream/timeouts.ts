// Timeouts of streams. A stream whose caller never finishes ends after a pause between two messages, or after its max
// duration. A stream whose caller does not take its events ends too, and frees its memory.

import { setImmediate as tick } from "node:timers/promises";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../src/kit/fault/fault.ts";
import type { StreamLimits } from "./stream-limits.ts";
import { yieldToEventLoop } from "./yield.ts";

/** Events as they are taken. `onStalled` is called when the caller takes none for `idleMs`. */
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

/** Ticks of the event loop after which the end of a connection is certainly known; it takes one or two. */
const maxTicksUntilAbort = 8;

/** Max time that messages of one stream that came together block the process. */
const sliceMs = 2;

/** Messages as they come. Throws deadline_exceeded after too long a pause between two, or after the max duration. */
export async function* withinTime<T>(
  messages: AsyncIterable<T>,
  { idleMs, maxDurationMs }: Pick<StreamLimits, "idleMs" | "maxDurationMs">,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const endsAtMs = performance.now() + maxDurationMs;
  let workedMs = 0;
  try {
    for (;;) {
      const next = await orTimeout(iterator.next(), Math.min(idleMs, endsAtMs - performance.now()), signal);
      if (next.done === true) {
        // When a caller is gone, its messages just end. The signal says so a moment later; such a caller has not
        // finished.
        for (let n = 0; n < maxTicksUntilAbort && !signal.aborted; n++) await tick();
        signal.throwIfAborted();
        return;
      }
      const givenAtMs = performance.now();
      yield next.value;
      workedMs += performance.now() - givenAtMs;
      if (workedMs < sliceMs) continue;
      await yieldToEventLoop();
      workedMs = 0;
    }
  } finally {
    // A source that waits for its caller may never answer, so nothing waits for it.
    void iterator.return?.()?.then(undefined, () => undefined);
  }
}

function orTimeout<T>(promise: Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Fault(Reason.DEADLINE_EXCEEDED, "nothing arrived on the stream for too long"));
    const abort = () => reject(signal.reason);
    const timer = setTimeout(expire, Math.max(0, timeoutMs));
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    });
  });
}

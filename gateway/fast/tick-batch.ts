// Batches the calls that came in one tick of the event loop: they are judged one after the other, their records are
// written by one write, then each is answered. Without it each call would cost a write of its own, which takes as long
// as a small evaluation.

/** One call. Neither part may throw. */
export interface BatchCall {
  judge(): void;
  /** Called after the records have been written. */
  answer(): void;
}

/** Runs the work; when it returns, the records of the work have been written. */
export type Together = (work: () => void) => void;

/** Bounds of one batch: calls, and time for judging them. */
const maxCalls = 16;
const maxJudgeMs = 1;

/** Takes calls as they come. */
export type TakeCall = (call: BatchCall) => void;

/** Judges calls at the end of the tick in which they came. The clock may start anywhere. */
export function createTickBatch(together: Together, nowMs: () => number = () => performance.now()): TakeCall {
  let waiting: BatchCall[] = [];
  const run = () => {
    const calls = waiting;
    waiting = [];
    for (let next = 0; next < calls.length; ) {
      const first = next;
      const untilMs = nowMs() + maxJudgeMs;
      together(() => {
        do calls[next++]?.judge();
        while (next < calls.length && next - first < maxCalls && nowMs() < untilMs);
      });
      for (let i = first; i < next; i++) calls[i]?.answer();
    }
  };
  return (call) => {
    if (waiting.push(call) === 1) setImmediate(run);
  };
}

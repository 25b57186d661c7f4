// Calls that came in one turn of the event loop are judged one after the other, what they recorded is written by one write, and then each is
// answered. By itself each of them would cost a write of its own, which takes as long as a small evaluation, and wake up its caller alone.

/** One call. Neither part may throw. */
export interface TurnCall {
  judge(): void;
  /** What was recorded is written by now. */
  answer(): void;
}

/** Runs the work; what it recorded is written when this returns. */
export type Together = (work: () => void) => void;

/** So many calls wait for each other at most, and so long. */
const mostCalls = 16;
const longestMs = 1;

/** Takes calls as they come. */
export type TakeCall = (call: TurnCall) => void;

/** Judges calls at the end of the turn in which they came. The clock may start anywhere. */
export function createTurn(together: Together, nowMs: () => number = () => performance.now()): TakeCall {
  let waiting: TurnCall[] = [];
  const run = () => {
    const calls = waiting;
    waiting = [];
    for (let next = 0; next < calls.length; ) {
      const first = next;
      const untilMs = nowMs() + longestMs;
      together(() => {
        do calls[next++]?.judge();
        while (next < calls.length && next - first < mostCalls && nowMs() < untilMs);
      });
      for (let i = first; i < next; i++) calls[i]?.answer();
    }
  };
  return (call) => {
    if (waiting.push(call) === 1) setImmediate(run);
  };
}

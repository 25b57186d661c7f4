import type { Clock } from "../../src/kit/process/clock.ts";

/** A clock that stands still until a test moves it. */
export interface MovedClock extends Clock {
  /** Goes forward, or back by a negative number. */
  pass(ms: number): void;
  /** Goes to a moment. */
  set(moment: Date): void;
}

/** A clock that stands at the moment, by default at the present one. */
export function createMovedClock(start: Date = new Date()): MovedClock {
  let ms = start.getTime();
  return {
    now: () => new Date(ms),
    pass(by) {
      ms += by;
    },
    set(moment) {
      ms = moment.getTime();
    },
  };
}

/** A clock that runs with the machine's, and further ahead the more a test moves it. */
export function createRunningClock(): MovedClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    pass(by) {
      aheadMs += by;
    },
    set(moment) {
      aheadMs = moment.getTime() - Date.now();
    },
  };
}

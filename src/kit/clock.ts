/** Tells the time. Everything that asks for the time takes one, so that tests can move it. */
export interface Clock {
  /** The present moment. */
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

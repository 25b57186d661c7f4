/** Tells the time. Everything that asks for the time takes one, so that tests can move it. */
export interface Clock {
  /** The present moment. */
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

/** A moment as the API writes it: RFC 3339 in UTC with whole seconds; fractions of a second are cut off. */
export function wholeSeconds(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}

import type { Clock } from "../../src/kit/process/clock.ts";

/**
 * A clock by which no time passes. Jobs that work for a few seconds and then add themselves again work to the end by it,
 * on however busy a machine.
 */
export const stillClock: Clock = { now: () => new Date(0) };

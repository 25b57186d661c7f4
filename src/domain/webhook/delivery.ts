// When a delivery is attempted, and what an answer means. Pure functions: time and random numbers are arguments.
//
// Attempts come 0, 3, 12, 39 and 120 minutes after the first: gaps of 3, 9, 27 and 81 minutes, each within 10 %. Each
// gap is made up to 5 % shorter or longer at random, so that targets that failed together are not called together
// again. The other 5 % are for the pause of a target that does not answer, and for the second between two searches for
// due jobs. A target may ask for more time, up to twice a gap, if all gaps that may follow still end within 150
// minutes.

const minuteMs = 60_000;

/** Time from the end of each failed attempt to the next. */
export const gapsMs: readonly number[] = [3 * minuteMs, 9 * minuteMs, 27 * minuteMs, 81 * minuteMs];

/** Attempts in all. After the last one the delivery is dropped. */
export const maxAttempts = gapsMs.length + 1;

/** How long one attempt may take, from looking up the name to the end of the answer. */
export const attemptTimeoutMs = 10_000;

/**
 * The longest pause of a target that does not answer: with randomness and another second, the shortest gap stays within
 * 10 %.
 */
export const maxPauseMs = 8_000;

/** After this time from the first attempt there is no other. */
export const maxTotalMs = 150 * minuteMs;

/** How long events and their deliveries can be read and delivered again. */
export const keptMs = 5 * 24 * 3_600_000;

/** The error of deliveries that were dropped because their webhook is not active. */
export const inactiveError = "the webhook is not active";

/** The error of deliveries that were dropped because the service deactivated their webhook. */
export const givenUpError = "the webhook was deactivated: no attempt has succeeded for five days";

const jitter = 0.05;
const maxLengthening = 2;

/** The facts about a failed attempt. */
export interface FailedAttempt {
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly firstAttemptAt: Date;
  readonly now: Date;
  /** The time that the target asked for in Retry-After. */
  readonly retryAfterMs?: number | undefined;
  /** Random number from 0 to below 1. */
  readonly random: number;
}

/** When to try again; undefined when that was the last attempt. */
export function nextAttemptAt(failed: FailedAttempt): Date | undefined {
  const { attempts, firstAttemptAt, now, retryAfterMs = 0, random } = failed;
  const base = gapsMs[attempts - 1];
  if (base === undefined) return undefined;
  const gap = base * (1 - jitter + 2 * jitter * random);
  const laterMs = gapsMs.slice(attempts).reduce((sum, next) => sum + next * (1 + jitter) + attemptTimeoutMs, 0);
  const roomMs = firstAttemptAt.getTime() + maxTotalMs - laterMs - now.getTime();
  const lengthened = Math.min(retryAfterMs, base * maxLengthening, roomMs);
  return new Date(now.getTime() + Math.round(Math.max(gap, lengthened)));
}

/**
 * Whether an answer is a success: any 2xx is; all others, including redirects and 410, are failures that are retried.
 */
export function verdictOf(statusCode: number | null): "delivered" | "failed" {
  return statusCode !== null && statusCode >= 200 && statusCode < 300 ? "delivered" : "failed";
}

/** The time that a Retry-After header asks for (RFC 9110 section 10.2.3); undefined when it is absent or unreadable. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Only the date form of HTTP, not all that Date.parse understands.
  if (!/^[A-Z][a-z]{2,8},? .* GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

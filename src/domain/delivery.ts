// When a delivery is attempted, and what an answer means. Pure: time and chance are arguments.
//
// Attempts come 0, 3, 12, 39 and 120 minutes after the first: gaps of 3, 9, 27 and 81 minutes, each within 10 %. By chance
// they are up to 5 % shorter or longer, so that targets that failed together are not met together again; the rest is room for
// a pause that the target's silence has earned it, and for looking at the clock once a second. A target may ask for more
// time, up to twice a gap, as long as all gaps that may follow still end within 150 minutes.

const minuteMs = 60_000;

/** Time from the end of each failed attempt to the next. */
export const gapsMs: readonly number[] = [3 * minuteMs, 9 * minuteMs, 27 * minuteMs, 81 * minuteMs];

/** Attempts in all. After the last one the delivery is dropped. */
export const maxAttempts = gapsMs.length + 1;

/** How long one attempt may take, from looking up the name to the end of the answer. */
export const attemptTimeoutMs = 10_000;

/** How long a target that does not answer may be left alone: with chance and a second more, the shortest gap stays within 10 %. */
export const longestPauseMs = 8_000;

/** After this time from the first attempt there is no other. */
export const maxTotalMs = 150 * minuteMs;

/** How long events and their deliveries can be looked at, and delivered again. */
export const keptMs = 5 * 24 * 3_600_000;

/** What deliveries say that were dropped because their webhook is not active. */
export const inactiveError = "the webhook is not active";

const jitter = 0.05;
const maxLengthening = 2;

/** What is known when an attempt has failed. */
export interface FailedAttempt {
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly firstAttemptAt: Date;
  readonly now: Date;
  /** What the target asked for in Retry-After. */
  readonly retryAfterMs?: number | undefined;
  /** Chance, from 0 to below 1. */
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

/** What an answer means: any 2xx is success; 410 says that nobody will ever listen; all else, redirects too, is a failure. */
export function verdictOf(statusCode: number | null): "delivered" | "gone" | "failed" {
  if (statusCode === null) return "failed";
  if (statusCode >= 200 && statusCode < 300) return "delivered";
  return statusCode === 410 ? "gone" : "failed";
}

/** The time that a Retry-After header asks for (RFC 9110 section 10.2.3); undefined when it asks for nothing readable. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Only the date form of HTTP, not all that Date.parse understands.
  if (!/^[A-Z][a-z]{2,8},? .* GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

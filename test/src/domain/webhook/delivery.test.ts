import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attemptTimeoutMs,
  maxAttempts,
  maxPauseMs,
  maxTotalMs,
  nextAttemptAt,
  retryAfterMs,
  verdictOf,
} from "../../../../src/domain/webhook/delivery.ts";

const minuteMs = 60_000;
const start = new Date("2026-03-01T12:00:00Z");
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Moments of all attempts when each fails, in milliseconds from the first. */
function attemptTimes(steps: readonly { random: number; retryAfterMs?: number; sendMs: number }[]): number[] {
  const times = [0];
  for (const [index, { random, retryAfterMs: asked, sendMs }] of steps.entries()) {
    const now = new Date(start.getTime() + (times[index] ?? 0) + sendMs);
    const next = nextAttemptAt({ attempts: index + 1, firstAttemptAt: start, now, retryAfterMs: asked, random });
    if (next === undefined) break;
    times.push(next.getTime() - start.getTime());
  }
  return times;
}

describe("nextAttemptAt()", () => {
  it("tries at 0, 3, 12, 39 and 120 minutes when chance is even", () => {
    const steps = Array.from({ length: 9 }, () => ({ random: 0.5, sendMs: 0 }));
    expect(attemptTimes(steps).map((ms) => ms / minuteMs)).toEqual([0, 3, 12, 39, 120]);
  });

  it("makes five attempts with gaps within 10 % of 3, 9, 27 and 81 minutes, including jitter and pauses", () => {
    fc.assert(
      fc.property(fc.array(chance, { minLength: 6, maxLength: 6 }), (chances) => {
        const times = attemptTimes(chances.map((random) => ({ random, sendMs: 0 })));
        expect(times).toHaveLength(maxAttempts);
        [3, 9, 27, 81].forEach((minutes, index) => {
          const gap = (times[index + 1] ?? 0) - (times[index] ?? 0);
          expect(gap).toBeGreaterThanOrEqual(Math.floor(minutes * 0.9 * minuteMs));
          // Jobs that are due are looked for once a second.
          expect(gap + maxPauseMs + 1_000).toBeLessThanOrEqual(Math.ceil(minutes * 1.1 * minuteMs));
        });
      }),
      { numRuns: 1_000, seed: 11 },
    );
  });

  it("lets Retry-After lengthen a gap to at most twice, never shorten it, and never past 150 minutes in all", () => {
    const step = fc.record({
      random: chance,
      retryAfterMs: fc.integer({ min: 0, max: 600 * minuteMs }),
      sendMs: fc.integer({ min: 0, max: attemptTimeoutMs }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 5 }), (steps) => {
        const asked = attemptTimes(steps);
        expect(asked.at(-1)).toBeLessThanOrEqual(maxTotalMs);
        [3, 9, 27, 81].forEach((minutes, index) => {
          const gap = (asked[index + 1] ?? 0) - (asked[index] ?? 0) - (steps[index]?.sendMs ?? 0);
          expect(gap).toBeGreaterThanOrEqual(Math.floor(minutes * 0.9 * minuteMs));
          expect(gap).toBeLessThanOrEqual(minutes * 2 * minuteMs);
        });
      }),
      { numRuns: 1_000, seed: 12 },
    );
  });

  it("waits as long as Retry-After asks when that lies between the gap and its double", () => {
    const failed = { attempts: 1, firstAttemptAt: start, now: start, random: 0.5 };
    const minutesUntil = (asked: number) =>
      ((nextAttemptAt({ ...failed, retryAfterMs: asked * minuteMs })?.getTime() ?? 0) - start.getTime()) / minuteMs;
    expect([0, 1, 4, 6, 60].map(minutesUntil)).toEqual([3, 3, 4, 6, 6]);
  });
});

describe("verdictOf()", () => {
  it("takes any 2xx for success, and everything else, 410 too, for a failure", () => {
    const verdicts = [null, 199, 200, 204, 299, 300, 308, 404, 410, 429, 500].map(verdictOf);
    const failed = "failed";
    const delivered = "delivered";
    expect(verdicts).toEqual([
      failed,
      failed,
      delivered,
      delivered,
      delivered,
      failed,
      failed,
      failed,
      failed,
      failed,
      failed,
    ]);
  });
});

describe("retryAfterMs()", () => {
  it("reads seconds and HTTP dates, and nothing else", () => {
    expect(retryAfterMs("120", start)).toBe(120_000);
    expect(retryAfterMs("Sun, 01 Mar 2026 12:05:00 GMT", start)).toBe(300_000);
    expect(retryAfterMs("Sun, 01 Mar 2026 11:00:00 GMT", start)).toBe(0);
    for (const text of [undefined, "", "-1", "1.5", "soon", "2026-03-01T12:05:00Z", "1e9"]) {
      expect(retryAfterMs(text, start)).toBeUndefined();
    }
  });
});

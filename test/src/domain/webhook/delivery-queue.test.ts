import { describe, expect, it } from "vitest";
import { attemptTimeoutMs, maxPauseMs } from "../../../../src/domain/webhook/delivery.ts";
import { breakerFailures, DeliveryQueue } from "../../../../src/domain/webhook/delivery-queue.ts";

const address = { org_id: "8f1f6c1e-3f63-4f0e-8d5a-2f1f0b0a7c21", webhook_id: "0b9f4a52-7c1e-4d5a-9a53-3a1f6c2e8d10" };

/** A queue whose target has not answered `times` requests in a row, each of which took `sendMs`. */
function unansweringQueue(times: number, sendMs: number): DeliveryQueue {
  const queue = new DeliveryQueue(address);
  for (let count = 0; count < times; count += 1) queue.learn({ isAnswered: false, sendMs, totalMs: sendMs }, 0);
  return queue;
}

describe("a delivery queue", () => {
  it("leaves a target that does not answer alone for no longer than the schedule has room for, however long it hangs", () => {
    expect(unansweringQueue(breakerFailures - 1, attemptTimeoutMs).restMs(0)).toBe(0);
    expect(unansweringQueue(breakerFailures, attemptTimeoutMs).restMs(0)).toBe(maxPauseMs);
    expect(unansweringQueue(100, attemptTimeoutMs).restMs(0)).toBe(maxPauseMs);
  });

  it("leaves one that refuses at once alone for a tenth of a second", () => {
    expect(unansweringQueue(breakerFailures, 1).restMs(0)).toBe(100);
    expect(unansweringQueue(breakerFailures, 50).restMs(0)).toBe(150);
  });

  it("remembers failures beyond its own life, and forgets them with the first answer", () => {
    const queue = unansweringQueue(breakerFailures, 1_000);
    expect(new DeliveryQueue(address, queue.memory).restMs(0)).toBe(3_000);
    queue.learn({ isAnswered: true, sendMs: 10, totalMs: 10 }, 0);
    expect(queue.memory).toBeUndefined();
  });

  it("claims no more than can be sent and recorded while a claim is fresh, however soon the target answers", () => {
    const queue = new DeliveryQueue(address);
    for (let count = 0; count < 10; count += 1) queue.learn({ isAnswered: true, sendMs: 1, totalMs: 5 }, 0);
    expect(queue.claimSize).toBe(64);
    // The database takes its time: four at once, 100 ms each, half a second.
    queue.learn({ isAnswered: true, sendMs: 1, totalMs: 100 }, 0);
    expect(queue.claimSize).toBe(20);
  });
});

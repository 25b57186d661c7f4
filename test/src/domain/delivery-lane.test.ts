import { describe, expect, it } from "vitest";
import { attemptTimeoutMs, longestPauseMs } from "../../../src/domain/delivery.ts";
import { breakerFailures, Lane } from "../../../src/domain/delivery-lane.ts";

const address = { org_id: "8f1f6c1e-3f63-4f0e-8d5a-2f1f0b0a7c21", webhook_id: "0b9f4a52-7c1e-4d5a-9a53-3a1f6c2e8d10" };

/** A lane whose target has been silent so often, for so long each time. */
function silentLane(times: number, sendMs: number): Lane {
  const lane = new Lane(address);
  for (let count = 0; count < times; count += 1) lane.learn({ isAnswered: false, sendMs, turnMs: sendMs }, 0);
  return lane;
}

describe("a lane", () => {
  it("leaves a silent target alone for no longer than the schedule has room for, however long it hangs", () => {
    expect(silentLane(breakerFailures - 1, attemptTimeoutMs).restMs(0)).toBe(0);
    expect(silentLane(breakerFailures, attemptTimeoutMs).restMs(0)).toBe(longestPauseMs);
    expect(silentLane(100, attemptTimeoutMs).restMs(0)).toBe(longestPauseMs);
  });

  it("leaves one that refuses at once alone for a tenth of a second", () => {
    expect(silentLane(breakerFailures, 1).restMs(0)).toBe(100);
    expect(silentLane(breakerFailures, 50).restMs(0)).toBe(150);
  });

  it("remembers silence beyond its own life, and forgets it with the first answer", () => {
    const lane = silentLane(breakerFailures, 1_000);
    expect(new Lane(address, lane.memory).restMs(0)).toBe(3_000);
    lane.learn({ isAnswered: true, sendMs: 10, turnMs: 10 }, 0);
    expect(lane.memory).toBeUndefined();
  });

  it("claims no more than is sent and recorded while a claim is fresh, however soon the target answers", () => {
    const lane = new Lane(address);
    for (let count = 0; count < 10; count += 1) lane.learn({ isAnswered: true, sendMs: 1, turnMs: 5 }, 0);
    expect(lane.wanted).toBe(64);
    // The database takes its time: four at once, 100 ms each, half a second.
    lane.learn({ isAnswered: true, sendMs: 1, turnMs: 100 }, 0);
    expect(lane.wanted).toBe(20);
  });
});

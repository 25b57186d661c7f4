import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GroupCommit } from "../../../../runtime/control-plane/spool/commit.ts";
import { openSpool } from "../../../../runtime/control-plane/spool/spool.ts";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { FaultDisk } from "./fault-disk.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A commit over a disk that takes so long for a sync, and when its syncs began and ended. */
function slowCommit(syncMs: number) {
  const began: number[] = [];
  const ended: number[] = [];
  const startMs = performance.now();
  const sync = async () => {
    began.push(performance.now() - startMs);
    await new Promise<void>((resolve) => setTimeout(resolve, syncMs));
    ended.push(performance.now() - startMs);
  };
  return { began, ended, commit: new GroupCommit({ sync, delayMs: 200, maxWaiting: Number.POSITIVE_INFINITY }) };
}

describe("a group commit", () => {
  it("starts 200 ms after the first append, however many follow", async () => {
    const { began, commit } = slowCommit(1);
    for (let at = 0; at < 200; at += 10) {
      commit.mark();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(began).toEqual([200]);
  });

  it.each([
    [50, 250],
    [150, 350],
    [600, 1200],
  ])("over a disk that takes %i ms has every append on it after %i ms at most", async (syncMs, maxMs) => {
    const { began, ended, commit } = slowCommit(syncMs);
    const appended: number[] = [];
    for (let at = 0; at < 5_000; at += 10) {
      commit.mark();
      appended.push(at);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(5_000);
    // A sync has what was appended before it began.
    const waited = appended.map((at) => (ended[began.findIndex((begin) => begin > at)] ?? Number.NaN) - at);
    expect(Math.max(...waited)).toBeLessThanOrEqual(maxMs);
  });

  it("does nothing without appends", async () => {
    const { began, commit } = slowCommit(10);
    commit.mark();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(began).toEqual([200]);
  });
});

describe("a spool in fast mode", () => {
  it("loses records younger than 200 ms at a power failure, and keeps older ones", async () => {
    const open = (disk: FaultDisk) => openSpool({ folder: "", mode: "fast", disk, clock: systemClock });
    const disk = new FaultDisk();
    const opening = open(disk);
    await vi.advanceTimersByTimeAsync(1);
    const spool = await opening;
    spool.append(Buffer.alloc(2000, "a"));
    await vi.advanceTimersByTimeAsync(250);
    spool.append(Buffer.alloc(2000, "b"));
    await vi.advanceTimersByTimeAsync(100);
    vi.useRealTimers();
    await wait(1);
    const after = await open(disk.losePower(seededRandom(1)));
    const found = await after.read(1, { maxRecords: 10, maxBytes: 10_000 });
    expect(found).toMatchObject({ firstSeq: 1, lastSeq: 1 });
  });
});

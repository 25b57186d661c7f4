// Messages that came together are worked off in slices, so that others get a turn between them.

import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { ownTurn } from "../../../runtime/stream/own-turn.ts";
import { withinTime } from "../../../runtime/stream/patience.ts";

async function* numbers(count: number) {
  for (let n = 0; n < count; n++) yield n;
}

function work(forMs: number): void {
  for (const untilMs = performance.now() + forMs; performance.now() < untilMs; );
}

/** The longest time that others waited for their turn meanwhile. */
async function longestWaitMs(busy: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longestMs = 0;
  const others = (async () => {
    for (let lastMs = performance.now(); !isOver; ) {
      await turn();
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
    }
  })();
  await busy();
  isOver = true;
  await others;
  return longestMs;
}

async function stream(count: number): Promise<void> {
  const limits = { idleMs: 60_000, longestMs: 60_000 };
  for await (const _ of withinTime(numbers(count), limits, new AbortController().signal)) work(0.3);
}

it("others wait for a few milliseconds of a stream's work, however much of it came at once", async () => {
  expect(await longestWaitMs(() => stream(1_000))).toBeLessThan(100);
});

it("and no longer for many streams", async () => {
  expect(await longestWaitMs(() => Promise.all(Array.from({ length: 100 }, () => stream(20))))).toBeLessThan(150);
});

it("or for many calls that came at once", async () => {
  const call = async () => {
    await ownTurn();
    work(1);
  };
  expect(await longestWaitMs(() => Promise.all(Array.from({ length: 300 }, call)))).toBeLessThan(100);
});

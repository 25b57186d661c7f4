// Messages that came together are worked off in slices, so that others get a turn between them.

import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { withinTime } from "../../../runtime/stream/timeouts.ts";
import { yieldToEventLoop } from "../../../runtime/stream/yield.ts";

async function* numbers(count: number) {
  for (let n = 0; n < count; n++) yield n;
}

let workedMs = 0;

/** Is busy for at least so long: a machine that pauses makes it longer, which is nobody's fault. */
function work(forMs: number): void {
  for (const untilMs = performance.now() + forMs; performance.now() < untilMs; );
  workedMs += forMs;
}

/** The most work that others waited for between two turns of theirs. */
async function longestWaitMs(busy: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let maxBlockedMs = 0;
  const others = (async () => {
    for (let lastMs = workedMs; !isOver; lastMs = workedMs) {
      await turn();
      maxBlockedMs = Math.max(maxBlockedMs, workedMs - lastMs);
    }
  })();
  await busy();
  isOver = true;
  await others;
  return maxBlockedMs;
}

async function stream(count: number): Promise<void> {
  const limits = { idleMs: 60_000, maxDurationMs: 60_000 };
  for await (const _ of withinTime(numbers(count), limits, new AbortController().signal)) work(0.3);
}

it("others wait for a few milliseconds of a stream's work, however much came at once", async () => {
  expect(await longestWaitMs(() => stream(1_000))).toBeLessThan(5);
});

it("and, with many streams, no longer than their first messages take", async () => {
  expect(await longestWaitMs(() => Promise.all(Array.from({ length: 100 }, () => stream(20))))).toBeLessThan(35);
});

it("or for many calls that came at once", async () => {
  const call = async () => {
    await yieldToEventLoop();
    work(1);
  };
  expect(await longestWaitMs(() => Promise.all(Array.from({ length: 300 }, call)))).toBeLessThan(5);
});

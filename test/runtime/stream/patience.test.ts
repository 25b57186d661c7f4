// Messages that came together are worked off in slices, so that others get a turn between them.

import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { ownTurn } from "../../../runtime/stream/own-turn.ts";
import { withinTime } from "../../../runtime/stream/patience.ts";

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
  let longestMs = 0;
  const others = (async () => {
    for (let lastMs = workedMs; !isOver; lastMs = workedMs) {
      await turn();
      longestMs = Math.max(longestMs, workedMs - lastMs);
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
  expect(await longestWaitMs(() => stream(1_000))).toBeLessThan(5);
});

it("and, for many streams, not longer than their first messages take", async () => {
  expect(await longestWaitMs(() => Promise.all(Array.from({ length: 100 }, () => stream(20))))).toBeLessThan(35);
});

it("or for many calls that came at once", async () => {
  const call = async () => {
    await ownTurn();
    work(1);
  };
  expect(await longestWaitMs(() => Promise.all(Array.from({ length: 300 }, call)))).toBeLessThan(5);
});

import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { inSlices, type Steps } from "../../../gateway/large/slices.ts";

/** So many steps, each of which tells that it was done. */
function* steps(count: number, done: (step: number) => void): Steps<string> {
  for (let step = 0; step < count; step++) {
    done(step);
    yield;
  }
  return "done";
}

/** A clock by which everything takes this long. */
function slowClock(eachMs: number): () => number {
  let ms = 0;
  return () => {
    ms += eachMs;
    return ms;
  };
}

it("long work takes another tick of the event loop when its slice is used up, and short work takes one", async () => {
  const turns: string[] = [];
  const turn = async () => void turns.push("turn");
  expect(
    await inSlices(
      steps(10, () => undefined),
      { tick: turn, nowMs: () => 0 },
    ),
  ).toBe("done");
  expect(turns).toHaveLength(1);
  turns.length = 0;
  expect(
    await inSlices(
      steps(10, () => undefined),
      { tick: turn, nowMs: slowClock(5) },
    ),
  ).toBe("done");
  expect(turns).toHaveLength(11);
});

it("several pieces of work share one slice in each tick of the event loop", async () => {
  let turn = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turn++) await setImmediate();
  })();
  const slices: number[] = [];
  const work = () =>
    inSlices(
      steps(5, () => slices.push(turn)),
      { nowMs: slowClock(5) },
    );
  await Promise.all(Array.from({ length: 4 }, work));
  isOver = true;
  await counting;
  expect(slices).toHaveLength(20);
  expect(new Set(slices).size).toBe(20);
});

it("work stops when nobody waits for it any more", async () => {
  const caller = new AbortController();
  const done: number[] = [];
  const work = inSlices(
    steps(10, (step) => {
      done.push(step);
      if (step === 3) caller.abort(new Error("gone"));
    }),
    { signal: caller.signal, nowMs: slowClock(5) },
  );
  await expect(work).rejects.toThrow("gone");
  expect(done).toEqual([0, 1, 2, 3]);
});

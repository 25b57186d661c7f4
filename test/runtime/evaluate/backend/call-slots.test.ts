import { expect, it } from "vitest";
import { CallSlots } from "../../../../runtime/evaluate/backend/call-slots.ts";

const hourMs = 3_600_000;

it("slots go to those who wait, in their order", async () => {
  const slots = new CallSlots({ calls: 1, waiting: 2 });
  expect(await slots.take(performance.now() + hourMs)).toBeUndefined();
  const entered: number[] = [];
  const waiting = [1, 2].map(async (number) => {
    expect(await slots.take(performance.now() + hourMs)).toBeUndefined();
    entered.push(number);
  });
  // No more than two may wait.
  expect(await slots.take(performance.now() + hourMs)).toBe("error");
  expect(entered).toEqual([]);
  slots.giveBack();
  await waiting[0];
  expect(entered).toEqual([1]);
  slots.giveBack();
  await waiting[1];
  slots.giveBack();
  expect(await slots.take(performance.now())).toBeUndefined();
});

it("who has no time left is told so, and takes no slot from the next", async () => {
  const slots = new CallSlots({ calls: 1, waiting: 8 });
  await slots.take(performance.now() + hourMs);
  expect(await slots.take(performance.now() + 1)).toBe("timeout");
  const next = slots.take(performance.now() + hourMs);
  slots.giveBack();
  expect(await next).toBeUndefined();
});

import { expect, test } from "vitest";
import { type BackOff, backOffMs } from "../../../../src/kit/process/back-off.ts";

const steps = [0, 1, 2, 3, 10, 5_000];
const plain: BackOff = { baseMs: 100, maxMs: 5_000 };

test("a delay grows by its factor up to the longest one", () => {
  expect(steps.map((step) => backOffMs(step, plain))).toEqual([100, 200, 400, 800, 5_000, 5_000]);
  expect([0, 1, 2, 3].map((step) => backOffMs(step, { baseMs: 3, factor: 3, maxMs: 50 }))).toEqual([3, 9, 27, 50]);
});

test.each([
  { jitter: "full", min: [0, 0, 0], middle: [50, 200, 2_500] },
  { jitter: "equal", min: [50, 200, 2_500], middle: [75, 300, 3_750] },
  { jitter: "above-base", min: [100, 100, 100], middle: [100, 250, 2_550] },
] as const)("jitter is spread as $jitter says", ({ jitter, min, middle }) => {
  const delays = (random: number) => [0, 2, 10].map((step) => backOffMs(step, { ...plain, jitter }, () => random));
  expect(delays(0)).toEqual(min);
  expect(delays(0.5)).toEqual(middle);
  expect(delays(1)).toEqual([100, 400, 5_000]);
});

test("without jitter chance is not asked", () => {
  const random = () => {
    throw new Error("asked");
  };
  expect(backOffMs(1, plain, random)).toBe(200);
});

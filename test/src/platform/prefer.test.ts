import { expect, it } from "vitest";
import { waitMsOf } from "../../../src/platform/prefer.ts";

it.each([
  ["wait=5", 5_000],
  ["wait=30", 30_000],
  ["wait=31", 30_000],
  ["wait=99999999", 30_000],
  ["respond-async, wait=10", 10_000],
  ["respond-async;wait=10", 10_000],
  ['Wait = "7"', 7_000],
])("honours %s, for at most 30 seconds", (prefer, waitMs) => {
  expect(waitMsOf(prefer)).toBe(waitMs);
});

it.each([undefined, "", "wait", "wait=", "wait=soon", "wait=-1", "await=5", "waiting=5", "respond-async"])(
  "ignores %s",
  (prefer) => {
    expect(waitMsOf(prefer)).toBe(0);
  },
);

import { expect, it } from "vitest";
import { waitMsOf, wantsChangedParts } from "../../../src/platform/prefer.ts";

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

it.each(["parts=changed", "wait=25, parts=changed", 'parts = "changed";wait=1', "PARTS=changed"])(
  "takes %s for the wish to get changed parts only",
  (prefer) => {
    expect(wantsChangedParts(prefer)).toBe(true);
  },
);

it.each([undefined, "", "parts", "parts=all", "parts=changedly", "departs=changed", "wait=5"])(
  "takes %s for the wish to get the whole bundle",
  (prefer) => {
    expect(wantsChangedParts(prefer)).toBe(false);
  },
);

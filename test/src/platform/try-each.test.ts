import { expect, it } from "vitest";
import { tryEach } from "../../../src/platform/try-each.ts";

it("does the work for every item although some fail, and reports at the end which ones failed, and why", async () => {
  const done: number[] = [];
  const work = async (item: number) => {
    if (item % 2 === 0) throw new Error(`${item} is even`);
    done.push(item);
  };
  const failure = await tryEach([1, 2, 3, 4, 5], { nameOf: (item) => `item ${item}`, work }).catch((error) => error);
  expect(done).toEqual([1, 3, 5]);
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure.message).toBe("failed for 2 of 5: item 2, item 4");
  expect(failure.cause.message).toBe("2 is even");
  expect(failure.errors).toHaveLength(2);
});

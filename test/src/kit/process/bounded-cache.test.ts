import { expect, test } from "vitest";
import { BoundedCache } from "../../../../src/kit/process/bounded-cache.ts";

test("beyond the limit the entry goes that was set longest ago", () => {
  const cache = new BoundedCache<string, number>({ maxEntries: 2 });
  for (const [index, key] of ["a", "b", "a", "c"].entries()) cache.set(key, index);
  expect([...cache.values()]).toEqual([2, 3]);
  expect(cache.has("b")).toBe(false);
  expect(cache.size).toBe(2);
});

test("reading an entry makes it the newest one, asking whether it is there does not", () => {
  const cache = new BoundedCache<string, number>({ maxEntries: 2 });
  cache.set("a", 1);
  cache.set("b", 2);
  expect(cache.get("a")).toBe(1);
  expect(cache.has("b")).toBe(true);
  cache.set("c", 3);
  expect([...cache.values()]).toEqual([1, 3]);
  expect(cache.get("b")).toBeUndefined();
});

test("the oldest entries go until the weight of all fits", () => {
  const evicted: string[] = [];
  const cache = new BoundedCache<string, number>({
    maxEntries: 10,
    maxWeight: 10,
    onEvict: (_, key) => evicted.push(key),
  });
  cache.set("a", 1, 4);
  cache.set("b", 2, 4);
  cache.set("c", 3, 7);
  expect(evicted).toEqual(["a", "b"]);
  cache.set("d", 4, 3);
  expect([...cache.values()]).toEqual([3, 4]);
});

test("the newest entry is kept even when it is too heavy, and no other", () => {
  const evicted: string[] = [];
  const cache = new BoundedCache<string, number>({
    maxEntries: 10,
    maxWeight: 10,
    onEvict: (_, key) => evicted.push(key),
  });
  cache.set("a", 1, 4);
  cache.set("b", 2, 11);
  expect([...cache.values()]).toEqual([2]);
  cache.set("c", 3, 10);
  expect([...cache.values()]).toEqual([3]);
  expect(evicted).toEqual(["a", "b"]);
});

test("weights follow what is replaced, deleted and cleared, of which nobody is told", () => {
  const evicted: string[] = [];
  const cache = new BoundedCache<string, number>({
    maxEntries: 10,
    maxWeight: 10,
    onEvict: (_, key) => evicted.push(key),
  });
  cache.set("a", 1, 9);
  cache.set("a", 2, 1);
  cache.set("b", 3, 9);
  cache.delete("b");
  cache.delete("b");
  cache.set("c", 4, 9);
  expect([...cache.values()]).toEqual([2, 4]);
  cache.clear();
  cache.set("d", 5, 10);
  expect([...cache.values()]).toEqual([5]);
  expect(evicted).toEqual([]);
});

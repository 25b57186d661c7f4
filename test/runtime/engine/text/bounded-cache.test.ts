import { describe, expect, it } from "vitest";
import { BoundedCache } from "../../../../runtime/engine/text/bounded-cache.ts";

function cacheOf(maxWeight: number, entries: readonly (readonly [string, number])[]): BoundedCache<string, string> {
  const cache = new BoundedCache<string, string>(maxWeight);
  for (const [key, weight] of entries) cache.set(key, key, weight);
  return cache;
}

describe("a bounded cache", () => {
  it("removes the entries that were used longest ago", () => {
    const cache = cacheOf(2, [
      ["a", 1],
      ["b", 1],
    ]);
    expect(cache.get("a")).toBe("a");
    cache.set("c", "c");
    expect([...cache.values()]).toEqual(["a", "c"]);
    expect(cache.get("b")).toBeUndefined();
  });

  it("counts an entry once when it is replaced, and no longer after it is deleted", () => {
    const cache = cacheOf(4, [
      ["a", 2],
      ["a", 2],
      ["b", 2],
    ]);
    expect([...cache.values()]).toEqual(["a", "b"]);
    cache.delete("a");
    cache.set("c", "c", 2);
    expect([...cache.values()]).toEqual(["b", "c"]);
  });

  it("keeps the newest entry even when it is too heavy, and no other", () => {
    const cache = cacheOf(1, [
      ["a", 1],
      ["b", 9],
    ]);
    expect([...cache.values()]).toEqual(["b"]);
  });
});

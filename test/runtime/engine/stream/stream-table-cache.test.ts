import { describe, expect, it } from "vitest";
import { arrayBytes } from "../../../../runtime/engine/pattern/memory-budget.ts";
import { TableCache } from "../../../../runtime/engine/scan/table-cache.ts";
import { StreamTableCache } from "../../../../runtime/engine/stream/stream-table-cache.ts";
import { tableSteps } from "../../../../runtime/engine/stream/tables.ts";
import { finish } from "../../../../runtime/engine/text/steps.ts";

/** Tables for a keyword, made with a shelf of their own. */
function tablesFor(keyword: string) {
  const shelf = new TableCache();
  const spec = { key: "keywords#0", use: "keywords", parameters: { keywords: [keyword] } };
  return { tables: finish(tableSteps([spec], new Map(), shelf)), shelf };
}

const made = new Map(["first", "second", "third"].map((name) => [name, tablesFor(name)]));
const bytes = Math.max(...[...made.values()].map(({ shelf }) => arrayBytes(shelf.taken)));

function memoryOf(mostBytes: number, names: readonly string[]): StreamTableCache {
  const memory = new StreamTableCache(mostBytes);
  for (const name of names) {
    const one = made.get(name);
    if (one !== undefined) memory.set(name, one.tables, one.shelf);
  }
  return memory;
}

describe("tables of single streams", () => {
  it("are dropped when others are needed, the least recently used ones first", () => {
    const memory = memoryOf(2 * bytes, ["first", "second"]);
    expect(memory.get("first")).toBe(made.get("first")?.tables);
    const third = made.get("third");
    if (third !== undefined) memory.set("third", third.tables, third.shelf);
    expect(["first", "second", "third"].filter((name) => memory.get(name) !== undefined)).toEqual(["first", "third"]);
    expect(memory.made().automata.size).toBe(2);
  });

  it("are kept alone when they exceed the limit by themselves", () => {
    const memory = memoryOf(1, ["first", "second", "third"]);
    expect(["first", "second", "third"].filter((name) => memory.get(name) !== undefined)).toEqual(["third"]);
  });

  it("count no longer once they are forgotten", () => {
    const memory = memoryOf(2 * bytes, ["first", "first", "second"]);
    memory.delete("first");
    expect(memory.made().automata.size).toBe(1);
    expect(memoryOf(2 * bytes, ["first", "first", "second"]).made().automata.size).toBe(2);
  });
});

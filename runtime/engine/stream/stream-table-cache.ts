// Caches tables of streams for sets of detectors that are unknown in advance: which rules a stream waits for depends on
// its agent, its request and the time. There can be many such sets, so only the most recently used tables are kept;
// others are built again.

import { BoundedCache } from "../../../src/kit/process/bounded-cache.ts";
import { arrayBytes } from "../pattern/memory-budget.ts";
import { addTables, emptyTables, type TableCache, type Tables } from "../scan/table-cache.ts";
import type { StreamTables } from "./tables.ts";

/** Maximum bytes of cached tables, besides those that an engine builds in advance. */
const maxKeptBytes = 128 * 1024 * 1024;

/** Keeps the most recently used tables, and always the newest. */
export class StreamTableCache {
  readonly #kept: BoundedCache<string, { readonly tables: StreamTables; readonly made: Tables }>;

  constructor(maxBytes = maxKeptBytes) {
    this.#kept = new BoundedCache({ maxEntries: Number.POSITIVE_INFINITY, maxWeight: maxBytes });
  }

  /** The tables of this name; undefined when they are not kept. */
  get(name: string): StreamTables | undefined {
    return this.#kept.get(name)?.tables;
  }

  /** Keeps tables that were built with a table cache of their own. */
  set(name: string, tables: StreamTables, { taken }: TableCache): void {
    this.#kept.set(name, { tables, made: taken }, arrayBytes(taken));
  }

  /** Drops the tables of this name. */
  delete(name: string): void {
    this.#kept.delete(name);
  }

  /** The parts of all tables that are kept. */
  made(): Tables {
    const tables = emptyTables();
    for (const { made } of this.#kept.values()) addTables(tables, made);
    return tables;
  }
}

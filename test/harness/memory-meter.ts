// Tells whether work keeps what it has worked on. Resident memory does not: it grows with garbage, as V8 sees fit.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Memory that the process holds beside code and garbage, and how much more it came to at most since the beginning. */
export interface MemoryMeter {
  /** Collects garbage and looks, unless it has just done so. */
  readonly look: () => void;
  readonly grownBytes: () => number;
}

/** Begins to look, no more often than once in so many milliseconds. */
export function createMemoryMeter({ everyMs }: { readonly everyMs: number }): MemoryMeter {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const held = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let most = before;
  let lookedAtMs = performance.now();
  return {
    look: () => {
      if (performance.now() < lookedAtMs + everyMs) return;
      most = Math.max(most, held());
      lookedAtMs = performance.now();
    },
    grownBytes: () => most - before,
  };
}

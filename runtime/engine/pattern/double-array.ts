// The edges of a trie in two arrays (J. Aoe, "An efficient digital search algorithm by using a double-array structure",
// IEEE TSE 15(9), 1989). The edge of a state for a class is in slot base + class, if that slot names the state as its
// owner. All edges together take a few hundred kilobytes, which stay in the cache of the processor; a table of rows
// would not.

import type { States } from "./trie.ts";

/** The edges. */
export interface DoubleArray {
  readonly base: Int32Array;
  /** The state that owns a slot, or -1. */
  readonly owner: Int32Array;
  /** The state to which the edge in a slot leads. */
  readonly target: Int32Array;
}

/** Slots that are tried for a state before it gets new slots at the end. */
const tries = 512;

/** Packs the edges of a trie that has `classCount` classes. */
export function packEdges(states: Pick<States, "count" | "cls" | "childStart">, classCount: number): DoubleArray {
  const { count, cls, childStart } = states;
  const base = new Int32Array(count);
  const packing = new Packing(count * 2, classCount);
  for (let state = 0; state < count; state++) {
    const from = childStart[state] ?? 0;
    const to = childStart[state + 1] ?? 0;
    if (from === to) continue;
    const classes = cls.subarray(from, to);
    const slot = packing.baseFor(classes);
    base[state] = slot;
    for (let child = from; child < to; child++) packing.set(slot + (cls[child] ?? 0), state, child);
  }
  return { base, ...packing.arrays() };
}

class Packing {
  #owner: Int32Array;
  #target: Int32Array;
  /** No slot before this one is free. */
  #free: number;
  #end: number;
  readonly #classCount: number;

  // The first slots stay empty, so that every later slot suits every class.
  constructor(size: number, classCount: number) {
    this.#owner = new Int32Array(size + classCount * 2).fill(-1);
    this.#target = new Int32Array(size + classCount * 2);
    this.#free = classCount;
    this.#end = classCount;
    this.#classCount = classCount;
  }

  // The lowest base at which no slot is taken, if the search finds it soon; otherwise the base after all taken slots.
  baseFor(classes: Int32Array): number {
    const lowest = Math.min(...classes);
    while (this.#isTaken(this.#free)) this.#free++;
    const last = Math.min(this.#end, this.#free + tries);
    for (let slot = this.#free; slot < last; slot++) {
      const base = slot - lowest;
      if (!this.#isTaken(slot) && classes.every((cls) => !this.#isTaken(base + cls))) return this.#with(base);
    }
    return this.#with(this.#end - lowest);
  }

  #with(base: number): number {
    this.#ensure(base + this.#classCount);
    return base;
  }

  set(slot: number, state: number, child: number): void {
    this.#owner[slot] = state;
    this.#target[slot] = child;
    this.#end = Math.max(this.#end, slot + 1);
  }

  /** Long enough that every class of every state has a slot. */
  arrays(): { readonly owner: Int32Array; readonly target: Int32Array } {
    const size = this.#end + this.#classCount;
    this.#ensure(size);
    return { owner: this.#owner.slice(0, size), target: this.#target.slice(0, size) };
  }

  #isTaken(slot: number): boolean {
    return slot < this.#owner.length && this.#owner[slot] !== -1;
  }

  #ensure(size: number): void {
    if (size <= this.#owner.length) return;
    const owner = new Int32Array(size * 2).fill(-1);
    const target = new Int32Array(size * 2);
    owner.set(this.#owner);
    target.set(this.#target);
    this.#owner = owner;
    this.#target = target;
  }
}

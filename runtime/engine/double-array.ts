// The edges of a trie in two arrays (J. Aoe, "An efficient digital search algorithm by using a double-array structure", IEEE TSE 15(9),
// 1989): the edge of a state by a class lies at the state's base plus the class, if that place says that it belongs to the state. All
// edges together take a few hundred kilobytes, which stay in the processor's cache where a table of rows would not.

import type { States } from "./trie.ts";

/** The edges. */
export interface DoubleArray {
  readonly base: Int32Array;
  /** The state that owns a place, or -1. */
  readonly owner: Int32Array;
  /** The state to which the place's edge leads. */
  readonly target: Int32Array;
}

/** Places that are looked at for a state with several edges, before it gets new ones at the end. */
const tries = 512;

/** Packs the edges of a trie with so many classes. */
export function packEdges(states: Pick<States, "count" | "cls" | "childStart">, classCount: number): DoubleArray {
  const { count, cls, childStart } = states;
  const base = new Int32Array(count);
  const packing = new Packing(count * 2, classCount);
  for (let state = 0; state < count; state++) {
    const from = childStart[state] ?? 0;
    const to = childStart[state + 1] ?? 0;
    if (from === to) continue;
    const classes = cls.subarray(from, to);
    const place = packing.placeFor(classes);
    base[state] = place;
    for (let child = from; child < to; child++) packing.set(place + (cls[child] ?? 0), state, child);
  }
  return { base, ...packing.arrays() };
}

class Packing {
  #owner: Int32Array;
  #target: Int32Array;
  /** No place before this is free. */
  #free: number;
  #end: number;
  readonly #classCount: number;

  // The first places stay empty, so that every later one suits every class.
  constructor(size: number, classCount: number) {
    this.#owner = new Int32Array(size + classCount * 2).fill(-1);
    this.#target = new Int32Array(size + classCount * 2);
    this.#free = classCount;
    this.#end = classCount;
    this.#classCount = classCount;
  }

  // The lowest base at which no place is taken, if it is found soon; else the one behind all that are taken.
  placeFor(classes: Int32Array): number {
    const lowest = Math.min(...classes);
    while (this.#isTaken(this.#free)) this.#free++;
    const last = Math.min(this.#end, this.#free + tries);
    for (let place = this.#free; place < last; place++) {
      const base = place - lowest;
      if (!this.#isTaken(place) && classes.every((cls) => !this.#isTaken(base + cls))) return this.#with(base);
    }
    return this.#with(this.#end - lowest);
  }

  #with(base: number): number {
    this.#ensure(base + this.#classCount);
    return base;
  }

  set(place: number, state: number, child: number): void {
    this.#owner[place] = state;
    this.#target[place] = child;
    this.#end = Math.max(this.#end, place + 1);
  }

  /** Long enough that every class of every state has a place. */
  arrays(): { readonly owner: Int32Array; readonly target: Int32Array } {
    const size = this.#end + this.#classCount;
    this.#ensure(size);
    return { owner: this.#owner.slice(0, size), target: this.#target.slice(0, size) };
  }

  #isTaken(place: number): boolean {
    return place < this.#owner.length && this.#owner[place] !== -1;
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

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

/** Places that are tried for a state with several edges, before it gets new ones at the end. */
const tries = 64;

/** Packs the edges of a trie with so many classes. */
export function packEdges(states: Pick<States, "count" | "cls" | "childStart">, classCount: number): DoubleArray {
  const { count, cls, childStart } = states;
  const base = new Int32Array(count);
  const packing = new Packing(count * 2 + classCount * 2);
  for (let state = 0; state < count; state++) {
    const from = childStart[state] ?? 0;
    const to = childStart[state + 1] ?? 0;
    if (from === to) continue;
    const classes = cls.subarray(from, to);
    const place = packing.placeFor(classes, classCount);
    base[state] = place;
    for (let child = from; child < to; child++) packing.set(place + (cls[child] ?? 0), state, child);
  }
  return { base, ...packing.arrays(classCount) };
}

class Packing {
  #owner: Int32Array;
  #target: Int32Array;
  /** No place before this is free. */
  #free = 0;
  #end = 0;

  constructor(size: number) {
    this.#owner = new Int32Array(size).fill(-1);
    this.#target = new Int32Array(size);
  }

  // The lowest base at which no place is taken; the first free places are tried, then those behind all that are taken.
  placeFor(classes: Int32Array, classCount: number): number {
    const lowest = Math.min(...classes);
    while (this.#isTaken(this.#free)) this.#free++;
    let tried = 0;
    for (let place = Math.max(this.#free, lowest); place < this.#end && tried < tries; place++) {
      if (this.#isTaken(place)) continue;
      tried++;
      const base = place - lowest;
      if (classes.every((cls) => !this.#isTaken(base + cls))) return base;
    }
    this.#ensure(this.#end + classCount * 2);
    return this.#end;
  }

  set(place: number, state: number, child: number): void {
    this.#owner[place] = state;
    this.#target[place] = child;
    this.#end = Math.max(this.#end, place + 1);
  }

  /** Long enough that every class of every state has a place. */
  arrays(classCount: number): { readonly owner: Int32Array; readonly target: Int32Array } {
    this.#ensure(this.#end + classCount);
    const size = this.#end + classCount;
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

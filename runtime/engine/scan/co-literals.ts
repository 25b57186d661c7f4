// The co-literals of patterns, in sets. A text is full of co-literals of patterns that cannot match in it, so what a
// text has of them is looked up in arrays of numbers.

import { endsWithLiteral } from "../text/fold.ts";

/** A co-literal, and the set that it belongs to. */
export interface CoLiteralUse {
  readonly kind: "co-literal";
  readonly set: number;
  readonly literal: string;
}

/** Occurrences of literals in a text: the number of each, followed by its end. */
export type LiteralHits = readonly number[];

/** The sets of co-literals of an engine, by literal. */
export class CoLiterals {
  readonly #uses: readonly (readonly CoLiteralUse[])[];
  /** The sets of a literal: sets[starts[literal]] … sets[starts[literal + 1] - 1]. */
  readonly #starts: Int32Array;
  readonly #sets: Int32Array;
  /** By set: the search that found one of its literals last, and the same of its place among wanted ones. */
  readonly #foundIn: Uint32Array;
  readonly #places: Uint32Array;
  #search = 0;

  /** `uses` by literal; there are `setCount` sets. */
  constructor(uses: readonly (readonly CoLiteralUse[])[], setCount: number) {
    this.#uses = uses;
    this.#starts = new Int32Array(uses.length + 1);
    for (const [literal, those] of uses.entries())
      this.#starts[literal + 1] = (this.#starts[literal] ?? 0) + those.length;
    this.#sets = Int32Array.from(uses.flatMap((those) => those.map(({ set }) => set)));
    this.#foundIn = new Uint32Array(setCount);
    this.#places = new Uint32Array(setCount);
  }

  /** The test whether a text may have a co-literal of a set. It holds until the next one is made. */
  presentIn(hits: LiteralHits): (set: number) => boolean {
    const search = this.#nextSearch();
    const [starts, sets, foundIn] = [this.#starts, this.#sets, this.#foundIn];
    for (let i = 0; i < hits.length; i += 2) {
      const literal = hits[i] ?? 0;
      const last = starts[literal + 1] ?? 0;
      for (let at = starts[literal] ?? 0; at < last; at++) foundIn[sets[at] ?? 0] = search;
    }
    return (set) => foundIn[set] === search;
  }

  /** The ascending ends of the co-literals of these sets in a text, in the order of the sets. */
  endsOf(wanted: readonly number[], hits: LiteralHits, text: string): readonly (readonly number[])[] {
    const ends = wanted.map((): number[] => []);
    const places = this.#places;
    for (const [index, set] of wanted.entries()) places[set] = index + 1;
    for (let i = 0; i < hits.length; i += 2) {
      const literal = hits[i] ?? 0;
      const end = hits[i + 1] ?? 0;
      const first = this.#starts[literal] ?? 0;
      const last = this.#starts[literal + 1] ?? 0;
      for (let at = first; at < last; at++) {
        const place = places[this.#sets[at] ?? 0] ?? 0;
        if (place === 0) continue;
        // Literals that differ in signs only have one number.
        const wantedLiteral = this.#uses[literal]?.[at - first]?.literal ?? "";
        if (endsWithLiteral(text, end, wantedLiteral)) ends[place - 1]?.push(end);
      }
    }
    for (const set of wanted) places[set] = 0;
    return ends;
  }

  // Numbers of searches begin again before they would be used up.
  #nextSearch(): number {
    if (this.#search === 0xffff_ffff) {
      this.#foundIn.fill(0);
      this.#search = 0;
    }
    return ++this.#search;
  }
}

// The features of a window of text, each once.

import { featureBits } from "./hash.ts";

/** Places of the set: a power of two, and more than a window has features, so that one is always free. */
const seenPlaces = 2 ** 13;
/** Rounds fit into the bits of a positive number of 32 bits that features leave free. */
const lastRound = 2 ** (31 - featureBits) - 1;

/**
 * The features of one window after the other, each once and in order. A hash set with open addressing, since a mark for every possible
 * feature would not stay in the processor's nearest caches. An entry belongs to the window whose round is in its upper bits.
 */
export class SeenFeatures {
  /** The features of the window; only so many as `count` says. */
  readonly features: Int32Array;
  count = 0;
  /** Number of the window; none comes again. */
  window = 0;
  #round = 0;
  readonly #seen = new Int32Array(seenPlaces);

  /** `most` is more than a window may have. */
  constructor(most: number) {
    if (most >= seenPlaces) throw new Error("a window may not have so many features");
    this.features = new Int32Array(most);
  }

  /** Begins the next window. */
  begin(): void {
    this.count = 0;
    this.window++;
    if (this.#round === lastRound) {
      this.#seen.fill(0);
      this.#round = 0;
    }
    this.#round++;
  }

  /** Adds a feature, unless the window has it. */
  add(feature: number): void {
    if (this.count < this.features.length && isNew(this.#seen, feature, this.#round))
      this.features[this.count++] = feature;
  }

  /** Adds the features at these places of a list. */
  addAll(list: Int32Array, from: number, to: number): void {
    const { features } = this;
    const seen = this.#seen;
    const round = this.#round;
    let { count } = this;
    for (let i = from; i < to; i++) {
      const feature = list[i] ?? 0;
      if (count < features.length && isNew(seen, feature, round)) features[count++] = feature;
    }
    this.count = count;
  }
}

/** Whether a feature is new in a round; from now on it is not. */
function isNew(seen: Int32Array, feature: number, round: number): boolean {
  const entry = (round << featureBits) | feature;
  for (let place = feature & (seenPlaces - 1); ; place = (place + 1) & (seenPlaces - 1)) {
    const other = seen[place] ?? 0;
    if (other === entry) return false;
    if (other >> featureBits !== round) {
      seen[place] = entry;
      return true;
    }
  }
}

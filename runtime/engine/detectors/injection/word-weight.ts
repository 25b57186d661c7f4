// What words weigh by themselves: the sum of the weights of a word and of its pieces. Words come again and again, in a text and from one
// text to the next, so that of short ones it is remembered.

import { eachPiece, featureOfToken, longestWord } from "./feature.ts";
import type { Tokens } from "./token.ts";

/** Words that are remembered: a power of two. Those that meet in one place displace each other. */
const places = 4_096;
/** The longest word that is remembered, in code units. */
const longestKnown = 16;

/** Weighs words. */
export class WordWeights {
  /** What the word that was asked for last weighs, and how many features it has. */
  sum = 0;
  count = 0;
  readonly #weights: Int8Array;
  readonly #units = new Uint16Array(places * longestKnown);
  readonly #lengths = new Uint8Array(places);
  readonly #sums = new Int32Array(places);
  readonly #counts = new Uint8Array(places);

  constructor(weights: Int8Array) {
    this.#weights = weights;
  }

  /** Weighs a word. */
  weigh({ units, places: firsts, lengths, hashes }: Tokens, token: number): void {
    const length = lengths[token] ?? 0;
    const first = firsts[token] ?? 0;
    const hash = hashes[token] ?? 0;
    if (length > longestKnown) {
      this.#addUp(units, first, length, hash);
      return;
    }
    const place = (hash ^ (hash >>> 16)) & (places - 1);
    if (this.#isKnown(place, units, first, length)) {
      this.sum = this.#sums[place] ?? 0;
      this.count = this.#counts[place] ?? 0;
      return;
    }
    this.#addUp(units, first, length, hash);
    this.#lengths[place] = length;
    for (let i = 0; i < length; i++) this.#units[place * longestKnown + i] = units[first + i] ?? 0;
    this.#sums[place] = this.sum;
    this.#counts[place] = this.count;
  }

  #isKnown(place: number, units: Uint16Array, first: number, length: number): boolean {
    if (this.#lengths[place] !== length) return false;
    const known = place * longestKnown;
    for (let i = 0; i < length; i++) if (this.#units[known + i] !== units[first + i]) return false;
    return true;
  }

  #addUp(units: Uint16Array, first: number, length: number, hash: number): void {
    this.sum = this.#weights[featureOfToken(hash)] ?? 0;
    this.count = 1;
    if (length > longestWord) return;
    eachPiece(units, first, length, (feature) => {
      this.sum += this.#weights[feature] ?? 0;
      this.count++;
    });
  }
}

// Weights of single words: the sum of the weights of a word and of its parts. Words recur within a text and between
// texts, so the weights of short ones are cached.

import { eachWordPart, featureOfToken, maxWordLength } from "./feature.ts";
import type { Tokens } from "./token.ts";

/** Number of cache slots: a power of two. Words with the same slot displace each other. */
const slots = 4_096;
/** Maximum length of cached words, in code units. */
const maxKnownLength = 16;

/** Weighs words. */
export class WordWeights {
  /** The weight of the last word, and its number of features. */
  sum = 0;
  count = 0;
  readonly #weights: Int8Array;
  readonly #units = new Uint16Array(slots * maxKnownLength);
  readonly #lengths = new Uint8Array(slots);
  readonly #sums = new Int32Array(slots);
  readonly #counts = new Uint8Array(slots);

  constructor(weights: Int8Array) {
    this.#weights = weights;
  }

  /** Weighs a word. */
  weigh({ units, places: firsts, lengths, hashes }: Tokens, token: number): void {
    const length = lengths[token] ?? 0;
    const first = firsts[token] ?? 0;
    const hash = hashes[token] ?? 0;
    if (length > maxKnownLength) {
      this.#addUp(units, first, length, hash);
      return;
    }
    const slot = (hash ^ (hash >>> 16)) & (slots - 1);
    if (this.#isKnown(slot, units, first, length)) {
      this.sum = this.#sums[slot] ?? 0;
      this.count = this.#counts[slot] ?? 0;
      return;
    }
    this.#addUp(units, first, length, hash);
    this.#lengths[slot] = length;
    for (let i = 0; i < length; i++) this.#units[slot * maxKnownLength + i] = units[first + i] ?? 0;
    this.#sums[slot] = this.sum;
    this.#counts[slot] = this.count;
  }

  #isKnown(slot: number, units: Uint16Array, first: number, length: number): boolean {
    if (this.#lengths[slot] !== length) return false;
    const known = slot * maxKnownLength;
    for (let i = 0; i < length; i++) if (this.#units[known + i] !== units[first + i]) return false;
    return true;
  }

  #addUp(units: Uint16Array, first: number, length: number, hash: number): void {
    this.sum = this.#weights[featureOfToken(hash)] ?? 0;
    this.count = 1;
    if (length > maxWordLength) return;
    eachWordPart(units, first, length, (feature) => {
      this.sum += this.#weights[feature] ?? 0;
      this.count++;
    });
  }
}

// The words of a text as the model of the detector "content_safety" reads them. Features of a word are itself, its
// first five letters, its pairs with the two words before it; the concepts that it stands for, and the pairs of these
// with the concepts of the words before it. In scripts without spaces each character is a word, and has the two and
// three characters that end with it in place of its beginning.

import { concepts } from "../../languages/content-safety-part.ts";
import { smallLetters } from "../small-letter.ts";
import { conceptTable, wordHash } from "./concept.ts";

const featureBits = 17;
/** The number of features; a feature is a number below it. */
export const featureCount = 1 << featureBits;
const maxWordLength = 32;
/** Max words that are read at once. */
export const maxWords = 512;
const prefixLength = 5;
/** Concepts of so many words before a word make pairs with its own. */
const conceptReach = 8;
/** What one word may stand for. */
const maxConcepts = 8;
const maxPairs = 12;
const minor = concepts.indexOf("minor");
const salts = {
  word: 0x51ed270b,
  prefix: 0x2545f491,
  pair: 0x9e3779b1,
  skip: 0x7f4a7c15,
  concept: 0x1b873593,
  concepts: 0x3c6ef372,
  dense: 0x1f83d9ab,
};
/** Of a word: itself, its beginning, two pairs, its concepts and their pairs. */
const maxFeatures = maxWords * (4 + maxConcepts + maxPairs);

let letterOf = new Uint16Array();
let isDense = new Uint8Array();

/** Reads the words of a part of a text. Reused: its result is valid until the next call. */
export class WordReader {
  readonly features = new Int32Array(maxFeatures);
  /** The number of features up to the end of each word. */
  readonly featureEnds = new Int32Array(maxWords);
  readonly starts = new Int32Array(maxWords);
  readonly ends = new Int32Array(maxWords);
  readonly #letters = new Uint16Array(maxWordLength);
  readonly #hashes = new Int32Array(maxWords);
  readonly #concepts: (readonly number[])[] = [];
  readonly #table = conceptTable();

  constructor() {
    if (letterOf.length > 0) return;
    letterOf = smallLetters(/[\p{L}\p{M}\p{N}'-]+/gu);
    isDense = new Uint8Array(0x10000);
    const dense = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u30fc]$/u;
    for (let unit = 0; unit < isDense.length; unit++) if (dense.test(String.fromCharCode(unit))) isDense[unit] = 1;
  }

  /** Reads the words from `from` to `to`, and returns their number. */
  read(text: string, from: number, to: number): number {
    let count = 0;
    let size = 0;
    for (let i = from; i < to && count < maxWords; ) {
      const unit = text.charCodeAt(i);
      if ((letterOf[unit] ?? 0) === 0) {
        i++;
        continue;
      }
      const begin = i;
      let length = 0;
      let hash = wordHash.start;
      const dense = isDense[unit] === 1;
      if (dense) {
        hash = wordHash.add(hash, unit);
        i++;
      } else {
        for (; i < to; i++) {
          const letter = letterOf[text.charCodeAt(i)] ?? 0;
          if (letter === 0 || isDense[letter] === 1) break;
          if (length === maxWordLength) continue;
          this.#letters[length++] = letter;
          hash = wordHash.add(hash, letter);
        }
      }
      this.#hashes[count] = hash;
      this.starts[count] = begin;
      this.ends[count] = i;
      size = dense ? this.#addDense(count, size) : this.#addWord(count, size, length);
      this.featureEnds[count++] = size;
    }
    return count;
  }

  /** The features of the words from `first` up to `end`. */
  featuresIn(first: number, end: number): Int32Array {
    return this.features.subarray(first === 0 ? 0 : this.featureEnds[first - 1], this.featureEnds[end - 1]);
  }

  /** Whether a word from `first` up to `end` is one of childhood. */
  isOfMinors(first: number, end: number): boolean {
    for (let word = first; word < end; word++) if (this.#concepts[word]?.includes(minor) === true) return true;
    return false;
  }

  #addDense(word: number, size: number): number {
    const hashes = this.#hashes;
    this.#concepts[word] = [];
    const { features } = this;
    let gram = hashes[word] ?? 0;
    features[size++] = featureOf(gram, salts.dense);
    for (
      let back = 1;
      back < 4 && word >= back && this.starts[word - back] === (this.starts[word] ?? 0) - back;
      back++
    ) {
      gram = Math.imul(gram, 31) ^ (hashes[word - back] ?? 0);
      features[size++] = featureOf(gram, salts.dense + back);
    }
    return size;
  }

  #addWord(word: number, size: number, length: number): number {
    const { features } = this;
    const hashes = this.#hashes;
    const hash = hashes[word] ?? 0;
    features[size++] = featureOf(hash, salts.word);
    if (length > prefixLength) {
      let prefix = wordHash.start;
      for (let i = 0; i < prefixLength; i++) prefix = wordHash.add(prefix, this.#letters[i] ?? 0);
      features[size++] = featureOf(prefix, salts.prefix);
    }
    if (word > 0) features[size++] = featureOf(Math.imul(hashes[word - 1] ?? 0, 31) ^ hash, salts.pair);
    if (word > 1) features[size++] = featureOf(Math.imul(hashes[word - 2] ?? 0, 31) ^ hash, salts.skip);
    const own = this.#table.find(this.#letters, length);
    this.#concepts[word] = own;
    if (own.length === 0) return size;
    for (const concept of own) features[size++] = featureOf(concept, salts.concept);
    let pairs = 0;
    for (let before = word - 1; before >= 0 && before >= word - conceptReach; before--) {
      for (const other of this.#concepts[before] ?? [])
        for (const concept of own) {
          if (pairs++ >= maxPairs) return size;
          features[size++] = featureOf((other << 8) | concept, salts.concepts);
        }
    }
    return size;
  }
}

function featureOf(hash: number, salt: number): number {
  const mixed = Math.imul(hash ^ salt ^ (hash >>> 15), 0x2c1b3c6d);
  return Math.imul(mixed ^ (mixed >>> 13), 0x297a2d39) >>> (32 - featureBits);
}

// The words of a text as the model of the detector "toxicity" reads them: in small letters, with runs of three or more
// equal letters as one ("fuuuck"). A word has three features: itself, its first five letters, and its pair with the
// word before it. Addresses and names after "@" are skipped.

import { smallLetters } from "../small-letter.ts";

const featureBits = 16;
/** The number of features; a feature is a number below it. */
export const featureCount = 1 << featureBits;
/** Features of a word: itself, its beginning, and its pair with the word before it. */
export const featuresPerWord = 3;
const prefixLength = 5;
const minWordLength = 2;
const maxWordLength = 40;
const maxWords = 256;
const salts = { word: 0x51ed270b, prefix: 0x2545f491, pair: 0x9e3779b1 };
const start = 0x811c9dc5;
const at = 0x40;

/** The small letter of each code unit that occurs in words; 0 for all others. Built on first use. */
let letterOf = new Uint16Array();

/** Reads the words of a part of a text. Reused: its result is valid until the next call. */
export class WordReader {
  /** Three for each word. */
  readonly features = new Int32Array(maxWords * featuresPerWord);
  readonly starts = new Int32Array(maxWords);
  readonly ends = new Int32Array(maxWords);
  readonly #letters = new Uint16Array(maxWordLength);

  constructor() {
    if (letterOf.length === 0) letterOf = smallLetters(/[\p{L}\p{M}\p{N}*$@']+/gu);
  }

  /** Reads the words from `from` to `to`, and returns their number. */
  read(text: string, from: number, to: number): number {
    let count = 0;
    let before = start;
    for (let i = from; i < to && count < maxWords; ) {
      if (letterOf[text.charCodeAt(i)] === 0) {
        i++;
        continue;
      }
      const begin = i;
      while (i < to && letterOf[text.charCodeAt(i)] !== 0) i++;
      if (isAddress(text, begin, i, to)) {
        while (i < to && text.charCodeAt(i) > 0x20) i++;
        continue;
      }
      const word = this.#hash(text, begin, i, count * featuresPerWord);
      if (word === 0) continue;
      this.features[count * featuresPerWord + 2] = featureHash(Math.imul(before, 31) ^ word, salts.pair);
      this.starts[count] = begin;
      this.ends[count++] = i;
      before = word;
    }
    return count;
  }

  // Writes a word's features and returns its hash; 0 for single letters and marks, which are chords, drawings and
  // lists.
  #hash(text: string, from: number, to: number, slot: number): number {
    const letters = this.#letters;
    let length = 0;
    let run = 0;
    let last = 0;
    let hasLetter = false;
    for (let i = from; i < to && length < maxWordLength; i++) {
      const letter = letterOf[text.charCodeAt(i)] ?? 0;
      hasLetter ||= letter > at;
      run = letter === last ? run + 1 : 1;
      last = letter;
      if (run <= 2) letters[length++] = letter;
      else if (run === 3) length--;
    }
    if (!hasLetter || to - from < minWordLength) return 0;
    let hash = start;
    let prefix = start;
    for (let i = 0; i < length; i++) {
      hash = Math.imul(hash ^ (letters[i] ?? 0), 0x01000193);
      if (i < prefixLength) prefix = hash;
    }
    this.features[slot] = featureHash(hash, salts.word);
    this.features[slot + 1] = featureHash(prefix, salts.prefix);
    return hash;
  }
}

function isAddress(text: string, from: number, end: number, to: number): boolean {
  return text.charCodeAt(from) === at || (end + 3 <= to && text.startsWith("://", end));
}

function featureHash(hash: number, salt: number): number {
  const mixed = Math.imul(hash ^ salt ^ (hash >>> 15), 0x2c1b3c6d);
  return Math.imul(mixed ^ (mixed >>> 13), 0x297a2d39) >>> (32 - featureBits);
}

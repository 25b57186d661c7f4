// The features of a window of text that the linear model of "injection" reads: hashed n-grams, each counted once. Characters 2 to 5
// within words; words 1 to 3 in a row, and pairs of words with up to three left out between them; marks of punctuation, line ends and
// the beginning of the text are words too; characters 1 to 4 in scripts that write without spaces. Letters are folded by case and
// look-alikes, digits are all alike. Training and scoring share this file: a change here needs new weights.

import { gateFold } from "../../fold.ts";
import { featureBits, featureOf, mix } from "./hash.ts";
import { SeenFeatures } from "./seen-feature.ts";
import { WordPieces } from "./word-piece.ts";

/** Features are numbers below this. */
export const featureCount = 2 ** featureBits;
/** The length of a window, in code units. */
export const windowLength = 512;
/** How far apart windows begin. */
export const windowStride = 256;
/** The length of the parts of a window that may be judged without the others. */
export const partLength = 64;

/** The most features that a window may have, for each code unit. */
const mostPerUnit = 9;
const longestWord = 32;
const longestDensePiece = 4;
/** So much of a run of punctuation tells runs apart. */
const longestMarks = 4;
/** Pairs reach so many words back. */
const farthestPair = 4;
const kinds = { space: 0, letter: 1, dense: 2, mark: 3, digit: 4 } as const;
/** What words are mixed with, so that different kinds of features differ. */
const salts = { dense: 0x2545f491, word: 0x811c9dc5, marks: 0x3c6ef372, single: 0x11, pair: 0x99 };
const beginning = 0x5151;
const lineEnd = 0x777;
const newline = 10;
const kindOf = buildKinds();
const folded = buildFolded();

/** The windows of a text, from the first to the one that reaches its end, as pairs of offsets. */
export function windowsOf(length: number): (readonly [number, number])[] {
  const windows: (readonly [number, number])[] = [[0, Math.min(length, windowLength)]];
  for (let from = windowStride; from + windowLength - windowStride < length; from += windowStride)
    windows.push([from, Math.min(length, from + windowLength)]);
  return windows;
}

/** Collects features of windows; made once, used for one window after the other. */
export class FeatureReader {
  /** The features of the last window; only so many as `read` said. */
  readonly features: Int32Array;
  /** How many of them belong to the parts of the window up to each; a word belongs to the part in which it begins. */
  readonly partEnds = new Int32Array(windowLength / partLength);
  readonly #seen = new SeenFeatures(windowLength * mostPerUnit);
  readonly #pieces = new WordPieces();
  readonly #units = new Uint16Array(windowLength);
  readonly #words = new Int32Array(farthestPair);
  #wordCount = 0;
  /** The last two words, marks included. */
  #last = 0;
  #second = 0;

  constructor() {
    this.features = this.#seen.features;
  }

  /** Reads a window, and says how many features it has. Looks at nothing outside of it; `isFirst` when a text begins with it. */
  read(text: string, from: number, to: number, isFirst = from === 0): number {
    this.#begin(isFirst);
    let part = 0;
    for (let at = from; at < to; ) {
      while (at >= from + (part + 1) * partLength) this.partEnds[part++] = this.#seen.count;
      const unit = text.charCodeAt(at);
      const kind = kindOf[unit] ?? kinds.space;
      if (kind === kinds.space) {
        if (unit === newline && this.#last !== lineEnd) this.#endLine();
        at++;
        continue;
      }
      let end = at + 1;
      while (end < to && joins(kind, kindOf[text.charCodeAt(end)] ?? kinds.space)) end++;
      const length = this.#fold(text, at, end);
      if (kind === kinds.dense) this.#shift(this.#dense(length));
      else this.#addWord(kind === kinds.mark ? this.#marks(length) : this.#word(length), kind);
      at = end;
    }
    this.partEnds.fill(this.#seen.count, part);
    return this.#seen.count;
  }

  #begin(isFirst: boolean): void {
    this.#seen.begin();
    this.#wordCount = 0;
    this.#last = isFirst ? beginning : 0;
    this.#second = 0;
  }

  #endLine(): void {
    this.#shift(lineEnd);
    this.#add(mix(this.#second, lineEnd));
  }

  #fold(text: string, from: number, to: number): number {
    const length = Math.min(to - from, this.#units.length);
    for (let i = 0; i < length; i++) this.#units[i] = folded[text.charCodeAt(from + i)] ?? 0;
    return length;
  }

  #dense(length: number): number {
    for (let i = 0; i < length; i++) {
      let piece = salts.dense;
      for (let place = i; place < Math.min(length, i + longestDensePiece); place++) {
        piece = mix(piece, this.#units[place] ?? 0);
        this.#add(piece);
      }
    }
    return this.#hash(salts.word, length);
  }

  #word(length: number): number {
    const word = this.#hash(salts.word, length);
    if (length <= longestWord) this.#pieces.addTo(this.#seen, this.#units, length, word);
    return word;
  }

  #marks(length: number): number {
    return this.#hash(salts.marks, Math.min(length, longestMarks));
  }

  #hash(salt: number, length: number): number {
    let hash = salt;
    for (let i = 0; i < length; i++) hash = mix(hash, this.#units[i] ?? 0);
    return hash;
  }

  #addWord(word: number, kind: number): void {
    this.#add(mix(word, salts.single));
    if (this.#last !== 0) {
      this.#add(mix(this.#last, word));
      if (this.#second !== 0) this.#add(mix(mix(this.#second, this.#last), word));
    }
    if (kind !== kinds.mark) {
      for (let back = 2; back <= Math.min(farthestPair, this.#wordCount); back++)
        this.#add(mix(mix(this.#words[(this.#wordCount - back) % farthestPair] ?? 0, salts.pair), word));
      this.#words[this.#wordCount++ % farthestPair] = word;
    }
    this.#shift(word);
  }

  #shift(word: number): void {
    this.#second = this.#last;
    this.#last = word;
  }

  #add(hash: number): void {
    this.#seen.add(featureOf(hash));
  }
}

function joins(kind: number, next: number): boolean {
  if (kind === kinds.letter || kind === kinds.digit) return next === kinds.letter || next === kinds.digit;
  return kind === next;
}

function buildKinds(): Uint8Array {
  const table = new Uint8Array(65_536);
  const dense =
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]$/u;
  for (let unit = 0; unit < 65_536; unit++) {
    const char = String.fromCharCode(unit);
    if (/\s/.test(char)) table[unit] = kinds.space;
    else if (dense.test(char)) table[unit] = kinds.dense;
    else if (/^\p{Nd}$/u.test(char)) table[unit] = kinds.digit;
    else if (/^[\p{L}\p{M}'’]$/u.test(char)) table[unit] = kinds.letter;
    else table[unit] = kinds.mark;
  }
  return table;
}

function buildFolded(): Uint16Array {
  const table = new Uint16Array(65_536);
  for (let unit = 0; unit < 65_536; unit++) {
    const fold = gateFold(unit);
    if (kindOf[unit] === kinds.digit) table[unit] = 0x30;
    else table[unit] = fold === 0x2019 ? 0x27 : fold;
  }
  return table;
}

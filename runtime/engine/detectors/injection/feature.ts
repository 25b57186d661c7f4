// The features that the linear model of "injection" reads: hashed n-grams, each counted once per block; only word parts
// that several words share count for each word. The n-grams are
//
// - 2 to 5 characters within a word, and single words;
// - sequences of 1 to 3 words, and pairs of words with up to three words between them, where punctuation marks, line
//   ends and the beginning of the text count as words;
// - 1 to 4 characters in scripts that write without spaces.
//
// Training and scoring share this file: a change here needs new weights.

import { featureBits, featureOf, mix } from "./hash.ts";
import { blockLength, blockParts, contextLength, Tokens, tokenKinds } from "./token.ts";

/** The number of features; a feature is a number below it. */
export const featureCount = 2 ** featureBits;
/** The length of a window, in code units: two blocks. */
export const windowLength = 2 * blockLength;
/** Distance between the starts of two windows, in code units. */
export const windowStride = blockLength;
/** Number of parts in a window. */
export const windowParts = 2 * blockParts;
/** How far before a window its features read, in code units. */
export const windowReach = contextLength + 1;

/** Maximum length of words that are split into parts, in code units. */
export const maxWordLength = 32;
const maxWordPartLength = 5;
const edge = 1;
const salts = { dense: 0x2545f491, piece: 0x1b873593, single: 0x11, pair: 0x99 };
/** Values for the beginning of a text, a line end, and a position between characters without spaces. */
const marks = { beginning: 0x5151, lineEnd: 0x777, dense: 0x3131 };

/** The windows of a text as pairs of offsets; the last one reaches the end of the text. */
export function windowsOf(length: number): (readonly [number, number])[] {
  const windows: (readonly [number, number])[] = [[0, Math.min(length, windowLength)]];
  for (let from = windowStride; from + windowLength - windowStride < length; from += windowStride)
    windows.push([from, Math.min(length, from + windowLength)]);
  return windows;
}

/** The feature of a single word or run of marks. */
export function featureOfToken(hash: number): number {
  return featureOf(mix(hash, salts.single));
}

/** Visits the parts of a word: n-grams of 2 to 5 characters, including the word's edges. */
export function eachWordPart(units: Uint16Array, slot: number, length: number, visit: (feature: number) => void): void {
  for (let i = -1; i < length; i++) {
    let wordPart = mix(salts.piece, i < 0 ? edge : (units[slot + i] ?? 0));
    for (let next = i + 1; next <= length && next < i + maxWordPartLength; next++) {
      wordPart = mix(wordPart, next === length ? edge : (units[slot + next] ?? 0));
      if (next > i + 1) visit(featureOf(wordPart));
    }
  }
}

/** Maximum number of features of a block besides single words: those of a block of characters without spaces. */
const maxFeatures = 5 * blockLength;
/**
 * Open-addressed sets; their size is a power of two above the number of tokens, or features, in a block. An entry
 * belongs to the round that is stored in its upper bits.
 */
const tokenSlots = 1_024;
const tokenBits = 10;
const featureSlots = 2_048;
const lastRound = 2 ** (31 - featureBits) - 1;

/** The features of one block after the other; created once and reused. */
export class BlockFeatures {
  readonly tokens = new Tokens();
  /** The first occurrences of words and runs of marks in the block, in order. */
  readonly firsts = new Uint16Array(blockLength);
  firstCount = 0;
  /** Features of tokens together with preceding tokens, by part, each once. */
  readonly features = new Int32Array(maxFeatures);
  /** By part: the number of features up to its end. */
  readonly ends = new Int32Array(blockParts);
  readonly #seenTokens = new Int32Array(tokenSlots);
  readonly #seenFeatures = new Int32Array(featureSlots);
  #round = 0;

  /**
   * Reads a block of a text, given as code units, between two offsets; `isFirst` when it is at the beginning of the
   * text.
   */
  read(text: Uint16Array, from: number, to: number, isFirst: boolean): void {
    this.tokens.read(text, from, to);
    this.#beginRound();
    this.#collect(isFirst);
    this.#dropRepeated();
  }

  #beginRound(): void {
    if (this.#round === lastRound) {
      this.#seenTokens.fill(0);
      this.#seenFeatures.fill(0);
      this.#round = 0;
    }
    this.#round++;
  }

  #collect(isFirst: boolean): void {
    const { kinds, hashes, parts, own, count } = this.tokens;
    const { features, ends } = this;
    this.firstCount = 0;
    let size = 0;
    let part = 0;
    let last = isFirst ? marks.beginning : 0;
    let second = 0;
    // The preceding words, the nearest first, without marks.
    let nearest = 0;
    let next = 0;
    let third = 0;
    let farthest = 0;
    for (let token = 0; token < count; token++) {
      const kind = kinds[token] ?? 0;
      let hash = hashes[token] ?? 0;
      if (kind === tokenKinds.lineEnd) hash = marks.lineEnd;
      else if (kind === tokenKinds.dense) hash = marks.dense;
      if (token >= own) {
        for (const end = parts[token] ?? 0; part < end; part++) ends[part] = size;
        if (kind === tokenKinds.lineEnd) features[size++] = featureOf(mix(last, hash));
        else if (kind === tokenKinds.dense) size = this.#addDense(token, size);
        else {
          if (this.#isNew(token)) this.firsts[this.firstCount++] = token;
          if (last !== 0) features[size++] = featureOf(mix(last, hash));
          if (second !== 0) features[size++] = featureOf(mix(mix(second, last), hash));
          if (kind === tokenKinds.word) {
            if (next !== 0) features[size++] = featureOf(mix(mix(next, salts.pair), hash));
            if (third !== 0) features[size++] = featureOf(mix(mix(third, salts.pair), hash));
            if (farthest !== 0) features[size++] = featureOf(mix(mix(farthest, salts.pair), hash));
          }
        }
      }
      if (kind === tokenKinds.word) {
        farthest = third;
        third = next;
        next = nearest;
        nearest = hash;
      }
      second = last;
      last = hash;
    }
    ends.fill(size, part);
  }

  // Adds the n-grams that end with a character, within its run.
  #addDense(token: number, size: number): number {
    const { units, places: slots, lengths } = this.tokens;
    const slot = slots[token] ?? 0;
    const length = lengths[token] ?? 0;
    let wordPart = salts.dense;
    for (let back = 0; back < length; back++) {
      wordPart = mix(wordPart, units[slot - back] ?? 0);
      this.features[size + back] = featureOf(wordPart);
    }
    return size + length;
  }

  #dropRepeated(): void {
    const { features, ends } = this;
    const seen = this.#seenFeatures;
    const round = this.#round;
    let kept = 0;
    let at = 0;
    for (let part = 0; part < blockParts; part++) {
      for (const end = ends[part] ?? 0; at < end; at++) {
        const feature = features[at] ?? 0;
        const entry = (round << featureBits) | feature;
        let slot = feature & (featureSlots - 1);
        while (seen[slot] !== entry && (seen[slot] ?? 0) >> featureBits === round)
          slot = (slot + 1) & (featureSlots - 1);
        if (seen[slot] === entry) continue;
        seen[slot] = entry;
        features[kept++] = feature;
      }
      ends[part] = kept;
    }
  }

  #isNew(token: number): boolean {
    const seen = this.#seenTokens;
    const round = this.#round;
    for (let slot = (this.tokens.hashes[token] ?? 0) & (tokenSlots - 1); ; slot = (slot + 1) & (tokenSlots - 1)) {
      const entry = seen[slot] ?? 0;
      if (entry >> tokenBits !== round) {
        seen[slot] = (round << tokenBits) | token;
        return true;
      }
      if (isSame(this.tokens, entry & (tokenSlots - 1), token)) return false;
    }
  }
}

function isSame({ hashes, kinds, lengths, places: slots, units }: Tokens, one: number, other: number): boolean {
  if (hashes[one] !== hashes[other] || kinds[one] !== kinds[other] || lengths[one] !== lengths[other]) return false;
  const first = slots[one] ?? 0;
  const second = slots[other] ?? 0;
  for (let i = 0; i < (lengths[one] ?? 0); i++) if (units[first + i] !== units[second + i]) return false;
  return true;
}

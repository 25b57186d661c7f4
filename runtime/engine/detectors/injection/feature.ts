// The features of a text that the linear model of "injection" reads: hashed n-grams, block by block, each once; only pieces that words
// share count with each word. Characters 2 to 5 within words, the words by themselves; words 1 to 3 in a row, and pairs of words with up to three left out between them; marks of
// punctuation, line ends and the beginning of the text are words too; characters 1 to 4 in scripts that write without spaces. Training
// and scoring share the functions of this file: a change here needs new weights.

import { featureBits, featureOf, mix } from "./hash.ts";
import { blockLength, blockParts, contextLength, Tokens, tokenKinds } from "./token.ts";

/** Features are numbers below this. */
export const featureCount = 2 ** featureBits;
/** The length of a window, in code units: two blocks. */
export const windowLength = 2 * blockLength;
/** How far apart windows begin. */
export const windowStride = blockLength;
/** Parts of a window. */
export const windowParts = 2 * blockParts;
/** How far before a window its features reach, in code units. */
export const windowReach = contextLength + 1;

/** The longest word that has pieces, in code units. */
export const longestWord = 32;
const longestPiece = 5;
const edge = 1;
const salts = { dense: 0x2545f491, piece: 0x1b873593, single: 0x11, pair: 0x99 };
/** What stands before the first word of a text, at the end of a line, and in the place of characters without spaces. */
const marks = { beginning: 0x5151, lineEnd: 0x777, dense: 0x3131 };

/** The windows of a text, from the first to the one that reaches its end, as pairs of offsets. */
export function windowsOf(length: number): (readonly [number, number])[] {
  const windows: (readonly [number, number])[] = [[0, Math.min(length, windowLength)]];
  for (let from = windowStride; from + windowLength - windowStride < length; from += windowStride)
    windows.push([from, Math.min(length, from + windowLength)]);
  return windows;
}

/** The feature of a word, or of a run of marks, by itself. */
export function featureOfToken(hash: number): number {
  return featureOf(mix(hash, salts.single));
}

/** Visits the pieces of a word: those of 2 to 5 characters, the edges of the word included. */
export function eachPiece(units: Uint16Array, place: number, length: number, visit: (feature: number) => void): void {
  for (let i = -1; i < length; i++) {
    let piece = mix(salts.piece, i < 0 ? edge : (units[place + i] ?? 0));
    for (let next = i + 1; next <= length && next < i + longestPiece; next++) {
      piece = mix(piece, next === length ? edge : (units[place + next] ?? 0));
      if (next > i + 1) visit(featureOf(piece));
    }
  }
}

/** The most features that a block has beside those of words by themselves: one with characters that stand without spaces. */
const mostFeatures = 5 * blockLength;
/** Sets with open addressing, a power of two and more than a block has tokens, or features. An entry belongs to the round above its bits. */
const tokenPlaces = 1_024;
const tokenBits = 10;
const featurePlaces = 2_048;
const lastRound = 2 ** (31 - featureBits) - 1;

/** The features of one block after the other; made once, used again and again. */
export class BlockFeatures {
  readonly tokens = new Tokens();
  /** The words and runs of marks that are the first of their kind in the block, in order: they count by themselves. */
  readonly firsts = new Uint16Array(blockLength);
  firstCount = 0;
  /** Features of tokens together with those before them, part by part, each once. */
  readonly features = new Int32Array(mostFeatures);
  /** How many belong to the parts up to each. */
  readonly ends = new Int32Array(blockParts);
  readonly #seenTokens = new Int32Array(tokenPlaces);
  readonly #seenFeatures = new Int32Array(featurePlaces);
  #round = 0;

  /** Reads the block of a text, given as its code units, from one offset to the other; `isFirst` when a text begins with it. */
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
    // The words before, the nearest first; marks do not count.
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

  // N-grams that end with a character, of those before it in its run.
  #addDense(token: number, size: number): number {
    const { units, places, lengths } = this.tokens;
    const place = places[token] ?? 0;
    const length = lengths[token] ?? 0;
    let piece = salts.dense;
    for (let back = 0; back < length; back++) {
      piece = mix(piece, units[place - back] ?? 0);
      this.features[size + back] = featureOf(piece);
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
        let place = feature & (featurePlaces - 1);
        while (seen[place] !== entry && (seen[place] ?? 0) >> featureBits === round)
          place = (place + 1) & (featurePlaces - 1);
        if (seen[place] === entry) continue;
        seen[place] = entry;
        features[kept++] = feature;
      }
      ends[part] = kept;
    }
  }

  #isNew(token: number): boolean {
    const seen = this.#seenTokens;
    const round = this.#round;
    for (let place = (this.tokens.hashes[token] ?? 0) & (tokenPlaces - 1); ; place = (place + 1) & (tokenPlaces - 1)) {
      const entry = seen[place] ?? 0;
      if (entry >> tokenBits !== round) {
        seen[place] = (round << tokenBits) | token;
        return true;
      }
      if (isSame(this.tokens, entry & (tokenPlaces - 1), token)) return false;
    }
  }
}

function isSame({ hashes, kinds, lengths, places, units }: Tokens, one: number, other: number): boolean {
  if (hashes[one] !== hashes[other] || kinds[one] !== kinds[other] || lengths[one] !== lengths[other]) return false;
  const first = places[one] ?? 0;
  const second = places[other] ?? 0;
  for (let i = 0; i < (lengths[one] ?? 0); i++) if (units[first + i] !== units[second + i]) return false;
  return true;
}

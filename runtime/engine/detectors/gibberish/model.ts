// A trigram model of how surprising a text is, character by character, over 64 symbols: letters without case and
// accents, punctuation, spaces, and one symbol each for digits, for a capital within a word and for letters of other
// scripts. Each byte is the cost of the last symbol of one of 64³ trigrams, in sixteenths of a bit.

import { type ModelForm, readModelFile, writeModelFile } from "../model-file.ts";

/** The header of the model file. */
export interface GibberishHeader {
  readonly format: 1;
  readonly version: string;
  /** Mean cost in bits at which a span is equally likely to be written by a machine, for each sensitivity. */
  readonly points: { readonly strict: number; readonly balanced: number; readonly permissive: number };
}

/** Number of symbols. */
export const symbolCount = 64;
/** Number of symbols that are judged together. */
const spanLength = 64;
const costUnit = 16;
const form: ModelForm<GibberishHeader> = {
  detector: "gibberish",
  magic: "PGGM",
  fits: ({ format }, count) => format === 1 && count === symbolCount ** 3,
};
const otherLetter = 26;
const digit = 27;
const space = 28;
const newline = 29;
const innerCapital = 30;
const otherSign = 31;
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
/** Longer runs are identifiers, addresses or codes, which other detectors judge. */
const maxTokenLength = 32;
/** A long token with fewer different letters is a sequence. */
const minLetters = 8;
/** Ranges of Latin letters, with and without accents. */
const latinRanges: readonly (readonly [number, number])[] = [
  [0, 0x250],
  [0x1e00, 0x1f00],
  [0x2100, 0x2150],
];
const symbolOf = buildSymbols();

/** The model, ready to judge. */
export class GibberishModel {
  readonly header: GibberishHeader;
  readonly #costs: Uint8Array;

  constructor(header: GibberishHeader, costs: Uint8Array) {
    this.header = header;
    this.#costs = costs;
  }

  /**
   * The most surprising span of a window: its mean cost in bits, and its offsets. Undefined when there is too little
   * text.
   */
  worst(text: string, from: number, to: number): { bits: number; start: number; end: number } | undefined {
    const { symbols, places, count } = symbolsIn(text, from, to);
    if (count < spanLength) return undefined;
    let sum = 0;
    let best = -1;
    let bestAt = 0;
    for (let i = 0; i < count; i++) {
      sum += this.#cost(symbols, i);
      if (i >= spanLength) sum -= this.#cost(symbols, i - spanLength);
      if (i >= spanLength - 1 && sum > best) {
        best = sum;
        bestAt = i;
      }
    }
    const start = places[bestAt - spanLength + 1] ?? from;
    return { bits: best / spanLength / costUnit, start, end: (places[bestAt] ?? to - 1) + 1 };
  }

  #cost(symbols: Uint8Array, at: number): number {
    const before = at === 0 ? space : (symbols[at - 1] ?? space);
    const beforeThat = at < 2 ? space : (symbols[at - 2] ?? space);
    return this.#costs[(beforeThat * symbolCount + before) * symbolCount + (symbols[at] ?? space)] ?? 0;
  }
}

const buffer = new Uint8Array(4096);
const placesBuffer = new Int32Array(4096);

/** The symbols of a part of a text, without long tokens, and their offsets. Valid until the next call. */
export function symbolsIn(text: string, from: number, to: number) {
  let count = 0;
  for (let at = from; at < to && count < buffer.length - 1; ) {
    let end = at;
    while (end < to && (symbolOf[text.charCodeAt(end)] ?? otherSign) !== space && text.charCodeAt(end) !== 10) end++;
    if (end - at > maxTokenLength && !isStruck(text, at, end)) {
      at = end;
      continue;
    }
    if (end === at) end++;
    for (; at < end && count < buffer.length - 1; at++) {
      const unit = text.charCodeAt(at);
      const symbol = symbolOf[unit] ?? otherSign;
      if (isCapital(unit) && at > from && isSmall(text.charCodeAt(at - 1))) {
        placesBuffer[count] = at;
        buffer[count++] = innerCapital;
      }
      if (symbol === space && count > 0 && buffer[count - 1] === space) continue;
      placesBuffer[count] = at;
      buffer[count++] = symbol;
    }
  }
  return { symbols: buffer, places: placesBuffer, count };
}

// Long tokens of only small letters are keyboard mashing: identifiers have capitals, encoded data digits, sequences few
// letters.
function isStruck(text: string, from: number, to: number): boolean {
  const letters = new Set<number>();
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (!isSmall(unit)) return false;
    letters.add(unit);
  }
  return letters.size >= minLetters;
}

/** Reads a model. Throws when the bytes are not a model, or are for other symbols. */
export function readGibberishModel(bytes: Uint8Array): GibberishModel {
  const { header, numbers } = readModelFile(bytes, form);
  return new GibberishModel(header, new Uint8Array(numbers));
}

/** The bytes of a model. */
export function writeGibberishModel(header: GibberishHeader, costs: Uint8Array): Uint8Array {
  return writeModelFile(form, header, costs);
}

/** The table entry for a probability. */
export function costOf(probability: number): number {
  return Math.min(255, Math.round(-Math.log2(probability) * costUnit));
}

function isCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}

function isSmall(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

function buildSymbols(): Uint8Array {
  const table = new Uint8Array(65_536).fill(otherSign);
  for (let unit = 0; unit < 65_536; unit++) {
    const char = String.fromCharCode(unit);
    if (/[\p{L}\p{M}]/u.test(char)) table[unit] = otherLetter;
    else if (char === "\n") table[unit] = newline;
    else if (/\s/.test(char)) table[unit] = space;
    else if (/\p{Nd}/u.test(char)) table[unit] = digit;
    else if (punctuation.includes(char)) table[unit] = 32 + Math.min(31, punctuation.indexOf(char));
  }
  for (const [from, to] of latinRanges) {
    for (let unit = from; unit < to; unit++) {
      const place = String.fromCharCode(unit).normalize("NFD").toLowerCase().charCodeAt(0) - 0x61;
      if (place >= 0 && place < 26) table[unit] = place;
    }
  }
  return table;
}

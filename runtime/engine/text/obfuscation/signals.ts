// One pass over a text that counts signals of obfuscation. A form without its signal is certainly absent.

import { lentUnitsOf } from "../code-units.ts";
import { asItStands, rotationSignal, waysOfShort } from "./rotated-words.ts";

/** The signals that occur often enough in a text. */
export interface Signals {
  readonly any: boolean;
  /** Percent signs before two hexadecimal digits. */
  readonly percents: boolean;
  /** Equals signs before two hexadecimal digits. */
  readonly equals: boolean;
  /** Ampersands, which begin entities. */
  readonly entities: boolean;
  /** Backslashes, which begin escapes. */
  readonly escapes: boolean;
  /** Pairs of hexadecimal digits with a separator after them. */
  readonly hexPairs: boolean;
  /** Numbers of two or more digits with a separator after them. */
  readonly numbers: boolean;
  /** Zeros and ones. */
  readonly bits: boolean;
  /** Runs of 16 or more letters and digits. */
  readonly longRuns: boolean;
  /** Digits or symbols within words. */
  readonly leet: boolean;
  /** Letters that stand alone, or are separated by signs. */
  readonly spaced: boolean;
  /** Many short pieces that are no common words. */
  readonly cut: boolean;
  /** Tags, variation selectors, zero-width characters. */
  readonly hidden: boolean;
  /** Letters of fancy alphabets, or marks on Latin letters. */
  readonly fancy: boolean;
  /** Only dots, dashes and slashes. */
  readonly morse: boolean;
  /** Short words that are common ones in a rotated form, or hardly any common words. */
  readonly rotated: boolean;
  /** Short words that are hardly ever anything but a rotated common word. */
  readonly rotatedWords: boolean;
}

const kinds = { other: 0, letter: 1, digit: 2, space: 3, escape: 4, sign: 5, leet: 6 } as const;
const isHexUnit = new Uint8Array(65_536);
for (const char of "0123456789abcdefABCDEF") isHexUnit[char.charCodeAt(0)] = 1;
const kindOf = buildKinds();
const minEscapes = 4;
const minPairs = 7;
/** Six groups of seven. */
const minBits = 42;
const minRun = 16;
const minMixed = 2;
const minSingles = 5;
const minHidden = 4;
const minFancy = 4;
const minDots = 12;
const minWords = 4;
const minPieces = 4;
const minRotated = 1;

/** Counts the signals of obfuscation. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one pass over the text, with counters in locals for speed
export function signalsOf(text: string): Signals {
  const units = lentUnitsOf(text);
  let percents = 0;
  let equals = 0;
  let entities = 0;
  let escapes = 0;
  let hexPairs = 0;
  let numbers = 0;
  let bits = 0;
  let run = 0;
  let maxRun = 0;
  let mixed = 0;
  let singles = 0;
  let parted = 0;
  let hidden = 0;
  let fancy = 0;
  let dots = 0;
  let words = 0;
  let known = 0;
  let rotated = 0;
  let pieces = 0;
  let packed = 0;
  let letters = 0;
  let before = kinds.space as number;
  let beforeThat = kinds.space as number;
  const { length } = text;
  for (let i = 0; i <= length; i++) {
    const unit = i < length ? (units[i] ?? 0) : 32;
    if (unit >= 0x80) {
      if (isHidden(unit)) hidden++;
      else if (isFancy(unit)) fancy++;
    }
    const kind = unit < 0x80 ? (kindOf[unit] ?? 0) : kindOfWide(unit);
    if (kind === kinds.letter) {
      letters++;
      packed = letters <= 4 ? (packed << 8) | (unit | 0x20) : 0;
      if (before === kinds.digit || before === kinds.leet) mixed++;
      if (before === kinds.sign && beforeThat === kinds.letter) parted++;
      // Skips the rest of a plain word, since words are most of a text.
      const first = i;
      while (i + 1 < length && isPlainLetter(units[i + 1] ?? 0)) i++;
      if (i > first) {
        if (letters + i - first > 4) packed = 0;
        else for (let next = first + 1; next <= i; next++) packed = (packed << 8) | ((units[next] ?? 0) | 0x20);
        letters += i - first;
        run += i - first;
        before = kinds.letter;
      }
    } else if (letters > 0) {
      if (letters === 1 && kind !== kinds.digit) singles++;
      if (letters > 1) words++;
      if (letters > 1 && letters <= 4) {
        const ways = waysOfShort(packed);
        if ((ways & asItStands) !== 0) known++;
        else {
          pieces++;
          if ((ways & rotationSignal) !== 0) rotated++;
        }
      }
      letters = 0;
      packed = 0;
    }
    if (kind === kinds.letter || kind === kinds.digit) {
      if (++run > maxRun) maxRun = run;
    } else run = 0;
    if (kind === kinds.digit) {
      if (unit <= 0x31) bits++;
    } else if (kind === kinds.escape) {
      if (unit === 0x26) entities++;
      else if (unit === 0x5c) escapes++;
      else if (isHex(units, i + 1) && isHex(units, i + 2)) {
        if (unit === 0x25) percents++;
        else equals++;
      }
    }
    if (run > 0 || unit >= 0x80) {
      // Within a word nothing is separated.
    } else if (unit === 0x20 || unit === 0x2c || unit === 0x3a || unit === 0x3b || unit === 0x2d) {
      if (before === kinds.digit && beforeThat === kinds.digit) numbers++;
      if (isHex(units, i - 1) && isHex(units, i - 2) && beginsPair(units, i - 3)) hexPairs++;
    }
    if (unit === 46 || unit === 45 || unit === 0xb7 || unit === 0x2022 || unit === 0x2212 || unit === 0x2013) dots++;
    beforeThat = before;
    before = kind;
  }
  const rotatedWords = rotated >= minRotated;
  const signals = {
    any: false,
    percents: percents >= minEscapes,
    equals: equals >= minEscapes,
    entities: entities >= minEscapes,
    escapes: escapes >= minEscapes,
    hexPairs: hexPairs >= minPairs,
    numbers: numbers >= minPairs,
    bits: bits >= minBits,
    longRuns: maxRun >= minRun,
    leet: mixed >= minMixed,
    spaced: singles >= minSingles || parted >= minSingles,
    cut: pieces >= minPieces && pieces * 3 >= words,
    hidden: hidden >= minHidden,
    fancy: fancy >= minFancy,
    morse: dots >= minDots && words * 2 <= dots,
    // In English about every third word is a common one.
    rotated: rotatedWords || (words >= minWords && known * 8 < words),
    rotatedWords,
  };
  signals.any = hasAny(signals);
  return signals;
}

function hasAny(signals: Signals): boolean {
  let name: keyof Signals;
  for (name in signals) if (signals[name]) return true;
  return false;
}

// A dot in the middle parts letters as a full stop does.
function kindOfWide(unit: number): number {
  if (unit === 0xb7 || unit === 0x2022) return kinds.sign;
  return unit < 0x250 ? kinds.letter : kinds.other;
}

function isHex(units: Uint16Array, at: number): boolean {
  return at >= 0 && at < units.length && isHexUnit[units[at] ?? 0] === 1;
}

function isPlainLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return unit < 0x80 && lower >= 0x61 && lower <= 0x7a;
}

// Whether a pair of digits may begin after this unit, with or without the prefix "0x" or "\\x".
function beginsPair(units: Uint16Array, at: number): boolean {
  if (at < 0) return true;
  const unit = units[at] ?? 0;
  return unit >= 0x80 || (unit | 0x20) === 0x78 || !(kindOf[unit] === kinds.letter || kindOf[unit] === kinds.digit);
}

// The high surrogate of tags and of variation selectors after the first 16, those 16, and zero-width characters.
function isHidden(unit: number): boolean {
  return unit === 0xdb40 || (unit >= 0xfe00 && unit <= 0xfe0f) || (unit >= 0x200b && unit <= 0x200d);
}

function isFancy(unit: number): boolean {
  return (
    (unit >= 0x300 && unit <= 0x36f) ||
    (unit >= 0x250 && unit <= 0x2af) ||
    (unit >= 0x1d00 && unit <= 0x1d7f) ||
    unit === 0xd83c ||
    (unit >= 0x2800 && unit <= 0x28ff) ||
    unit === 0xa731 ||
    unit === 0xa730 ||
    (unit >= 0x20d0 && unit <= 0x20ef)
  );
}

function buildKinds(): Uint8Array {
  const table = new Uint8Array(128);
  for (let unit = 0; unit < 128; unit++) {
    const char = String.fromCharCode(unit);
    if (/[a-z]/i.test(char)) table[unit] = kinds.letter;
    else if (/\d/.test(char)) table[unit] = kinds.digit;
    else if (/\s/.test(char)) table[unit] = kinds.space;
    else if (/[%&\\=]/.test(char)) table[unit] = kinds.escape;
    else if (/[@$!|]/.test(char)) table[unit] = kinds.leet;
    else if (/[-._*~+/,:;^#]/.test(char)) table[unit] = kinds.sign;
  }
  return table;
}

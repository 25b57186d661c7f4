// One pass over a text that counts what disguises consist of. What it says no to is certainly not there.

import { unitsOf } from "../unit.ts";
import { asItStands, turnedSign, waysOfShort } from "./known-word.ts";

/** What there is in a text. */
export interface Signs {
  readonly any: boolean;
  /** Percent signs before two hexadecimal digits. */
  readonly percents: boolean;
  /** Equals signs before two hexadecimal digits. */
  readonly equals: boolean;
  /** Ampersands, as entities begin with. */
  readonly entities: boolean;
  /** Backslashes, as escapes begin with. */
  readonly escapes: boolean;
  /** Pairs of hexadecimal digits with a separator behind them. */
  readonly hexPairs: boolean;
  /** Numbers of two digits and more with a separator behind them. */
  readonly numbers: boolean;
  /** Noughts and ones. */
  readonly bits: boolean;
  /** Runs of 16 or more letters and digits. */
  readonly longRuns: boolean;
  /** Digits or symbols within words. */
  readonly leet: boolean;
  /** Letters that stand alone, or are parted by signs. */
  readonly spaced: boolean;
  /** Tags, variation selectors, zero-width characters. */
  readonly hidden: boolean;
  /** Letters of fancy alphabets, or marks on Latin letters. */
  readonly fancy: boolean;
  /** Dots, dashes and slashes only. */
  readonly morse: boolean;
  /** Short words that are common ones backwards or moved along the alphabet, or hardly any common ones. */
  readonly turned: boolean;
  /** Short words that are hardly ever anything but common ones backwards or moved along the alphabet. */
  readonly turnedWords: boolean;
}

const kinds = { other: 0, letter: 1, digit: 2, space: 3, escape: 4, sign: 5, leet: 6 } as const;
const isHexUnit = new Uint8Array(65_536);
for (const char of "0123456789abcdefABCDEF") isHexUnit[char.charCodeAt(0)] = 1;
const kindOf = buildKinds();
const leastEscapes = 4;
const leastPairs = 7;
/** Six groups of seven. */
const leastBits = 42;
const leastRun = 16;
const leastMixed = 2;
const leastSingles = 5;
const leastHidden = 4;
const leastFancy = 4;
const leastDots = 12;
const leastWords = 4;
const leastTurned = 1;

/** Counts the signs of disguises. */
export function signsOf(text: string): Signs {
  const units = unitsOf(text);
  let percents = 0;
  let equals = 0;
  let entities = 0;
  let escapes = 0;
  let hexPairs = 0;
  let numbers = 0;
  let bits = 0;
  let run = 0;
  let longest = 0;
  let mixed = 0;
  let singles = 0;
  let parted = 0;
  let hidden = 0;
  let fancy = 0;
  let dots = 0;
  let words = 0;
  let known = 0;
  let turned = 0;
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
    const kind = unit < 0x80 ? (kindOf[unit] ?? 0) : unit < 0x250 ? kinds.letter : kinds.other;
    if (kind === kinds.letter) {
      letters++;
      packed = letters <= 4 ? (packed << 8) | (unit | 0x20) : 0;
      if (before === kinds.digit || before === kinds.leet) mixed++;
      if (before === kinds.sign && beforeThat === kinds.letter) parted++;
      // The rest of a plain word, which most of a text is.
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
        else if ((ways & turnedSign) !== 0) turned++;
      }
      letters = 0;
      packed = 0;
    }
    if (kind === kinds.letter || kind === kinds.digit) {
      if (++run > longest) longest = run;
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
      // Within a word there is nothing to part.
    } else if (unit === 0x20 || unit === 0x2c || unit === 0x3a || unit === 0x3b || unit === 0x2d) {
      if (before === kinds.digit && beforeThat === kinds.digit) numbers++;
      if (isHex(units, i - 1) && isHex(units, i - 2) && beginsPair(units, i - 3)) hexPairs++;
    }
    if (unit === 46 || unit === 45 || unit === 0xb7 || unit === 0x2022 || unit === 0x2212 || unit === 0x2013) dots++;
    beforeThat = before;
    before = kind;
  }
  const turnedWords = turned >= leastTurned;
  const signs = {
    percents: percents >= leastEscapes,
    equals: equals >= leastEscapes,
    entities: entities >= leastEscapes,
    escapes: escapes >= leastEscapes,
    hexPairs: hexPairs >= leastPairs,
    numbers: numbers >= leastPairs,
    bits: bits >= leastBits,
    longRuns: longest >= leastRun,
    leet: mixed >= leastMixed,
    spaced: singles >= leastSingles || parted >= leastSingles,
    hidden: hidden >= leastHidden,
    fancy: fancy >= leastFancy,
    morse: dots >= leastDots && words * 2 <= dots,
    // Of English every third word or so is one of the common ones.
    turned: turnedWords || (words >= leastWords && known * 8 < words),
    turnedWords,
  };
  return { ...signs, any: Object.values(signs).includes(true) };
}

function isHex(units: Uint16Array, at: number): boolean {
  return at >= 0 && at < units.length && isHexUnit[units[at] ?? 0] === 1;
}

function isPlainLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return unit < 0x80 && lower >= 0x61 && lower <= 0x7a;
}

// Whether a pair of digits may begin behind this unit, with or without the prefix "0x" or "\\x".
function beginsPair(units: Uint16Array, at: number): boolean {
  if (at < 0) return true;
  const unit = units[at] ?? 0;
  return unit >= 0x80 || (unit | 0x20) === 0x78 || !(kindOf[unit] === kinds.letter || kindOf[unit] === kinds.digit);
}

// The high surrogate of tags and of the variation selectors beyond the first 16, those 16, and what has no width.
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

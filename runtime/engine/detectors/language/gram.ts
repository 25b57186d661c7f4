// Trigrams of the letters of words, each word with a space before and after it. They are read by code units, without
// building strings.

import { smallLetters } from "../small-letter.ts";

const maxTokenLength = 80;
const maxWordLength = 40;
/** Including its dash; longer flags begin with two dashes. */
const maxFlagLength = 4;
const space = 0x20;
const dash = 0x2d;
const dot = 0x2e;
const slash = 0x2f;
const tilde = 0x7e;
/** Long tokens in scripts below this code unit are addresses and codes; other scripts write without spaces. */
const scriptsWithSpaces = 0x370;
const dottedCapitalI = 0x130;
const dotAbove = 0x307;

/** The small letter of each code unit; 0 for anything that is not a letter. Built on first use. */
let smallOf = new Uint16Array();

/** Receives the code units of a trigram; returns whether to continue. */
export type GramVisitor = (first: number, second: number, third: number) => boolean;

/** Visits the trigrams of a text until the visitor stops. */
export function eachGram(text: string, visit: GramVisitor): void {
  if (smallOf.length === 0) smallOf = smallLetters(/[\p{L}\p{M}]+/gu);
  for (let at = 0; at < text.length; ) {
    if (isSpace(text.charCodeAt(at))) {
      at++;
      continue;
    }
    const end = endOfToken(text, at);
    if (!isNoise(text, at, end) && !eachGramOfToken(text, at, end, visit)) return;
    at = end;
  }
}

function eachGramOfToken(text: string, from: number, to: number, visit: GramVisitor): boolean {
  let before = 0;
  let last = space;
  let length = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    const small = smallOf[unit] ?? 0;
    if (small === 0 || length === maxWordLength) {
      if (length > 0 && !visit(before, last, space)) return false;
      before = 0;
      last = space;
      length = 0;
      if (small === 0) continue;
    }
    if (length > 0 && !visit(before, last, small)) return false;
    before = last;
    last = small;
    length++;
    // The only letter whose small form has two code units.
    if (unit !== dottedCapitalI) continue;
    if (!visit(before, last, dotAbove)) return false;
    before = last;
    last = dotAbove;
  }
  return length === 0 || visit(before, last, space);
}

// Text that belongs to no language: addresses, names of variables and files, command flags, numbers.
function isNoise(text: string, from: number, to: number): boolean {
  if (isFlagOrPath(text, from, to)) return true;
  if (to - from > maxTokenLength && text.charCodeAt(from) < scriptsWithSpaces) return true;
  let last = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if ((unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit === 0x40) return true;
    if (unit === 0x3a && text.startsWith("//", at + 1)) return true;
    if (unit >= 0x41 && unit <= 0x5a && last >= 0x61 && last <= 0x7a) return true;
    last = unit;
  }
  return false;
}

function isFlagOrPath(text: string, from: number, to: number): boolean {
  const next = text.charCodeAt(from + 1);
  switch (text.charCodeAt(from)) {
    case dash:
      return to - from <= maxFlagLength || next === dash;
    case slash:
    case tilde:
      return to - from > 1;
    case dot:
      return next === slash || next === dot;
    default:
      return false;
  }
}

function endOfToken(text: string, from: number): number {
  let end = from;
  while (end < text.length && !isSpace(text.charCodeAt(end))) end++;
  return end;
}

function isSpace(unit: number): boolean {
  return unit <= 0x20
    ? unit === 0x20 || (unit >= 9 && unit <= 13)
    : unit === 0xa0 || (unit >= 0x1680 && (unit === 0x1680 || isWideSpace(unit)));
}

function isWideSpace(unit: number): boolean {
  return (
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000 ||
    unit === 0xfeff
  );
}

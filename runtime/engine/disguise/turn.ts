// Stretches that are turned: backwards, or every letter replaced by another. Common English words tell: a turned text has hardly any
// where a text has many, and has them when it is turned back.

import type { Stretch } from "./disguise.ts";
import {
  asItStands,
  backwards,
  eachWord,
  mirrored,
  shiftBit,
  turnedSign,
  wayCount,
  waysOf,
  waysOfShort,
} from "./known-word.ts";
import { linesOf, wholeOf } from "./letter.ts";
import type { Signs } from "./sign.ts";

const leastLetters = 16;
/** Of plain English more than this are common words. */
const mostShare = 0.1;
const leastGain = 0.1;
const letterA = 0x61;
const letterY = 0x79;
/** So much of a line shows whether it is turned. */
const sampleLength = 240;

/** A way to turn a text back. */
interface Turn {
  readonly layer: string;
  /** The bit of known-word.ts; 0 for a way that is not one of letters. */
  readonly way: number;
  /** The share of common words that shows it; more for a way that is one of many. */
  readonly leastShare: number;
  readonly turn: (text: string) => string;
}

const turns: readonly Turn[] = [
  { layer: "reversed", way: backwards, leastShare: 0.12, turn: (text) => [...text].reverse().join("") },
  { layer: "rot13", way: shiftBit(13), leastShare: 0.12, turn: (text) => shifted(text, 13) },
  {
    layer: "reversed_words",
    way: backwards,
    leastShare: 0.12,
    turn: (text) => text.replaceAll(/\S+/g, (word) => [...word].reverse().join("")),
  },
  { layer: "atbash", way: mirrored, leastShare: 0.16, turn: (text) => replaced(text, (place) => 25 - place) },
];
const pigLatin: Turn = { layer: "pig_latin", way: 0, leastShare: 0.2, turn: unpigged };
const caesars = Array.from(
  { length: 26 },
  (_, by): Turn => ({ layer: "caesar", way: shiftBit(by), leastShare: 0.2, turn: (text) => shifted(text, by) }),
);
/** How many of the shifts are tried that make the letters most like those of English. */
const likelyShifts = 2;
/** How often each letter occurs in English, per thousand (Lewand, Cryptological Mathematics). */
const frequencies = [
  82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1,
];

/** The stretches that are turned. */
export function turnedStretches(text: string, signs: Signs): Stretch[] {
  if (!signs.turned) return [];
  // Parts of a text that is not turned as a whole need such a word.
  const deepest = signs.turnedWords ? splits.length : 0;
  return wholeOf(text).flatMap((part) => turnedWithin(part.text, part.start, { depth: 0, deepest }));
}

/** What a stretch is split into when it is not turned as a whole: lines, then clauses. */
const splits: readonly ((text: string) => readonly { start: number; end: number; text: string }[])[] = [
  linesOf,
  clausesOf,
];

function turnedWithin(
  text: string,
  start: number,
  { depth, deepest }: { readonly depth: number; readonly deepest: number },
): Stretch[] {
  if (depth > 0 && !hasTurnedWord(text)) return [];
  const whole = turnedBack(text, depth === 0);
  if (whole.length > 0) return whole.map((turned) => ({ ...turned, start, end: start + text.length }));
  const parts = depth < deepest ? (splits[depth]?.(text) ?? []) : [];
  return parts.flatMap((part) => turnedWithin(part.text, start + part.start, { depth: depth + 1, deepest }));
}

function clausesOf(text: string): { start: number; end: number; text: string }[] {
  return [...text.matchAll(/[^.:!?]+[.:!?]*/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0],
  }));
}

// The ways back that make the most common words; backwards and word by word backwards make the same ones.
function turnedBack(text: string, isWhole: boolean): Pick<Stretch, "layer" | "text">[] {
  const sample = text.slice(0, sampleLength);
  const tally = new Tally(sample);
  const share = tally.shareOf(asItStands);
  if (tally.letters < leastLetters || share >= mostShare) return [];
  if (tally.most <= leastGain && !tally.mayBePigLatin) return [];
  const isBetter = (turned: number, way: Turn) => turned > Math.max(share + leastGain, way.leastShare);
  const ways = (isWhole ? [...turns, ...wholeTurns(sample, tally, isBetter)] : turns)
    .map((way) => ({
      way,
      turned: way.way === 0 ? new Tally(way.turn(sample)).shareOf(asItStands) : tally.shareOf(way.way),
    }))
    .filter(({ way, turned }) => isBetter(turned, way));
  const best = Math.max(...ways.map(({ turned }) => turned));
  return ways.filter(({ turned }) => turned === best).map(({ way }) => ({ layer: way.layer, text: way.turn(text) }));
}

// Ways that only a whole text is worth. Those that cannot be better are left out before anything is turned.
function wholeTurns(sample: string, tally: Tally, isBetter: (turned: number, way: Turn) => boolean): Turn[] {
  const found = tally.mayBePigLatin ? [pigLatin] : [];
  if (!caesars.some((way, by) => by > 0 && isBetter(tally.shareOf(way.way), way))) return found;
  return [...found, ...likelyCaesars(letterCounts(sample))];
}

/** The share of a text's words that are common English ones, or such as attacks are made of, once it is turned back in each of the ways. */
class Tally {
  letters = 0;
  #words = 0;
  /** Words that end as they do in pig Latin. */
  #piglike = 0;
  readonly #known = new Int32Array(wayCount);

  constructor(text: string) {
    eachWord(text, (packed, from, to) => {
      this.#words++;
      this.letters += to - from;
      for (let ways = waysOf(text, from, to, packed) & (turnedSign - 1); ways !== 0; ways &= ways - 1) {
        const way = 31 - Math.clz32(ways & -ways);
        this.#known[way] = (this.#known[way] ?? 0) + 1;
      }
      if (to - from > 3 && (text.charCodeAt(to - 1) | 0x20) === letterY && (text.charCodeAt(to - 2) | 0x20) === letterA)
        this.#piglike++;
      return false;
    });
  }

  /** Only words that are changed can make it better. */
  get mayBePigLatin(): boolean {
    return this.#piglike > this.#words * leastGain;
  }

  /** The share in the way in which it is largest, that of the text as it stands apart. */
  get most(): number {
    let most = 0;
    for (let way = 1; way < wayCount; way++) most = Math.max(most, this.#known[way] ?? 0);
    return this.#words === 0 ? 0 : most / this.#words;
  }

  shareOf(way: number): number {
    return this.#words === 0 ? 0 : (this.#known[31 - Math.clz32(way)] ?? 0) / this.#words;
  }
}

/** Whether any word is a common one backwards or by ROT13 or Atbash. */
function hasTurnedWord(text: string): boolean {
  let found = false;
  eachWord(text, (packed, from, to) => {
    found = to - from <= 4 && (waysOfShort(packed) & turnedSign) !== 0;
    return found;
  });
  return found;
}

function letterCounts(text: string): number[] {
  const counts = new Array<number>(26).fill(0);
  for (let i = 0; i < text.length; i++) {
    const place = (text.charCodeAt(i) | 0x20) - 0x61;
    if (place >= 0 && place < 26) counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

function likelyCaesars(counts: readonly number[]): Turn[] {
  const likeness = (by: number) =>
    counts.reduce((sum, count, place) => sum + count * (frequencies[(place + by) % 26] ?? 0), 0);
  return caesars
    .map((turn, by): [Turn, number] => [turn, by === 0 ? 0 : likeness(by)])
    .sort(([, a], [, b]) => b - a)
    .slice(0, likelyShifts)
    .map(([turn]) => turn);
}

function shifted(text: string, by: number): string {
  return replaced(text, (place) => (place + by) % 26);
}

function replaced(text: string, placeOf: (place: number) => number): string {
  let read = "";
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const first = unit & 0x60;
    const place = (unit & 0x1f) - 1;
    const isLetter = unit < 0x7b && (first === 0x40 || first === 0x60) && place >= 0 && place < 26;
    read += isLetter ? String.fromCharCode(first + 1 + placeOf(place)) : (text[i] ?? "");
  }
  return read;
}

// The consonants before "ay" go back to the front; a word that began with a vowel has "way" or "yay".
function unpigged(text: string): string {
  return text.replaceAll(/([a-z]+?)(?:([wy])|([bcdfghjklmnpqrstvxz]{1,3}|qu))ay\b/gi, (_, rest: string, vowel, lead) =>
    vowel === undefined ? `${lead}${rest}` : rest,
  );
}

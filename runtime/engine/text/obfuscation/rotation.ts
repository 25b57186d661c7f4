// Rotated spans: text written backwards, or with every letter replaced by another. Common English words reveal them:
// rotated text has hardly any, and has many after it is rotated back.

import { chunksOf, linesOf } from "./letters.ts";
import {
  asItStands,
  backwards,
  eachWord,
  mirrored,
  rotationSignal,
  shiftBit,
  wayCount,
  waysOf,
  waysOfShort,
} from "./rotated-words.ts";
import type { Signals } from "./signals.ts";
import type { ObfuscatedSpan } from "./span.ts";

const minLetters = 16;
/** Plain English has a larger share of common words. */
const maxPlainShare = 0.1;
const minGain = 0.1;
const letterA = 0x61;
const letterY = 0x79;
/** The length of the sample, in units, that shows whether a line is rotated. */
const sampleLength = 240;

/** A way to rotate a text back. */
interface Rotation {
  readonly layer: string;
  /** Its bit in rotated-words.ts; 0 for a way that does not work letter by letter. */
  readonly way: number;
  /** The share of common words that proves it; larger for one of many similar ways. */
  readonly minShare: number;
  readonly undo: (text: string) => string;
}

const rotations: readonly Rotation[] = [
  { layer: "reversed", way: backwards, minShare: 0.12, undo: (text) => [...text].reverse().join("") },
  { layer: "rot13", way: shiftBit(13), minShare: 0.12, undo: (text) => shifted(text, 13) },
  {
    layer: "reversed_words",
    way: backwards,
    minShare: 0.12,
    undo: (text) => text.replaceAll(/\S+/g, (word) => [...word].reverse().join("")),
  },
  { layer: "atbash", way: mirrored, minShare: 0.16, undo: (text) => replaced(text, (letter) => 25 - letter) },
];
const pigLatin: Rotation = { layer: "pig_latin", way: 0, minShare: 0.2, undo: unpigged };
const caesars = Array.from(
  { length: 26 },
  (_, by): Rotation => ({ layer: "caesar", way: shiftBit(by), minShare: 0.2, undo: (text) => shifted(text, by) }),
);
/** How many shifts are tried: those that make the letters most similar to English. */
const likelyShifts = 2;
/** How often each letter occurs in English, per thousand (Lewand, Cryptological Mathematics). */
const frequencies = [
  82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1,
];

/** The rotated spans of a text. */
export function rotatedSpans(text: string, signals: Signals): ObfuscatedSpan[] {
  if (!signals.rotated) return [];
  // Parts of a text that is not rotated as a whole need a rotated word.
  const maxDepth = signals.rotatedWords ? splits.length : 0;
  return chunksOf(text).flatMap((part) => rotatedWithin(part.text, part.start, { depth: 0, maxDepth }));
}

/** How a span is split when it is not rotated as a whole: into lines, then into clauses. */
const splits: readonly ((text: string) => readonly { start: number; end: number; text: string }[])[] = [
  linesOf,
  clausesOf,
];

function rotatedWithin(
  text: string,
  start: number,
  { depth, maxDepth }: { readonly depth: number; readonly maxDepth: number },
): ObfuscatedSpan[] {
  if (depth > 0 && !hasRotatedWord(text)) return [];
  const whole = rotatedBack(text, depth === 0);
  if (whole.length > 0) return whole.map((back) => ({ ...back, start, end: start + text.length }));
  const parts = depth < maxDepth ? (splits[depth]?.(text) ?? []) : [];
  return parts.flatMap((part) => rotatedWithin(part.text, start + part.start, { depth: depth + 1, maxDepth }));
}

function clausesOf(text: string): { start: number; end: number; text: string }[] {
  return [...text.matchAll(/[^.:!?]+[.:!?]*/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0],
  }));
}

// The ways back that give the most common words. Backwards and word by word backwards give the same ones.
function rotatedBack(text: string, isWhole: boolean): Pick<ObfuscatedSpan, "layer" | "text">[] {
  // A slice takes several times as long to read.
  const sampleEnd = Math.min(text.length, sampleLength);
  const tally = new Tally(text, sampleEnd);
  const share = tally.shareOf(asItStands);
  if (tally.letters < minLetters || share >= maxPlainShare) return [];
  if (tally.maxShare <= minGain && !tally.mayBePigLatin) return [];
  const isBetter = (shareAfter: number, way: Rotation) => shareAfter > Math.max(share + minGain, way.minShare);
  const sample = text.slice(0, sampleEnd);
  const ways = (isWhole ? [...rotations, ...wholeTextRotations(sample, tally, isBetter)] : rotations)
    .map((way) => ({
      way,
      shareAfter: way.way === 0 ? new Tally(way.undo(sample)).shareOf(asItStands) : tally.shareOf(way.way),
    }))
    .filter(({ way, shareAfter }) => isBetter(shareAfter, way));
  const best = Math.max(...ways.map(({ shareAfter }) => shareAfter));
  return ways
    .filter(({ shareAfter }) => shareAfter === best)
    .map(({ way }) => ({ layer: way.layer, text: way.undo(text) }));
}

// Ways that are tried only on whole texts. Ways that cannot be better are excluded before any text is rotated.
function wholeTextRotations(
  sample: string,
  tally: Tally,
  isBetter: (shareAfter: number, way: Rotation) => boolean,
): Rotation[] {
  const found = tally.mayBePigLatin ? [pigLatin] : [];
  if (!caesars.some((way, by) => by > 0 && isBetter(tally.shareOf(way.way), way))) return found;
  return [...found, ...likelyCaesars(letterCounts(sample))];
}

/**
 * For each way, the share of a text's words that are common English words or frequent in attacks after it is rotated
 * back.
 */
class Tally {
  letters = 0;
  #words = 0;
  /** Words that end as in pig Latin. */
  #piglike = 0;
  readonly #known = new Int32Array(wayCount);

  constructor(text: string, end = text.length) {
    const count = (packed: number, from: number, to: number) => {
      this.#words++;
      this.letters += to - from;
      for (let ways = waysOf(text, from, to, packed) & (rotationSignal - 1); ways !== 0; ways &= ways - 1) {
        const way = 31 - Math.clz32(ways & -ways);
        this.#known[way] = (this.#known[way] ?? 0) + 1;
      }
      if (to - from > 3 && (text.charCodeAt(to - 1) | 0x20) === letterY && (text.charCodeAt(to - 2) | 0x20) === letterA)
        this.#piglike++;
      return false;
    };
    eachWord(text, count, end);
  }

  /** Pig Latin can gain only from words that it changes. */
  get mayBePigLatin(): boolean {
    return this.#piglike > this.#words * minGain;
  }

  /** The largest share of any way, without the text as it stands. */
  get maxShare(): number {
    let max = 0;
    for (let way = 1; way < wayCount; way++) max = Math.max(max, this.#known[way] ?? 0);
    return this.#words === 0 ? 0 : max / this.#words;
  }

  shareOf(way: number): number {
    return this.#words === 0 ? 0 : (this.#known[31 - Math.clz32(way)] ?? 0) / this.#words;
  }
}

/** Whether any word is a common one backwards, in ROT13 or in Atbash. */
function hasRotatedWord(text: string): boolean {
  let found = false;
  eachWord(text, (packed, from, to) => {
    found = to - from <= 4 && (waysOfShort(packed) & rotationSignal) !== 0;
    return found;
  });
  return found;
}

function letterCounts(text: string): number[] {
  const counts = new Array<number>(26).fill(0);
  for (let i = 0; i < text.length; i++) {
    const letter = (text.charCodeAt(i) | 0x20) - 0x61;
    if (letter >= 0 && letter < 26) counts[letter] = (counts[letter] ?? 0) + 1;
  }
  return counts;
}

function likelyCaesars(counts: readonly number[]): Rotation[] {
  const likeness = (by: number) =>
    counts.reduce((sum, count, letter) => sum + count * (frequencies[(letter + by) % 26] ?? 0), 0);
  return caesars
    .map((turn, by): [Rotation, number] => [turn, by === 0 ? 0 : likeness(by)])
    .sort(([, a], [, b]) => b - a)
    .slice(0, likelyShifts)
    .map(([turn]) => turn);
}

function shifted(text: string, by: number): string {
  return replaced(text, (letter) => (letter + by) % 26);
}

function replaced(text: string, replace: (letter: number) => number): string {
  let read = "";
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const first = unit & 0x60;
    const letter = (unit & 0x1f) - 1;
    const isLetter = unit < 0x7b && (first === 0x40 || first === 0x60) && letter >= 0 && letter < 26;
    read += isLetter ? String.fromCharCode(first + 1 + replace(letter)) : (text[i] ?? "");
  }
  return read;
}

// The consonants before "ay" return to the front. A word that began with a vowel ends in "way" or "yay".
function unpigged(text: string): string {
  return text.replaceAll(
    /([a-z]+?)(?:([wy])|([bcdfghjklmnpqrstvxz]{1,3}|qu))ay\b/gi,
    (_, rest: string, vowel, onset) => (vowel === undefined ? `${onset}${rest}` : rest),
  );
}

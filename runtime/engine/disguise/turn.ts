// Stretches that are turned: backwards, or every letter replaced by another. Common English words tell: a turned text has hardly any
// where a text has many, and has them when it is turned back.

import type { Stretch } from "./disguise.ts";
import { linesOf, wholeOf } from "./letter.ts";
import { commonShare, type Signs } from "./sign.ts";

const leastLetters = 16;
/** Of plain English more than this are common words. */
const mostShare = 0.1;
const leastGain = 0.1;
/** So much of a line shows whether it is turned. */
const sampleLength = 240;

/** A way to turn a text back. */
interface Turn {
  readonly layer: string;
  /** The share of common words that shows it; more for a way that is one of many. */
  readonly leastShare: number;
  readonly turn: (text: string) => string;
}

const turns: readonly Turn[] = [
  { layer: "reversed", leastShare: 0.12, turn: (text) => [...text].reverse().join("") },
  {
    layer: "reversed_words",
    leastShare: 0.12,
    turn: (text) => text.replaceAll(/\S+/g, (word) => [...word].reverse().join("")),
  },
  { layer: "rot13", leastShare: 0.12, turn: (text) => shifted(text, 13) },
  { layer: "atbash", leastShare: 0.16, turn: (text) => replaced(text, (place) => 25 - place) },
  ...Array.from({ length: 25 }, (_, index) => index + 1)
    .filter((by) => by !== 13)
    .map((by) => ({ layer: "caesar", leastShare: 0.2, turn: (text: string) => shifted(text, by) })),
  { layer: "pig_latin", leastShare: 0.2, turn: unpigged },
];

/** The stretches that are turned. */
export function turnedStretches(text: string, signs: Signs): Stretch[] {
  if (!signs.turned) return [];
  return wholeOf(text).flatMap((part) => {
    const whole = turnedBack(part.text);
    if (whole !== undefined) return [{ ...whole, start: part.start, end: part.end }];
    return linesOf(part.text).flatMap(({ start, end, text: line }) => {
      const turned = turnedBack(line);
      return turned === undefined ? [] : [{ ...turned, start: part.start + start, end: part.start + end }];
    });
  });
}

function turnedBack(text: string): Pick<Stretch, "layer" | "text"> | undefined {
  const sample = text.slice(0, sampleLength);
  if ((sample.match(/[a-z]/gi)?.length ?? 0) < leastLetters) return undefined;
  const share = commonShare(sample);
  if (share >= mostShare) return undefined;
  let best: Turn | undefined;
  let bestShare = share + leastGain;
  for (const turn of turns) {
    const turned = commonShare(turn.turn(sample));
    if (turned <= Math.max(bestShare, turn.leastShare)) continue;
    best = turn;
    bestShare = turned;
  }
  return best === undefined ? undefined : { layer: best.layer, text: best.turn(text) };
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

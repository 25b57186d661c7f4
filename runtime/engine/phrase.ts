// Decides whether a hit of the automaton is the phrase: compares unit for unit, and looks at the borders of the word.

import { caseFold, isSpaceUnit } from "./fold.ts";
import type { Phrase } from "./plan.ts";

const wordPoint = /^[\p{L}\p{N}\p{M}]$/u;
const spacelessPoint =
  /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{sc=Bopo}ー々〆]$/u;
const hangulPoint = /^\p{sc=Hang}$/u;

/** The start of the phrase that ends here, or -1 when the hit is not the phrase. `text` has its look-alikes folded. */
export function phraseStart(phrase: Phrase, text: string, end: number): number {
  let at = end;
  for (let i = phrase.text.length - 1; i >= 0; i--) {
    const wanted = phrase.text.charCodeAt(i);
    if (at <= 0) return -1;
    const unit = text.charCodeAt(at - 1);
    if (isSpaceUnit(wanted)) {
      if (!isSpaceUnit(unit)) return -1;
      while (at > 0 && isSpaceUnit(text.charCodeAt(at - 1))) at--;
    } else {
      if (unit !== wanted && (phrase.caseSensitive || caseFold(unit) !== caseFold(wanted))) return -1;
      at--;
    }
  }
  return !phrase.wholeWord || (freeBefore(text, at) && freeAfter(text, end)) ? at : -1;
}

/** Whether a whole word may begin here. */
export function mayBeginWord(text: string, at: number): boolean {
  return freeBefore(text, at);
}

// A border is free unless two characters of spaced scripts meet that both belong to words. Korean sets particles behind words.
function freeBefore(text: string, at: number): boolean {
  return bordersWord(pointBefore(text, at), pointAt(text, at));
}

function freeAfter(text: string, end: number): boolean {
  const inner = pointBefore(text, end);
  return hangulPoint.test(inner) || bordersWord(inner, pointAt(text, end));
}

function bordersWord(before: string, after: string): boolean {
  if (!wordPoint.test(before) || !wordPoint.test(after)) return true;
  return spacelessPoint.test(before) || spacelessPoint.test(after);
}

function pointAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

function pointBefore(text: string, at: number): string {
  if (at <= 0) return "";
  const low = text.charCodeAt(at - 1);
  const pair = at > 1 && (low & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 2) & 0xfc00) === 0xd800;
  return text.slice(pair ? at - 2 : at - 1, at);
}

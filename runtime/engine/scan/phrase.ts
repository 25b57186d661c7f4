// Decides whether a hit of the automaton is the phrase: compares letter by letter, and checks the word borders. A
// letter may be spelled in several ways (case, ß and ss, quotes, dashes), and a letter of another script may imitate
// it. An imitation counts only in a word that also has letters of the phrase's script, so that ordinary words of other
// scripts are left alone.

import type { Phrase } from "../detectors/detector-plan.ts";
import { caseFold, isSharpS, isSpaceUnit, looksLike, spellingFold } from "../text/fold.ts";

const wordPoint = /^[\p{L}\p{N}\p{M}]$/u;
const spacelessPoint =
  /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{sc=Bopo}ー々〆]$/u;
const hangulPoint = /^\p{sc=Hang}$/u;
const letterUnit = /^[\p{L}\p{M}]$/u;
const letterPoint = /^[\p{L}\p{M}'’]$/u;
const smallS = 0x73;
const bothS = "ss";

/** Results of `phraseStart` that are no start. */
export const noPhrase = -1;
export const undecided = -2;

/** How far from an imitation a letter of the phrase's script may be. Bounded, so that a finding stays local. */
const neighbourhoodLength = 16;

/** The scripts whose letters imitate each other. */
const scripts: readonly RegExp[] = [/^[A-Za-zÀ-ɏḀ-ỿ]$/, /^[Ͱ-Ͽἀ-῿]$/, /^[Ѐ-ԯ]$/, /^[԰-֏]$/, /^[Ꭰ-Ᏽꭰ-ꮿ]$/];

/** The phrase as it is compared: without regard to case, ß is ss. */
export function comparedPhrase(phrase: Phrase): Phrase {
  if (phrase.caseSensitive || !/[ßẞ]/.test(phrase.text)) return phrase;
  return { ...phrase, text: phrase.text.replace(/[ßẞ]/g, bothS) };
}

/**
 * The start of a phrase that ends at `end`. The phrase comes from `comparedPhrase`. For "cat" in "a cat" with end 5 the
 * start is 2. Returns `noPhrase` when the hit is not the phrase, and `undecided` when that depends on the text that
 * follows a text which may grow.
 */
export function phraseStart(phrase: Phrase, text: string, end: number, { mayGrow = false } = {}): number {
  const { text: wantedText, caseSensitive } = phrase;
  let at = end;
  /** Offsets of letters that may be imitations. */
  let doubtful: number[] | undefined;
  for (let i = wantedText.length - 1; i >= 0; i--) {
    const wanted = wantedText.charCodeAt(i);
    if (at <= 0) return noPhrase;
    const unit = text.charCodeAt(at - 1);
    if (isSpaceUnit(wanted)) {
      if (!isSpaceUnit(unit)) return noPhrase;
      while (at > 0 && isSpaceUnit(text.charCodeAt(at - 1))) at--;
      continue;
    }
    at--;
    if (unit === wanted) continue;
    if (!caseSensitive && isSharpS(unit)) {
      if (i === 0 || !isS(wanted) || !isS(wantedText.charCodeAt(--i))) return noPhrase;
    } else if (!isSpelled(unit, wanted, caseSensitive)) {
      if (!imitates(unit, wanted) || (caseSensitive && isCapital(unit) !== isCapital(wanted))) return noPhrase;
      doubtful ??= [];
      doubtful.push(at);
    }
  }
  const { maxMoreLetters, unless } = phrase;
  if (maxMoreLetters === undefined) {
    if (phrase.wholeWord && !(freeBefore(text, at) && freeAfter(text, end))) return noPhrase;
  } else {
    if (!freeBefore(text, at)) return noPhrase;
    const last = phraseEnd(phrase, text, end);
    if (last >= text.length && mayGrow) return undecided;
    if (!freeAfter(text, last)) return noPhrase;
  }
  const start = doubtful === undefined ? at : decide(phrase, text, at, doubtful, mayGrow);
  if (start < 0 || unless === undefined) return start;
  const exempted = unless.around(text, start, end, { mayGrow });
  if (exempted === "yes") return noPhrase;
  return exempted === "undecided" ? undecided : start;
}

/** The end of a phrase that ends at `end`, with the letters that may follow it. */
export function phraseEnd({ maxMoreLetters }: Phrase, text: string, end: number): number {
  if (maxMoreLetters === undefined) return end;
  let last = end;
  for (let left = maxMoreLetters; left > 0; left--) {
    const point = pointAt(text, last);
    if (!letterPoint.test(point)) break;
    last += point.length;
  }
  return last;
}

function isS(unit: number): boolean {
  return spellingFold(unit) === smallS;
}

function isCapital(unit: number): boolean {
  return caseFold(unit) !== unit;
}

// Phonetic letters, quotes and dashes have no case, or only one; for all others the case must be equal.
function isSpelled(unit: number, wanted: number, caseSensitive: boolean): boolean {
  const spelling = spellingFold(unit);
  if (spelling !== spellingFold(wanted)) return false;
  return !caseSensitive || spelling !== caseFold(unit) || spelling !== caseFold(wanted);
}

// Letters of one script are different letters, however similar they look. ASCII is exempt, because other letters are
// derived from its letters (ı).
function imitates(unit: number, wanted: number): boolean {
  if (!looksLike(unit, wanted)) return false;
  if (unit < 0x80 || wanted < 0x80) return true;
  const char = String.fromCharCode(wanted);
  return !scripts.some((script) => script.test(char) && script.test(String.fromCharCode(unit)));
}

function decide(phrase: Phrase, text: string, start: number, doubtful: readonly number[], mayGrow: boolean): number {
  const own = scripts.filter((script) => [...phrase.text].some((char) => script.test(char)));
  let answer = start;
  for (const at of doubtful) {
    const borne = isBorneOut(text, at, own, mayGrow);
    if (borne === noPhrase) return noPhrase;
    if (borne === undecided) answer = undecided;
  }
  return answer;
}

// Whether a letter of these scripts is near in the same word: returns `at` when one is.
function isBorneOut(text: string, at: number, own: readonly RegExp[], mayGrow: boolean): number {
  const isEvidence = (char: string) => own.some((script) => script.test(char));
  for (let i = at - 1; i >= Math.max(0, at - neighbourhoodLength) && letterUnit.test(text.charAt(i)); i--)
    if (isEvidence(text.charAt(i))) return at;
  const last = at + neighbourhoodLength;
  for (let i = at + 1; i <= last; i++) {
    if (i >= text.length) return mayGrow ? undecided : noPhrase;
    if (!letterUnit.test(text.charAt(i))) return noPhrase;
    if (isEvidence(text.charAt(i))) return at;
  }
  return noPhrase;
}

/** Whether a whole word may begin here. */
export function mayBeginWord(text: string, at: number): boolean {
  return freeBefore(text, at);
}

// A border is free unless both characters belong to words of scripts with spaces. Korean attaches particles to the end
// of words.
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

// Folding of single UTF-16 code units, in three strengths. `caseFold` is Unicode simple case folding. `letterFold` also
// folds look-alike letters and white space. `automatonFold` also folds the spellings of a phrase (quotes, dashes, ß,
// second look-alikes). The class table of the automaton uses it, so it must unite all units that a later check could
// take as equal.

import { isAscii } from "./code-units.ts";
import {
  foreignLookalikes,
  keyboardVariants,
  latinLookalikes,
  markVariants,
  secondLookalikes,
  sharpS,
} from "./confusables.ts";

/** The code unit of the space, to which all white space folds. */
export const spaceUnit = 0x20;

/**
 * How far a look-alike may be from the Latin letter that makes its word a mixed one. Bounded, so that folding stays
 * local.
 */
const neighbourhoodLength = 16;

const spaceUnits = [9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000];
for (let unit = 0x2000; unit <= 0x200a; unit++) spaceUnits.push(unit);

/** Blocks that contain letters with case; all other units fold to themselves. */
const casedRanges: readonly (readonly [number, number])[] = [
  [0x0041, 0x2000],
  [0x2100, 0x2190],
  [0x24b0, 0x24f0],
  [0x2c00, 0x2e00],
  [0xa640, 0xa800],
  [0xab30, 0xabc0],
  [0xff21, 0xff5b],
];

/** Pairs that simple case folding unites, but that lower and upper case of single units do not show. */
const foldedPairs: readonly (readonly [number, number])[] = [
  [0x1fd3, 0x0390],
  [0x1fe3, 0x03b0],
  [0xfb05, 0xfb06],
  [0x0130, 0x0069],
];

const isSpace = new Uint8Array(65536);
for (const unit of spaceUnits) isSpace[unit] = 1;

const caseTable = buildCaseTable();
const foreignTable = buildLookalikes(foreignLookalikes);
const latinTable = buildLookalikes(latinLookalikes);
const secondTable = buildLookalikes(secondLookalikes);
const letterTable = buildLetterTable();
const spellingTable = buildSpellingTable();
const runUnit = 0x73;
const automatonTable = buildAutomatonTable();

/** Whether a code unit is white space. */
export function isSpaceUnit(unit: number): boolean {
  return isSpace[unit] === 1;
}

/** Simple case folding of one code unit. */
export function caseFold(unit: number): number {
  return caseTable[unit] ?? unit;
}

/** Folds case, look-alike letters and white space. Required literals of patterns are folded by it. */
export function letterFold(unit: number): number {
  return letterTable[unit] ?? unit;
}

/** Folds the spelling of one code unit: case, quotes, dashes, phonetic letters and keyboard variants. */
export function spellingFold(unit: number): number {
  return spellingTable[unit] ?? unit;
}

/** Folds the spelling of a text. Every unit folds to one unit, so offsets stay the same. */
export function spellingFoldText(text: string): string {
  let folded = "";
  for (let at = 0; at < text.length; at++) folded += String.fromCharCode(spellingFold(text.charCodeAt(at)));
  return folded;
}

/** The strongest folding of one code unit: all others together. */
export function automatonFold(unit: number): number {
  return automatonTable[unit] ?? unit;
}

/** Whether two letters look alike, in either case. */
export function looksLike(one: number, other: number): boolean {
  const first = letterFold(one);
  const second = letterFold(other);
  if (first === second) return true;
  const firstAgain = secondTable[caseFold(one)] || first;
  const secondAgain = secondTable[caseFold(other)] || second;
  return firstAgain === second || first === secondAgain || firstAgain === secondAgain;
}

/** Whether a unit stands for both letters of "ss". */
export function isSharpS(unit: number): boolean {
  return caseFold(unit) === sharpS;
}

/**
 * Whether a run of this unit counts as one symbol in the automaton: white space, and "s", since ß stands for two of
 * them.
 */
export function isRunUnit(unit: number): boolean {
  const folded = automatonFold(unit);
  return folded === spaceUnit || folded === runUnit;
}

/** The symbol other than white space of which a run counts as one. */
export const runSymbol = runUnit;

/** All code units that `automatonFold` changes. */
export const foldedUnits: readonly number[] = Array.from(automatonTable.keys()).filter(
  (unit) => automatonTable[unit] !== unit,
);

/** Folds every unit of a text by `letterFold`. */
export function letterFoldText(text: string): string {
  let folded = "";
  for (let i = 0; i < text.length; i++) folded += String.fromCharCode(letterFold(text.charCodeAt(i)));
  return folded;
}

/**
 * A literal in the form that the automaton takes: folded by `automatonFold`, every run of white space or of "s" as one
 * symbol. "Pass  word" becomes "pas word".
 */
export function automatonFoldText(text: string): string {
  let folded = "";
  let last = -1;
  let kept = 0;
  for (let i = 0; i < text.length; i++) {
    const own = text.charCodeAt(i);
    const unit = automatonFold(own);
    if (unit !== own || (unit === last && isRunUnit(unit))) {
      // What stays as it is, which is most of it, is copied as a whole.
      folded += text.slice(kept, i);
      if (unit !== last || !isRunUnit(unit)) folded += String.fromCharCode(unit);
      kept = i + 1;
    }
    last = unit;
  }
  return kept === 0 ? text : folded + text.slice(kept);
}

/**
 * Whether a literal ends at offset `end` of a text. The literal is folded by `letterFold`, and a run of white space
 * counts as one. For "a b" in "xA  b" with end 5 the answer is true. A hit of the automaton is weaker evidence, because
 * the automaton folds more.
 */
export function endsWithLiteral(text: string, end: number, literal: string): boolean {
  let at = end;
  for (let i = literal.length - 1; i >= 0; i--) {
    if (at <= 0) return false;
    const wanted = literal.charCodeAt(i);
    const unit = text.charCodeAt(--at);
    if (letterFold(unit) !== wanted && secondTable[caseFold(unit)] !== wanted) return false;
    if (wanted === spaceUnit) while (at > 0 && isSpace[text.charCodeAt(at - 1)] === 1) at--;
  }
  return true;
}

/**
 * The text with look-alikes replaced by the Latin letters that they imitate, and all white space by spaces. Each unit
 * is replaced by one unit, so offsets stay valid. Look-alikes of other scripts are replaced only where an ASCII letter
 * is near in the same word.
 */
export function foldLookalikes(text: string): string {
  if (isAscii(text)) return text;
  let folded = "";
  let copied = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    const replacement = replacementAt(text, i, unit);
    if (replacement === unit) continue;
    folded += text.slice(copied, i) + String.fromCharCode(replacement);
    copied = i + 1;
  }
  return copied === 0 ? text : folded + text.slice(copied);
}

/**
 * Whether `foldLookalikes` may turn a unit into a member of this set, in any context. A set has an entry for each code
 * unit, 1 for members.
 */
export function mayFoldInto(set: Uint8Array, unit: number): boolean {
  const lower = caseFold(unit);
  const latin = latinTable[lower] ?? 0;
  const space = isSpace[unit] === 1 ? spaceUnit : 0;
  const forms = [space, latin, secondTable[lower] ?? 0, foreignTable[lower] ?? 0];
  return set[unit] === 1 || forms.some((form) => form !== 0 && set[form] === 1);
}

function replacementAt(text: string, at: number, unit: number): number {
  if (isSpace[unit] === 1) return spaceUnit;
  const lower = caseFold(unit);
  const latin = latinTable[lower] ?? 0;
  if (latin !== 0) return latin;
  // A capital may look like another letter than its small form: Η like H, η like n.
  const foreign = (lower === unit ? 0 : secondTable[lower]) || (foreignTable[lower] ?? 0);
  return foreign !== 0 && besideAscii(text, at) ? foreign : unit;
}

function besideAscii(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0 && i >= at - neighbourhoodLength; i--) {
    const unit = text.charCodeAt(i);
    if (isAsciiLetter(unit)) return true;
    if (unit < 0x80 || isSpace[unit] === 1) break;
  }
  for (let i = at + 1; i < text.length && i <= at + neighbourhoodLength; i++) {
    const unit = text.charCodeAt(i);
    if (isAsciiLetter(unit)) return true;
    if (unit < 0x80 || isSpace[unit] === 1) break;
  }
  return false;
}

function isAsciiLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function buildCaseTable(): Uint16Array {
  const table = new Uint16Array(65536);
  for (let unit = 0; unit < 65536; unit++) table[unit] = unit;
  for (const [from, to] of casedRanges) {
    for (let unit = from; unit < to; unit++) table[unit] = simpleFold(unit);
  }
  for (const [from, to] of foldedPairs) table[from] = to;
  return table;
}

// Upper case first, then lower case, since several small letters may share one capital (final sigma, long s).
function simpleFold(unit: number): number {
  const char = String.fromCharCode(unit);
  const upper = char.toUpperCase();
  const lower = (upper.length === 1 ? upper : char).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : unit;
}

function buildLookalikes(map: ReadonlyMap<string, string>): Uint16Array {
  const table = new Uint16Array(65536);
  for (const [from, to] of map) table[caseFold(from.charCodeAt(0))] = to.charCodeAt(0);
  return table;
}

function buildLetterTable(): Uint16Array {
  const table = new Uint16Array(65536);
  for (let unit = 0; unit < 65536; unit++) {
    const lower = caseTable[unit] ?? unit;
    table[unit] = isSpace[unit] === 1 ? spaceUnit : latinTable[lower] || foreignTable[lower] || lower;
  }
  return table;
}

function buildSpellingTable(): Uint16Array {
  const variants = new Map(
    [...markVariants, ...keyboardVariants].map(([from, to]) => [from.charCodeAt(0), to.charCodeAt(0)]),
  );
  return caseTable.map(
    (lower, unit) => variants.get(lower) ?? (isSpace[unit] === 1 ? spaceUnit : latinTable[lower] || lower),
  );
}

// When two foldings give two symbols for one unit, the symbols are united.
function buildAutomatonTable(): Uint16Array {
  const joined = new Map<number, number>();
  const rootOf = (symbol: number): number => {
    let root = symbol;
    for (let next = joined.get(root); next !== undefined; next = joined.get(root)) root = next;
    return root;
  };
  const join = (one: number, other: number): void => {
    const [first, second] = [rootOf(one), rootOf(other)];
    if (first !== second) joined.set(Math.max(first, second), Math.min(first, second));
  };
  for (let unit = 0; unit < 65536; unit++) {
    const letter = letterTable[unit] ?? unit;
    const spelling = spellingTable[unit] ?? unit;
    const second = secondTable[caseTable[unit] ?? unit] ?? 0;
    if (letter !== spelling) join(letter, letterTable[spelling] ?? spelling);
    if (second !== 0) join(letter, letterTable[second] ?? second);
  }
  join(sharpS, runUnit);
  return letterTable.map(rootOf);
}

// Folding of single UTF-16 code units, in two strengths. `caseFold` is Unicode simple case folding. `gateFold` adds look-alikes
// and white space: it is what the automaton's class table folds by, so it must unite whatever any later check could take as equal.

import { foreignLookalikes, latinLookalikes } from "./confusables.ts";

/** The code unit of the space, to which every white space folds. */
export const spaceUnit = 0x20;

/** How far a look-alike may be from the Latin letter that makes its word a mixed one. Bounded, so that folding stays local. */
const neighbourhoodLength = 16;

const spaceUnits = [9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000];
for (let unit = 0x2000; unit <= 0x200a; unit++) spaceUnits.push(unit);

/** Blocks that have letters with case; outside of them a unit folds to itself. */
const casedRanges: readonly (readonly [number, number])[] = [
  [0x0041, 0x2000],
  [0x2100, 0x2190],
  [0x24b0, 0x24f0],
  [0x2c00, 0x2e00],
  [0xa640, 0xa800],
  [0xab30, 0xabc0],
  [0xff21, 0xff5b],
];

/** Pairs that simple case folding unites and that neither lower nor upper case of one unit shows. */
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
const gateTable = buildGateTable();

/** Whether a code unit is white space. */
export function isSpaceUnit(unit: number): boolean {
  return isSpace[unit] === 1;
}

/** Simple case folding of one code unit. */
export function caseFold(unit: number): number {
  return caseTable[unit] ?? unit;
}

/** The strongest folding of one code unit: case, look-alikes, white space. */
export function gateFold(unit: number): number {
  return gateTable[unit] ?? unit;
}

/** All code units that `gateFold` changes. */
export const foldedUnits: readonly number[] = Array.from(gateTable.keys()).filter((unit) => gateTable[unit] !== unit);

/** Folds every unit of a text by `gateFold`. */
export function gateFoldText(text: string): string {
  let folded = "";
  for (let i = 0; i < text.length; i++) folded += String.fromCharCode(gateFold(text.charCodeAt(i)));
  return folded;
}

/**
 * The text with look-alikes replaced by the Latin letters that they imitate, and every exotic white space by a space.
 * Unit for unit, so offsets stay. Look-alikes of other scripts are replaced only where an ASCII letter is near in the same word.
 */
export function foldLookalikes(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
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

function replacementAt(text: string, at: number, unit: number): number {
  if (isSpace[unit] === 1) return spaceUnit;
  const lower = caseFold(unit);
  const latin = latinTable[lower] ?? 0;
  if (latin !== 0) return latin;
  const foreign = foreignTable[lower] ?? 0;
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

function buildGateTable(): Uint16Array {
  const table = new Uint16Array(65536);
  for (let unit = 0; unit < 65536; unit++) {
    const lower = caseTable[unit] ?? unit;
    table[unit] = isSpace[unit] === 1 ? spaceUnit : latinTable[lower] || foreignTable[lower] || lower;
  }
  return table;
}

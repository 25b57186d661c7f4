// The alphabet of a lazy automaton: code points that no instruction of its programs tells apart form one class. Classes
// of the basic plane are looked up in pages of 256 units; equal pages of a single class are kept once. For code points
// beyond it, the class is found by a binary search among the interval bounds.

import { conditions, type Instruction, pointsTaken } from "./program.ts";

/** Kinds of characters that conditions tell apart. */
export const kinds = { other: 0, word: 1, newline: 2, edge: 3 } as const;

/** The parts of an alphabet. Arrays only, so that another thread can build them. */
export interface AlphabetTables {
  /** Number of classes, without the class for the end of the text. */
  readonly size: number;
  /** First code point of each interval, and the class of the interval. */
  readonly starts: Int32Array;
  readonly classes: Uint16Array;
  /** The page of each upper byte. */
  readonly pageOf: Uint8Array;
  /** Classes by page and lower byte. */
  readonly pages: Uint8Array;
  /** Kind of the characters of a class. */
  readonly kindOf: Uint8Array;
  /** For each instruction, in the order given: the number of its set of classes; -1 when it consumes nothing. */
  readonly setOf: Int32Array;
  /** Sets one after the other: for each class, 1 when the set contains it. */
  readonly sets: Uint8Array;
}

/** The classes of some programs. */
export interface Alphabet {
  /** Number of classes, without the class for the end of the text. */
  readonly size: number;
  /** The page of each upper byte. */
  readonly pageOf: Uint8Array;
  /** Classes by page and lower byte. */
  readonly pages: Uint8Array;
  readonly classOfPoint: (point: number) => number;
  /** Kind of the characters of a class. */
  readonly kindOf: Uint8Array;
  /** For each instruction, in the order given: the classes that it consumes; undefined when it consumes nothing. */
  readonly taken: readonly (Uint8Array | undefined)[];
}

const lastPoint = 0x10ffff;
const maxClasses = 255;
const wordRanges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
const newline = [10, 10];

/**
 * Kind of the character before an offset of a text that begins at `from`. For "a b" at offset 2 it is `other`, at
 * offset 0 `edge`.
 */
export function kindBefore({ kindOf, classOfPoint }: Alphabet, text: string, from: number, at: number): number {
  if (at <= from) return kinds.edge;
  const unit = text.charCodeAt(at - 1);
  // Beyond the basic plane there are neither word characters nor line feeds.
  return (unit & 0xf800) === 0xd800 ? kinds.other : (kindOf[classOfPoint(unit)] ?? 0);
}

/** The alphabet of these tables. */
export function openAlphabet(tables: AlphabetTables): Alphabet {
  const { size, starts, classes, pageOf, pages, kindOf, setOf, sets } = tables;
  const bySet = Array.from({ length: sets.length / size }, (_, set) => sets.subarray(set * size, set * size + size));
  const classOfPoint = (point: number): number => classes[lastAtMost(starts, point)] ?? 0;
  return { size, pageOf, pages, classOfPoint, kindOf, taken: Array.from(setOf, (set) => bySet[set]) };
}

/** The tables of the alphabet of these instructions; undefined when it would have too many classes. */
export function alphabetTables(code: readonly Instruction[]): AlphabetTables | undefined {
  const sets = new SetTable();
  const setOf = Int32Array.from(code, (each) => (each.step === "rune" ? sets.indexOf(pointsTaken(each)) : -1));
  const asked = code.reduce((bits, each) => bits | each.condition, 0);
  const asksWords = (asked & (conditions.wordBoundary | conditions.noWordBoundary)) !== 0;
  const word = asksWords ? sets.indexOf(wordRanges) : -1;
  const line = (asked & (conditions.beginLine | conditions.endLine)) === 0 ? -1 : sets.indexOf(newline);
  const { starts, classes, size } = classify(sets.sets);
  if (size > maxClasses) return undefined;
  const takenBySet = sets.sets.map((set) => classesWithin(set, starts, classes, size));
  const kindOf = new Uint8Array(size);
  for (let cls = 0; cls < size; cls++) {
    if (takenBySet[word]?.[cls] === 1) kindOf[cls] = kinds.word;
    else if (takenBySet[line]?.[cls] === 1) kindOf[cls] = kinds.newline;
  }
  const flat = new Uint8Array(takenBySet.length * size);
  for (const [set, taken] of takenBySet.entries()) flat.set(taken, set * size);
  return { size, starts, classes, ...buildPages(starts, classes), kindOf, setOf, sets: flat };
}

class SetTable {
  readonly sets: (readonly number[])[] = [];
  readonly #known = new Map<string, number>();

  indexOf(ranges: readonly number[]): number {
    const key = ranges.join();
    let index = this.#known.get(key);
    if (index === undefined) {
      index = this.sets.length;
      this.#known.set(key, index);
      this.sets.push(ranges);
    }
    return index;
  }
}

interface Intervals {
  /** First code point of each interval. */
  readonly starts: Int32Array;
  readonly classes: Uint16Array;
  readonly size: number;
}

// All sets agree between two neighbouring bounds. Intervals that belong to the same sets form one class.
function classify(sets: readonly (readonly number[])[]): Intervals {
  const bounds = new Set([0]);
  for (const set of sets) {
    for (let i = 0; i + 1 < set.length; i += 2) {
      bounds.add(set[i] ?? 0);
      if ((set[i + 1] ?? 0) < lastPoint) bounds.add((set[i + 1] ?? 0) + 1);
    }
  }
  const starts = Int32Array.from(bounds).sort();
  // Classes are refined set by set: the number so far and membership in the next set make the new number.
  let classes = new Uint16Array(starts.length);
  let size = 1;
  for (const set of sets) {
    const refined = new Uint16Array(starts.length);
    const numbers = new Map<number, number>();
    let range = 0;
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i] ?? 0;
      while (range + 1 < set.length && (set[range + 1] ?? 0) < start) range += 2;
      const inside = range + 1 < set.length && (set[range] ?? 0) <= start;
      const key = (classes[i] ?? 0) * 2 + (inside ? 1 : 0);
      let number = numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
      }
      refined[i] = number;
    }
    classes = refined;
    size = numbers.size;
  }
  return { starts, classes, size };
}

function classesWithin(set: readonly number[], starts: Int32Array, classes: Uint16Array, size: number): Uint8Array {
  const taken = new Uint8Array(size);
  for (let range = 0; range + 1 < set.length; range += 2) {
    const to = set[range + 1] ?? 0;
    for (let i = lastAtMost(starts, set[range] ?? 0); i < starts.length && (starts[i] ?? 0) <= to; i++)
      taken[classes[i] ?? 0] = 1;
  }
  return taken;
}

function buildPages(starts: Int32Array, classes: Uint16Array): Pick<Alphabet, "pageOf" | "pages"> {
  const units = new Uint8Array(65_536);
  const mixed = new Uint8Array(256);
  for (let i = 0; i < starts.length && (starts[i] ?? 0) <= 0xffff; i++) {
    const start = starts[i] ?? 0;
    units.fill(classes[i] ?? 0, start, Math.min(starts[i + 1] ?? lastPoint, 0x10000));
    if ((start & 0xff) !== 0) mixed[start >> 8] = 1;
  }
  const pageOf = new Uint8Array(256);
  const kept: Uint8Array[] = [];
  const uniform = new Map<number, number>();
  for (let high = 0; high < 256; high++) {
    const page = units.subarray(high * 256, high * 256 + 256);
    const only = mixed[high] === 1 ? undefined : page[0];
    const known = only === undefined ? undefined : uniform.get(only);
    pageOf[high] = known ?? kept.length;
    if (known !== undefined) continue;
    if (only !== undefined) uniform.set(only, kept.length);
    kept.push(page);
  }
  const pages = new Uint8Array(kept.length * 256);
  for (const [index, page] of kept.entries()) pages.set(page, index * 256);
  return { pageOf, pages };
}

/** Index of the last element that is at most the value. */
function lastAtMost(sorted: Int32Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

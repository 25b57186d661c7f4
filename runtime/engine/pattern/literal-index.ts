// Finds literals by their rarest n-gram, not by following every character. Each literal is filed under one n-gram of
// its classes: of those it has, the one that fewest literals have. A text is read once; only where a bit says that
// an n-gram may be filed are its literals looked up and compared (the idea of S. Wu and U. Manber, "A fast algorithm for
// multi-pattern searching", 1994, without its shifts). So the next position does not wait for the state of the last
// one, and what most positions touch fits into the first-level cache. It finds exactly what the automaton of
// aho-corasick.ts finds, in the same order.
//
// A crowded n-gram would make a text of it slow to compare. Literals that have no other one are found by an automaton,
// and so are long ones: comparing those at every place of a hostile text would cost as much as they are long.

import { lentUnitsOf } from "../text/code-units.ts";
import { runSymbol } from "../text/fold.ts";
import {
  type AutomatonTables,
  assignClasses,
  automatonTables,
  type HitVisitor,
  openAutomaton,
  otherClass,
  spaceClass,
} from "./aho-corasick.ts";
import type { AssertTablesFit } from "./table-limit.ts";

/** The parts of an index. Arrays only, so that another thread can build them. */
export interface LiteralIndexTables {
  readonly classOfUnit: Uint8Array;
  /** The class of "s"; the class of all other symbols when no literal contains "s". */
  readonly runClass: number;
  /** By a pair of classes: 1 when its last class is a literal, and 2 when the pair is one. */
  readonly pairLengths: Uint8Array;
  /** A bit for each hash of a literal of three, and of one of four. */
  readonly tripleBits: Uint8Array;
  readonly quadBits: Uint8Array;
  /** A bit for each hash of an n-gram under which literals are filed. */
  readonly gramBits: Uint8Array;
  /** Short literals by their classes, in a hash table with open addressing: the classes, and the number plus one. */
  readonly shorts: Int32Array;
  /**
   * N-grams likewise: their last four classes; the one before them, and in the upper bits how many literals are filed
   * under the n-gram; the first of these; the classes beside the n-gram, when there is one literal.
   */
  readonly grams: Int32Array;
  /**
   * By distinct literal: where its classes begin in `classes`, its length, and how many classes lie before the last one
   * of its n-gram; the classes beside the n-gram. Literals of one n-gram are neighbours.
   */
  readonly literals: Int32Array;
  readonly classes: Uint8Array;
  /** The literals with the same classes: groupLiterals[groupStart[n]] … groupLiterals[groupStart[n + 1] - 1]. */
  readonly groupStart: Int32Array;
  readonly groupLiterals: Int32Array;
  /** The other literals; undefined when there are none. */
  readonly others: { readonly automaton: AutomatonTables; readonly literals: Int32Array } | undefined;
}

/** The index, ready to search. */
export interface LiteralIndex {
  /** Visits all occurrences of all literals, ordered by their end. */
  readonly scan: (text: string, visit: HitVisitor) => void;
}

/** Length of an n-gram, in classes. */
const gramLength = 5;
/** Literals of one n-gram at most. */
const maxFiled = 16;
/** Length of literals that are compared, at most. */
const maxCompared = 64;
/** Units of texts for which memory is kept between searches. */
const keptUnits = 32_768;

const minBits = 10;
const maxGramBits = 18;
const shortBitCount = 16;
const tripleMask = 0xffffff;
const pairMask = 0xffff;

/** How an index is made. */
export interface LiteralIndexOptions {
  /** Default: 16. */
  readonly maxFiled?: number;
  /** Default: they may have any size. */
  readonly assertFit?: AssertTablesFit;
}

/** Entries of `literals` for each, of `grams` for each n-gram, and of `shorts` for each short literal. */
const literalWidth = 4;
const gramWidth = 4;
const shortWidth = 2;
const countShift = 8;

/** Builds the tables of an index. Literals are those that `automatonTables` takes. */
export function literalIndexTables(literals: readonly string[], options: LiteralIndexOptions = {}): LiteralIndexTables {
  const { maxFiled: room = maxFiled, assertFit = () => undefined } = options;
  const { classOfUnit, classOfSymbol } = assignClasses(literals);
  const groups = new Map<string, Distinct>();
  for (const [index, literal] of literals.entries()) {
    const text = classText(literal, classOfSymbol);
    const known = groups.get(text);
    if (known === undefined) groups.set(text, { text, literals: [index], place: 0 });
    else known.literals.push(index);
  }
  assertFit(groups.size * minLiteralBytes);
  const short: Distinct[] = [];
  const long: Distinct[] = [];
  for (const each of groups.values()) (each.text.length < gramLength ? short : long).push(each);
  const { files, left } = fileLiterals(long, room);
  const placed = [...short, ...files.flat()];
  const others = left.flatMap((each) => each.literals);
  return {
    classOfUnit,
    runClass: classOfSymbol(runSymbol),
    ...shortTables(short),
    ...gramTables(files, short.length),
    ...literalTables(placed),
    others: others.length === 0 ? undefined : otherTables(others, literals, assertFit),
  };
}

/** The least memory that a literal takes: its entries in `literals`, `groupStart` and `groupLiterals`. */
const minLiteralBytes = (literalWidth + 2) * Int32Array.BYTES_PER_ELEMENT;

function otherTables(others: readonly number[], literals: readonly string[], assertFit: AssertTablesFit) {
  const texts = others.map((index) => literals[index] ?? "");
  return { automaton: automatonTables(texts, { assertFit }), literals: Int32Array.from(others) };
}

function classText(literal: string, classOf: (symbol: number) => number): string {
  const classes: number[] = [];
  for (let i = 0; i < literal.length; i++) classes.push(classOf(literal.charCodeAt(i)));
  return String.fromCharCode(...classes);
}

/** A distinct literal as classes, the literals with these classes, and where its n-gram ends. */
interface Distinct {
  readonly text: string;
  readonly literals: number[];
  place: number;
}

function literalTables(
  all: readonly Distinct[],
): Pick<LiteralIndexTables, "literals" | "classes" | "groupStart" | "groupLiterals"> {
  const table = new Int32Array(all.length * literalWidth);
  const groupStart = new Int32Array(all.length + 1);
  const classes = new Uint8Array(all.reduce((sum, { text }) => sum + text.length, 0));
  const literals: number[] = [];
  let start = 0;
  let entry = 0;
  for (const { text, literals: same, place } of all) {
    table[entry++] = start;
    table[entry++] = text.length;
    table[entry++] = place;
    table[entry++] = text.length < gramLength ? 0 : besideGram(text, place);
    for (let i = 0; i < text.length; i++) classes[start++] = text.charCodeAt(i);
    for (const literal of same) literals.push(literal);
    groupStart[entry / literalWidth] = literals.length;
  }
  return { literals: table, classes, groupStart, groupLiterals: Int32Array.from(literals) };
}

function shortTables(
  all: readonly Distinct[],
): Pick<LiteralIndexTables, "pairLengths" | "tripleBits" | "quadBits" | "shorts"> {
  const size = slotsFor(2 * all.length);
  const shorts = new Int32Array(size * shortWidth);
  const pairLengths = new Uint8Array(pairMask + 1);
  const tripleBits = new Uint8Array((1 << shortBitCount) >> 3);
  const quadBits = new Uint8Array((1 << shortBitCount) >> 3);
  for (const [number, { text }] of all.entries()) {
    const { length } = text;
    const key = keyAt(text, length - 1);
    let slot = slotOf(key, 0, size);
    while (shorts[slot * shortWidth + 1] !== 0) slot = (slot + 1) & (size - 1);
    shorts.set([key, number + 1], slot * shortWidth);
    if (length > 2) setBit(length === 3 ? tripleBits : quadBits, shortHash(key));
    const last = key & 0xff;
    const pairs = length > 1 ? [key & pairMask] : Array.from({ length: 0x100 }, (_, other) => (other << 8) | last);
    if (length < 3) for (const pair of pairs) pairLengths[pair] = (pairLengths[pair] ?? 0) | (1 << (length - 1));
  }
  return { pairLengths, tripleBits, quadBits, shorts };
}

function gramTables(
  files: readonly (readonly Distinct[])[],
  firstNumber: number,
): Pick<LiteralIndexTables, "gramBits" | "grams"> {
  const size = slotsFor(files.length);
  const grams = new Int32Array(size * gramWidth);
  const bits = Math.min(maxGramBits, Math.max(minBits, Math.ceil(Math.log2(16 * files.length + 1))));
  const gramBits = new Uint8Array((1 << bits) >> 3);
  let number = firstNumber;
  for (const file of files) {
    const { text = "", place = 0 } = file[0] ?? {};
    const [key, first] = [keyAt(text, place), text.charCodeAt(place - gramLength + 1)];
    let slot = slotOf(key, first, size);
    while (grams[slot * gramWidth + 1] !== 0) slot = (slot + 1) & (size - 1);
    const beside = file.length === 1 ? besideGram(text, place) : 0;
    const entry = slot * gramWidth;
    grams[entry] = key;
    grams[entry + 1] = first | (file.length << countShift);
    grams[entry + 2] = number;
    grams[entry + 3] = beside;
    setBit(gramBits, gramHash(key, first) >>> (32 - bits));
    number += file.length;
  }
  return { gramBits, grams };
}

// Two classes before an n-gram and two after it, a byte each, 0 where the literal has none. Most texts that have the
// n-gram and not the literal differ there, so the literal itself need not be read.
function besideGram(text: string, place: number): number {
  const at = (index: number) => text.charCodeAt(index) || 0;
  const first = place - gramLength + 1;
  return (at(first - 2) << 24) | (at(first - 1) << 16) | (at(place + 1) << 8) | at(place + 2);
}

/** Files each literal, which has five classes at least; `left` are those that no n-gram has room for. */
function fileLiterals(
  long: readonly Distinct[],
  room: number,
): { readonly files: readonly (readonly Distinct[])[]; readonly left: readonly Distinct[] } {
  const counts = countGrams(long);
  const files = new GramFiles(long.length);
  const left: Distinct[] = [];
  for (const each of long) {
    each.place = each.text.length > maxCompared ? -1 : rarestPlace(each.text, counts, files, room);
    if (each.place < 0) left.push(each);
    else files.add(each);
  }
  return { files: files.all, left };
}

/** Literals by the n-gram that they are filed under. */
class GramFiles {
  readonly all: Distinct[][] = [];
  readonly #size: number;
  readonly #keys: Int32Array;
  readonly #firsts: Uint8Array;
  /** The file in each slot of a hash table with open addressing, plus one. */
  readonly #numbers: Int32Array;

  constructor(literals: number) {
    this.#size = slotsFor(literals);
    this.#keys = new Int32Array(this.#size);
    this.#firsts = new Uint8Array(this.#size);
    this.#numbers = new Int32Array(this.#size);
  }

  /** How many literals an n-gram has. */
  countOf(key: number, first: number): number {
    return this.all[(this.#numbers[this.#slotOf(key, first)] ?? 0) - 1]?.length ?? 0;
  }

  /** Files the literal under its n-gram. */
  add(literal: Distinct): void {
    const { text, place } = literal;
    const [key, first] = [keyAt(text, place), text.charCodeAt(place - gramLength + 1)];
    const slot = this.#slotOf(key, first);
    const number = this.#numbers[slot] ?? 0;
    if (number > 0) {
      this.all[number - 1]?.push(literal);
      return;
    }
    this.#keys[slot] = key;
    this.#firsts[slot] = first;
    this.#numbers[slot] = this.all.push([literal]);
  }

  #slotOf(key: number, first: number): number {
    let slot = slotOf(key, first, this.#size);
    while (this.#numbers[slot] !== 0 && (this.#keys[slot] !== key || this.#firsts[slot] !== first))
      slot = (slot + 1) & (this.#size - 1);
    return slot;
  }
}

const minCountBits = 8;
const maxCountBits = 19;

// The number of literals that have an n-gram, by its hash. Collisions only make the choice a little worse.
function countGrams(literals: readonly Distinct[]): Uint16Array {
  const bits = Math.ceil(Math.log2(16 * literals.length + 1));
  const counts = new Uint16Array(1 << Math.min(maxCountBits, Math.max(minCountBits, bits)));
  for (const { text } of literals) {
    let key = 0;
    for (let last = 0; last < text.length; last++) {
      const first = key >>> 24;
      key = (key << 8) | text.charCodeAt(last);
      if (last < gramLength - 1) continue;
      const slot = countSlot(key, first, counts);
      const count = counts[slot] ?? 0;
      if (count < 0xffff) counts[slot] = count + 1;
    }
  }
  return counts;
}

/** Where the rarest n-gram of a literal ends that has room; -1 when none has. */
function rarestPlace(text: string, counts: Uint16Array, files: GramFiles, room: number): number {
  let place = -1;
  let least = Number.POSITIVE_INFINITY;
  let key = 0;
  for (let last = 0; last < text.length; last++) {
    const first = key >>> 24;
    key = (key << 8) | text.charCodeAt(last);
    if (last < gramLength - 1) continue;
    const count = counts[countSlot(key, first, counts)] ?? 0;
    if (count >= least || (count > room && files.countOf(key, first) >= room)) continue;
    least = count;
    place = last;
  }
  return place;
}

function countSlot(key: number, first: number, { length }: Uint16Array): number {
  return gramHash(key, first) >>> (Math.clz32(length) + 1);
}

/** The last four classes up to this one, the nearest in the lowest bits. */
function keyAt(text: string, last: number): number {
  let key = 0;
  for (let i = Math.max(0, last - 3); i <= last; i++) key = (key << 8) | text.charCodeAt(i);
  return key;
}

function gramHash(key: number, first: number): number {
  return Math.imul(key, 0x9e3779b1) + Math.imul(first, 0x85ebca6b);
}

function slotOf(key: number, first: number, size: number): number {
  const hash = gramHash(key, first);
  return (hash ^ (hash >>> 15)) & (size - 1);
}

function shortHash(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> (32 - shortBitCount);
}

/** At least one and a half times as many as there are entries: a power of two. */
function slotsFor(entries: number): number {
  return 2 ** Math.ceil(Math.log2(1.5 * entries + 2));
}

// The classes of a text beside an n-gram. What lies beyond the ends of the text is compared later.
function besideIn(classes: Uint8Array, at: number): number {
  const first = at - gramLength + 1;
  const before = first > 0 ? (classes[first - 1] ?? 0) << 16 : 0;
  const farther = first > 1 ? (classes[first - 2] ?? 0) << 24 : 0;
  return farther | before | ((classes[at + 1] ?? 0) << 8) | (classes[at + 2] ?? 0);
}

/** Whether a text has other classes beside an n-gram than a literal. Where the literal has 0, any will do. */
function differs(around: number, beside: number): boolean {
  const present = (((beside & 0x7f7f7f7f) + 0x7f7f7f7f) | beside) & 0x80808080;
  return ((around ^ beside) & Math.imul(present >>> 7, 0xff)) !== 0;
}

function setBit(bits: Uint8Array, at: number): void {
  bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
}

/** Room for one search. */
interface Room {
  /** The text as classes, each run of white space or "s" as one, and the offset after the first unit of each. */
  readonly classes: Uint8Array;
  readonly ends: Int32Array;
  /** What was found, ordered by its end and by falling length: the last class of each, and its number. */
  at: Int32Array;
  numbers: Int32Array;
  count: number;
}

const minHits = 256;
let spareRoom: Room | undefined;

function roomFor(units: number): Room {
  const spare = spareRoom;
  // A visitor may search again.
  spareRoom = undefined;
  if (spare !== undefined && spare.classes.length > units) {
    spare.count = 0;
    return spare;
  }
  const size = units < keptUnits ? keptUnits : units + 1;
  const hits = () => new Int32Array(minHits);
  return { classes: new Uint8Array(size), ends: new Int32Array(size), at: hits(), numbers: hits(), count: 0 };
}

function keep(room: Room): void {
  if (room.classes.length <= keptUnits && room.at.length <= keptUnits) spareRoom = room;
}

/** The index of these tables. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the tables are locals of its functions, for speed
export function openLiteralIndex(tables: LiteralIndexTables): LiteralIndex {
  const { classOfUnit, runClass, pairLengths, tripleBits, quadBits, gramBits, shorts, grams } = tables;
  const { literals, classes: pool, groupStart, groupLiterals } = tables;
  const shortMask = shorts.length / shortWidth - 1;
  const gramMask = grams.length / gramWidth - 1;
  const gramShift = Math.clz32(gramBits.length * 8 - 1);
  const others = tables.others && {
    automaton: openAutomaton(tables.others.automaton),
    literals: tables.others.literals,
  };

  // Returns the number of classes.
  function classify(text: string, { classes, ends }: Room): number {
    const units = lentUnitsOf(text);
    const { length } = units;
    const classOf = classOfUnit;
    const run = runClass;
    let count = 0;
    let last = otherClass;
    for (let i = 0; i < length; i++) {
      const cls = classOf[units[i] ?? 0] ?? otherClass;
      if (cls === last && (cls === spaceClass || cls === run) && cls !== otherClass) continue;
      last = cls;
      classes[count] = cls;
      ends[count++] = i + 1;
    }
    ends[count] = length + 1;
    return count;
  }

  function search(room: Room, count: number): void {
    const { classes } = room;
    const pairs = pairLengths;
    const triples = tripleBits;
    const quads = quadBits;
    const bits = gramBits;
    const shift = gramShift;
    let key = 0;
    for (let at = 0; at < count; at++) {
      const first = key >>> 24;
      key = (key << 8) | (classes[at] ?? 0);
      const triple = Math.imul(key & tripleMask, 0x9e3779b1) >>> (32 - shortBitCount);
      const hash = Math.imul(key, 0x9e3779b1);
      const quad = hash >>> (32 - shortBitCount);
      const lengths =
        (pairs[key & pairMask] ?? 0) |
        ((((triples[triple >> 3] ?? 0) >> (triple & 7)) & 1) << 2) |
        ((((quads[quad >> 3] ?? 0) >> (quad & 7)) & 1) << 3);
      if (lengths !== 0) findShort(room, key, at, lengths);
      const gram = (hash + Math.imul(first, 0x85ebca6b)) >>> shift;
      if ((((bits[gram >> 3] ?? 0) >> (gram & 7)) & 1) !== 0) findFiled(room, count, key, first, at);
    }
  }

  // A class of 0 is none of a literal, so keys of literals of different lengths are different.
  function findShort(room: Room, key: number, at: number, lengths: number): void {
    // The longest first.
    for (let left = lengths; left !== 0; ) {
      const index = 31 - Math.clz32(left);
      left &= ~(1 << index);
      const wanted = key & (-1 >>> (24 - 8 * index));
      if (wanted >>> (8 * index) === 0) continue;
      for (let slot = slotOf(wanted, 0, shortMask + 1); ; slot = (slot + 1) & shortMask) {
        const number = shorts[slot * shortWidth + 1] ?? 0;
        if (number === 0) break;
        if (shorts[slot * shortWidth] !== wanted) continue;
        addHit(room, at, number - 1);
        break;
      }
    }
  }

  function findFiled(room: Room, count: number, key: number, first: number, at: number): void {
    for (let slot = slotOf(key, first, gramMask + 1) * gramWidth; ; slot = (slot + gramWidth) & (grams.length - 1)) {
      const entry = grams[slot + 1] ?? 0;
      if (entry === 0) return;
      if (grams[slot] !== key || (entry & 0xff) !== first) continue;
      const around = besideIn(room.classes, at);
      if (differs(around, grams[slot + 3] ?? 0)) return;
      const number = grams[slot + 2] ?? 0;
      for (let left = entry >>> countShift; left > 0; left--) compare(room, count, number + left - 1, at, around);
      return;
    }
  }

  function compare(room: Room, count: number, number: number, at: number, around: number): void {
    const { classes } = room;
    const entry = number * literalWidth;
    if (differs(around, literals[entry + 3] ?? 0)) return;
    const first = literals[entry] ?? 0;
    const length = literals[entry + 1] ?? 0;
    const from = at - (literals[entry + 2] ?? 0);
    if (from < 0 || from + length > count) return;
    for (let i = length - 1; i >= 0; i--) if (pool[first + i] !== classes[from + i]) return;
    addHit(room, from + length - 1, number);
  }

  function lengthOf(number: number): number {
    return literals[number * literalWidth + 1] ?? 0;
  }

  // Hits come almost in order.
  function addHit(room: Room, end: number, number: number): void {
    if (room.count === room.at.length) {
      room.at = enlarged(room.at);
      room.numbers = enlarged(room.numbers);
    }
    const { at, numbers } = room;
    const length = lengthOf(number);
    let place = room.count++;
    for (; place > 0; place--) {
      const other = at[place - 1] ?? 0;
      if (other < end || (other === end && lengthOf(numbers[place - 1] ?? 0) > length)) break;
      at[place] = other;
      numbers[place] = numbers[place - 1] ?? 0;
    }
    at[place] = end;
    numbers[place] = number;
  }

  // What ends with a run of "s" is found at each unit of the run.
  function visitAll({ at, numbers, ends, count }: Room, visit: HitVisitor): void {
    for (let from = 0; from < count; ) {
      const place = at[from] ?? 0;
      let to = from + 1;
      while (to < count && at[to] === place) to++;
      const last = (ends[place + 1] ?? 0) - 1;
      for (let end = ends[place] ?? 0; end <= last; end++)
        for (let hit = from; hit < to; hit++) visitGroup(numbers[hit] ?? 0, end, visit);
      from = to;
    }
  }

  function visitGroup(number: number, end: number, visit: HitVisitor): void {
    const last = groupStart[number + 1] ?? 0;
    for (let i = groupStart[number] ?? 0; i < last; i++) visit(groupLiterals[i] ?? 0, end);
  }

  function scan(text: string, visit: HitVisitor): void {
    const room = roomFor(text.length);
    try {
      search(room, classify(text, room));
      if (others === undefined) visitAll(room, visit);
      else visitMerged(room, text, visit);
    } finally {
      keep(room);
    }
  }

  function visitMerged(room: Room, text: string, visit: HitVisitor): void {
    if (others === undefined) return;
    const found: { literal: number; end: number }[] = [];
    visitAll(room, (literal, end) => found.push({ literal, end }));
    others.automaton.scan(text, (index, end) => found.push({ literal: others.literals[index] ?? 0, end }));
    for (const { literal, end } of found.sort((a, b) => a.end - b.end)) visit(literal, end);
  }

  return { scan };
}

function enlarged(array: Int32Array): Int32Array {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

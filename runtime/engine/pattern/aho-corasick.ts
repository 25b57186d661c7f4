// One Aho–Corasick automaton over all literals of a bundle (A. Aho, M. Corasick, "Efficient string matching", CACM
// 18(6), 1975). A table of 65,536 entries folds code units to at most 256 classes, so that case, look-alikes, quotes
// and dashes cost nothing at run time. A run of white space counts as one symbol, and so does a run of "s": "ß" then
// needs no path of its own. Speed depends on tables that fit into the caches of the processor. So only the states
// nearest to the root have dense rows, for the most frequent classes only; all other transitions use edges and failure
// links. The folding over-approximates: a hit means "look here", and the caller compares.

import { automatonFold, foldedUnits, runSymbol, spaceUnit } from "../text/fold.ts";
import { type DoubleArray, packEdges } from "./double-array.ts";
import type { AssertTablesFit } from "./table-limit.ts";
import { buildStates, type States } from "./trie.ts";

/**
 * Called for each occurrence: the index of the literal, and the offset after its last code unit. For the literal "ab"
 * in "xaby" it is 3.
 */
export type HitVisitor = (literal: number, end: number) => void;

/** Where a scan continues. */
export interface ScanStart {
  readonly from: number;
  /** The state that the scan of all text before `from` returned; 0 at the beginning. */
  readonly state: number;
}

/** The parts of an automaton. Arrays only, so that another thread can build them. */
export interface AutomatonTables extends States, DoubleArray {
  readonly classOfUnit: Uint8Array;
  readonly classCount: number;
  /** The class of "s"; the class of all other symbols when no literal contains "s". */
  readonly runClass: number;
  /** Dense rows of the states nearest to the root. */
  readonly rows: Uint16Array;
  readonly denseCount: number;
}

/** The compiled automaton. */
export interface Automaton {
  /** Visits all occurrences of all literals, ordered by their end. Returns the state at the end of the text. */
  readonly scan: (text: string, visit: HitVisitor, start?: ScanStart) => number;
  /** The states. They say which literals are in progress. */
  readonly states: States;
  readonly stateCount: number;
  readonly classCount: number;
  /** States with a dense row. */
  readonly denseCount: number;
}

/** Entries of rows, 2 MiB of them. */
const defaultDenseEntries = 1 << 20;
/** Classes that rows have entries for: the classes of ASCII first, then the most frequent ones. */
const rowWidth = 64;
/**
 * The least memory that a state takes: five entries of `States`, its base, and the slot of the edge that leads to it.
 */
const minStateBytes = 8 * Int32Array.BYTES_PER_ELEMENT;
/** The entry of a row that sends the scan to the edges. */
const byEdges = 0xffff;
/** The class of all symbols that no literal has. */
export const otherClass = 0;
/** The class of white space. */
export const spaceClass = 1;
const ownClassLimit = 190;
const classLimit = 256;

/** How tables are made. */
export interface AutomatonOptions {
  readonly denseEntries?: number;
  /** Default: they may have any size. */
  readonly assertFit?: AssertTablesFit;
}

/**
 * Builds the tables of an automaton. Literals are folded by `automatonFoldText`; none is empty or has white space at
 * its ends. The index of a literal is its position in the list.
 */
export function automatonTables(
  literals: readonly string[],
  { denseEntries = defaultDenseEntries, assertFit = () => undefined }: AutomatonOptions = {},
): AutomatonTables {
  const { classOfUnit, classOfSymbol, count: classCount } = assignClasses(literals);
  const states = buildStates(literals, classOfSymbol, (count) => assertFit(count * minStateBytes));
  const runClass = classOfSymbol(runSymbol);
  const width = Math.min(rowWidth, classCount);
  const denseCount = Math.max(1, Math.min(states.count, Math.floor(denseEntries / width), byEdges));
  const rows = fillRows(states, runClass, width, denseCount);
  return { ...states, ...packEdges(states, classCount), classOfUnit, classCount, runClass, rows, denseCount };
}

/** The automaton of these tables. */
export function openAutomaton(tables: AutomatonTables): Automaton {
  const { classOfUnit, classCount, runClass, rows, denseCount } = tables;
  const states: States = tables;
  const edges: DoubleArray = tables;
  const width = Math.min(rowWidth, classCount);
  const { own, link, groupStart, groupLiterals } = states;
  // Where a walk over edges ended.
  let resumeAt = 0;

  function emit(from: number, end: number, visit: HitVisitor): void {
    for (let state = from; state > 0; state = link[state] ?? 0) {
      const group = own[state] ?? -1;
      if (group < 0) continue;
      const last = groupStart[group + 1] ?? 0;
      for (let i = groupStart[group] ?? 0; i < last; i++) visit(groupLiterals[i] ?? 0, end);
    }
  }

  // Follows edges, for at least one character, until it reaches a state with a row. Returns that state.
  function walk(text: string, from: number, at: number, visit: HitVisitor): number {
    let state = from;
    let i = at;
    do {
      state = step(states, edges, state, classOfUnit[text.charCodeAt(i++)] ?? otherClass, runClass);
      if (endsLiteral(states, state)) emit(state, i, visit);
    } while (state >= denseCount && i < text.length);
    resumeAt = i;
    return state;
  }

  function scan(text: string, visit: HitVisitor, start?: ScanStart): number {
    if (states.count === 1) return 0;
    const classes = classOfUnit;
    const table = rows;
    const { length } = text;
    let state = start === undefined ? 0 : start.state;
    for (let i = start === undefined ? 0 : start.from; i < length; ) {
      const cls = classes[text.charCodeAt(i)] ?? 0;
      if (cls < width && state < denseCount) {
        const next = table[state * width + cls] ?? 0;
        if (next !== byEdges) {
          state = next;
          i++;
          continue;
        }
      }
      state = walk(text, state, i, visit);
      i = resumeAt;
    }
    return state;
  }

  return { scan, states, stateCount: states.count, classCount, denseCount };
}

export interface Classes {
  readonly classOfUnit: Uint8Array;
  readonly classOfSymbol: (symbol: number) => number;
  readonly count: number;
}

// The most frequent symbols get classes of their own. The others share buckets, which only adds hits that a comparison
// rejects.
export function assignClasses(literals: readonly string[]): Classes {
  const symbols = symbolsByFrequency(literals);
  const crowded = symbols.length > classLimit - 2;
  const ownCount = crowded ? ownClassLimit : symbols.length;
  const bucketCount = classLimit - 2 - ownCount;
  const classes = new Uint8Array(65536).fill(otherClass);
  classes[spaceUnit] = spaceClass;
  symbols.forEach((symbol, rank) => {
    classes[symbol] = 2 + (rank < ownCount ? rank : ownCount + (rank % bucketCount));
  });
  const classOfSymbol = (symbol: number): number => classes[symbol] ?? otherClass;
  const classOfUnit = classes.slice();
  for (const unit of foldedUnits) classOfUnit[unit] = classOfSymbol(automatonFold(unit));
  const count = crowded ? classLimit : 2 + symbols.length;
  return { classOfUnit, classOfSymbol, count };
}

// Text is mostly ASCII even where literals are not, so ASCII symbols come first.
function symbolsByFrequency(literals: readonly string[]): number[] {
  const frequency = new Uint32Array(65536);
  const symbols: number[] = [];
  for (const literal of literals) {
    for (let i = 0; i < literal.length; i++) {
      const symbol = literal.charCodeAt(i);
      const count = frequency[symbol] ?? 0;
      if (count === 0 && symbol !== spaceUnit) symbols.push(symbol);
      frequency[symbol] = count + 1;
    }
  }
  const foreign = (symbol: number): number => (symbol < 0x80 ? 0 : 1);
  const countOf = (symbol: number): number => frequency[symbol] ?? 0;
  return symbols.sort((a, b) => foreign(a) - foreign(b) || countOf(b) - countOf(a) || a - b);
}

// An entry is the next state, unless that state has no row or a literal ends in it: then the edges lead there.
function fillRows(states: States, runClass: number, width: number, denseCount: number): Uint16Array {
  const rows = new Uint16Array(denseCount * width);
  const entryOf = (state: number): number => (state >= denseCount || endsLiteral(states, state) ? byEdges : state);
  for (let state = 0; state < denseCount; state++) {
    const row = state * width;
    const back = (states.fail[state] ?? 0) * width;
    if (state > 0) rows.copyWithin(row, back, back + width);
    const end = states.childStart[state + 1] ?? 0;
    for (let child = states.childStart[state] ?? 0; child < end; child++) {
      const cls = states.cls[child] ?? 0;
      if (cls < width) rows[row + cls] = entryOf(child);
    }
    // Another white space or "s" changes nothing: a run of it counts as one.
    const own = states.cls[state] ?? otherClass;
    if (state > 0 && own < width && isRun(own, runClass)) rows[row + own] = entryOf(state);
  }
  return rows;
}

function isRun(cls: number, runClass: number): boolean {
  return cls === spaceClass || (cls === runClass && cls !== otherClass);
}

function step(
  { cls: classOf, fail }: States,
  { base, owner, target }: DoubleArray,
  from: number,
  cls: number,
  runClass: number,
): number {
  if (from > 0 && cls === classOf[from] && isRun(cls, runClass)) return from;
  for (let state = from; ; state = fail[state] ?? 0) {
    const slot = (base[state] ?? 0) + cls;
    if (owner[slot] === state) return target[slot] ?? 0;
    if (state === 0) return 0;
  }
}

function endsLiteral({ own, link }: States, state: number): boolean {
  return (own[state] ?? -1) >= 0 || (link[state] ?? 0) !== 0;
}

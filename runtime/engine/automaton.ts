// One Aho–Corasick automaton over all literals of a bundle (A. Aho, M. Corasick, "Efficient string matching", CACM 18(6), 1975).
// Code units are folded by a table of 65,536 entries to at most 256 classes: case, look-alikes and white space cost nothing at run
// time, and a run of white space counts as one. The states nearest to the root have dense rows in one Int32Array; states beyond a
// memory budget keep their edges and failure links, so 10,000 long keywords stay affordable and the scan stays linear.
// The folding over-approximates: a hit says "look here", the caller compares.

import { foldedUnits, gateFold, spaceUnit } from "./fold.ts";
import { buildStates, childState, type States } from "./trie.ts";

/** Told of each occurrence: the index of the literal, and the offset behind its last code unit. */
export type HitVisitor = (literal: number, end: number) => void;

/** The compiled automaton. */
export interface Automaton {
  /** Visits all occurrences of all literals, ordered by their end. */
  readonly scan: (text: string, visit: HitVisitor) => void;
  readonly stateCount: number;
  readonly classCount: number;
  /** States with a dense row. */
  readonly denseCount: number;
}

/** Entries of dense rows, 16 MiB of them. */
const defaultDenseEntries = 4 << 20;
const otherClass = 0;
const spaceClass = 1;
const ownClassLimit = 190;
const classLimit = 256;

/**
 * Builds the automaton. Literals are folded by `gateFold`, not empty, without white space at their ends and without runs of it.
 * A literal's index is its position in the list.
 */
export function buildAutomaton(literals: readonly string[], denseEntries = defaultDenseEntries): Automaton {
  const { classOfUnit, classOfSymbol, count: width } = assignClasses(literals);
  const states = buildStates(literals, classOfSymbol);
  const denseCount = Math.max(1, Math.min(states.count, Math.floor(denseEntries / width)));
  const rows = fillRows(states, width, denseCount);
  const { own, link, groups } = states;

  function emit(from: number, end: number, visit: HitVisitor): void {
    for (let state = from; state > 0; state = link[state] ?? 0) {
      const group = own[state] ?? -1;
      if (group >= 0) for (const literal of groups[group] ?? []) visit(literal, end);
    }
  }

  /** Goes on from a state without a row until one with a row is reached. Returns it, and the offset in `resumeAt`. */
  let resumeAt = 0;
  function scanSparse(text: string, from: number, at: number, visit: HitVisitor): number {
    let state = from;
    let i = at;
    while (state >= denseCount && i < text.length) {
      const cls = classOfUnit[text.charCodeAt(i++)] ?? otherClass;
      state = sparseStep(states, rows, width, denseCount, state, cls);
      if (endsLiteral(states, state)) emit(state, i, visit);
    }
    resumeAt = i;
    return state;
  }

  function scan(text: string, visit: HitVisitor): void {
    if (states.count === 1) return;
    const classes = classOfUnit;
    const table = rows;
    const { length } = text;
    let row = 0;
    for (let i = 0; i < length; ) {
      const next = table[row + (classes[text.charCodeAt(i++)] ?? 0)] ?? 0;
      if (next >= 0) {
        row = next;
        continue;
      }
      let state = ~next >> 1;
      if ((~next & 1) === 1) emit(state, i, visit);
      if (state >= denseCount) {
        state = scanSparse(text, state, i, visit);
        i = resumeAt;
      }
      row = state * width;
    }
  }

  return { scan, stateCount: states.count, classCount: width, denseCount };
}

interface Classes {
  readonly classOfUnit: Uint8Array;
  readonly classOfSymbol: (symbol: number) => number;
  readonly count: number;
}

// The commonest symbols get classes of their own; the rest share buckets, which only adds hits that a comparison refuses.
function assignClasses(literals: readonly string[]): Classes {
  const symbols = symbolsByFrequency(literals);
  const crowded = symbols.length > classLimit - 2;
  const ownCount = crowded ? ownClassLimit : symbols.length;
  const bucketCount = classLimit - 2 - ownCount;
  const classes = new Map<number, number>([[spaceUnit, spaceClass]]);
  symbols.forEach((symbol, rank) => {
    classes.set(symbol, 2 + (rank < ownCount ? rank : ownCount + (rank % bucketCount)));
  });
  const classOfUnit = new Uint8Array(65536);
  for (const [symbol, cls] of classes) classOfUnit[symbol] = cls;
  for (const unit of foldedUnits) classOfUnit[unit] = classes.get(gateFold(unit)) ?? otherClass;
  const count = crowded ? classLimit : 2 + symbols.length;
  return { classOfUnit, classOfSymbol: (symbol) => classes.get(symbol) ?? otherClass, count };
}

function symbolsByFrequency(literals: readonly string[]): number[] {
  const frequency = new Map<number, number>();
  for (const literal of literals) {
    for (let i = 0; i < literal.length; i++) {
      const symbol = literal.charCodeAt(i);
      frequency.set(symbol, (frequency.get(symbol) ?? 0) + 1);
    }
  }
  frequency.delete(spaceUnit);
  return [...frequency].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([symbol]) => symbol);
}

// An entry is the offset of the next state's row. When that state has no row, or literals end in it, the entry is negative: the complement
// of the state times two, plus one when literals end there.
function fillRows(states: States, width: number, denseCount: number): Int32Array {
  const rows = new Int32Array(denseCount * width);
  const entryOf = (state: number): number => {
    const ends = endsLiteral(states, state);
    return ends || state >= denseCount ? ~((state << 1) | (ends ? 1 : 0)) : state * width;
  };
  for (let state = 0; state < denseCount; state++) {
    const row = state * width;
    if (state > 0) rows.copyWithin(row, (states.fail[state] ?? 0) * width, ((states.fail[state] ?? 0) + 1) * width);
    const end = states.childStart[state + 1] ?? 0;
    for (let child = states.childStart[state] ?? 0; child < end; child++)
      rows[row + (states.cls[child] ?? 0)] = entryOf(child);
    // A further white space changes nothing: runs of it count as one.
    if (states.cls[state] === spaceClass) rows[row + spaceClass] = entryOf(state);
  }
  return rows;
}

function sparseStep(
  states: States,
  rows: Int32Array,
  width: number,
  denseCount: number,
  from: number,
  cls: number,
): number {
  if (cls === spaceClass && states.cls[from] === spaceClass) return from;
  let state = from;
  while (state >= denseCount) {
    const child = childState(states, state, cls);
    if (child >= 0) return child;
    state = states.fail[state] ?? 0;
  }
  const entry = rows[state * width + cls] ?? 0;
  return entry >= 0 ? entry / width : ~entry >> 1;
}

function endsLiteral({ own, link }: States, state: number): boolean {
  return (own[state] ?? -1) >= 0 || (link[state] ?? 0) !== 0;
}

// The states of a lazy automaton over the programs of some patterns. A state is built when a text first needs it, and
// is a row of one Int32Array that is indexed by state and class.
//
// A text can be written so that every character needs a new state, which costs far more than a look-up. So building is
// charged to the budget of the scan. When the budget is used up, the caller continues with an engine that needs no
// states.

import { type Alphabet, type AlphabetTables, alphabetTables, kinds } from "./alphabet.ts";
import { conditions, type Program } from "./program.ts";
import { type DfaMemory, StateTable, unknown } from "./state-table.ts";

/** The work that building states may still cost in one scan, in visited instructions. */
export interface BuildBudget {
  left: number;
}

/**
 * Bits of an entry. `accepts`: the step completes a match. `isFresh`: after the step no match that began earlier is in
 * progress. The bits above them are the next state.
 */
export const accepts = 1;
/** See `accepts`. */
export const isFresh = 2;

interface State {
  /** Instructions that consume a character. */
  readonly runes: Int32Array;
  /** Instructions with a condition that only the next character decides. */
  readonly pending: Int32Array;
  /** Kind of the character before. */
  readonly before: number;
}

const none: readonly number[] = [];
const emptyState: State = { runes: new Int32Array(0), pending: new Int32Array(0), before: 0 };

/** The tables that a lazy automaton starts with. Arrays only, so that another thread can build them. */
export interface DfaTables {
  readonly alphabet: AlphabetTables;
  readonly machine: Machine;
}

/** Several programs as one: the instructions of all, renumbered. */
export interface Machine {
  readonly kind: Uint8Array;
  readonly next: Int32Array;
  readonly other: Int32Array;
  readonly condition: Uint8Array;
  /** The pattern that an accepting instruction belongs to. */
  readonly pattern: Int32Array;
  readonly starts: Int32Array;
}

/** The tables of these programs; undefined when their alphabet has too many classes. */
export function dfaTables(programs: readonly Program[]): DfaTables | undefined {
  const alphabet = alphabetTables(programs.flatMap(({ code }) => code));
  return alphabet === undefined ? undefined : { alphabet, machine: machineOf(programs) };
}

/** Stands for the conditions that hold, while they are unknown. */
const undecided = -1;

/** Kinds of instructions of a machine. */
export const nodeKinds = { rune: 0, split: 1, skip: 2, ask: 3, match: 4, fail: 5 } as const;

/** The states of an automaton. */
export class DfaStates {
  readonly #rows: StateTable<State>;
  readonly #machine: Machine;
  readonly #alphabet: Alphabet;
  /** The patterns that a step accepts, by its index in the table. */
  #accepted = new Map<number, readonly number[]>();
  readonly #marks: Int32Array;
  #mark = 0;
  #work = 0;
  /** The first state, by the kind of the character before. */
  readonly #begins = [unknown, unknown, unknown, unknown];

  constructor(machine: Machine, alphabet: Alphabet, memory: DfaMemory) {
    this.#rows = new StateTable(alphabet.size + 1, memory);
    this.#machine = machine;
    this.#alphabet = alphabet;
    this.#marks = new Int32Array(machine.kind.length);
  }

  /** Entries by state and class. The array is replaced when states are added. */
  get table(): Int32Array {
    return this.#rows.table;
  }

  /** Entries of a state. The last entry is for the end of the text. */
  get width(): number {
    return this.#rows.width;
  }

  /** Increased each time all states are discarded. */
  get generation(): number {
    return this.#rows.generation;
  }

  /** Bytes of the states, about. */
  get sizeBytes(): number {
    return this.#rows.sizeBytes;
  }

  /** The patterns that the step at this index of the table accepts. */
  acceptedAt(index: number): readonly number[] {
    return this.#accepted.get(index) ?? none;
  }

  /** The first state, by the kind of the character before. */
  begin(before: number): number {
    let state = this.#begins[before] ?? unknown;
    if (state === unknown) {
      this.#mark++;
      state = this.#stateOf(this.#machine.starts, before, []);
      this.#begins[before] = state;
    }
    return state;
  }

  /**
   * Takes one step: decides the conditions that depend on the next character, then consumes it. The class after the
   * last one stands for the end of the text. Returns the entry of the table, or `unknown` when the budget is used up.
   */
  step(from: number, cls: number, budget: BuildBudget, found: Set<number> | undefined): number {
    if (budget.left <= 0) return unknown;
    const { size, kindOf, taken } = this.#alphabet;
    const { starts } = this.#machine;
    const isEnd = cls === size;
    const kind = isEnd ? kinds.edge : (kindOf[cls] ?? 0);
    const { runes, pending, before } = this.#rows.at(from) ?? emptyState;
    const accepted: number[] = [];
    const ready = [...runes];
    if (pending.length > 0) this.#settle(pending, conditionsBetween(before, kind), ready, accepted);
    const targets: number[] = [];
    let isOver = true;
    if (!isEnd) {
      for (const node of ready) if (taken[node]?.[cls] === 1) targets.push(this.#machine.next[node] ?? 0);
      isOver = targets.length === 0;
      for (const node of starts) targets.push(node);
    }
    this.#work += ready.length;
    // A full table is discarded together with the state that this step leaves, so the step is not stored.
    const { isFull } = this.#rows;
    if (isFull) this.#clear();
    this.#mark++;
    const next = this.#stateOf(targets, kind, accepted);
    const entry = (next << 2) | (accepted.length > 0 ? accepts : 0) | (isOver ? isFresh : 0);
    for (const pattern of accepted) found?.add(pattern);
    if (!isFull) {
      const index = from * this.width + cls;
      this.#rows.table[index] = entry;
      if (accepted.length > 0) this.#accepted.set(index, accepted);
    }
    budget.left -= this.#work;
    this.#work = 0;
    return entry;
  }

  // Continues from pending instructions whose condition holds.
  #settle(pending: Int32Array, holds: number, ready: number[], accepted: number[]): void {
    const { condition } = this.#machine;
    this.#mark++;
    for (const node of ready) this.#marks[node] = this.#mark;
    const work: number[] = [];
    for (const node of pending) if (((condition[node] ?? 0) & ~holds) === 0) work.push(this.#machine.next[node] ?? 0);
    this.#close(work, holds, ready, [], accepted);
  }

  // Follows all instructions that consume nothing. An instruction with a condition stays pending while the conditions
  // are unknown.
  #close(work: number[], holds: number, runes: number[], pending: number[], accepted: number[]): void {
    const { kind, next, other, condition, pattern } = this.#machine;
    const marks = this.#marks;
    const mark = this.#mark;
    for (let node = work.pop(); node !== undefined; node = work.pop()) {
      if (marks[node] === mark) continue;
      marks[node] = mark;
      this.#work++;
      switch (kind[node]) {
        case nodeKinds.rune:
          runes.push(node);
          break;
        case nodeKinds.split:
          work.push(other[node] ?? 0, next[node] ?? 0);
          break;
        case nodeKinds.skip:
          work.push(next[node] ?? 0);
          break;
        case nodeKinds.ask:
          if (holds === undecided) pending.push(node);
          else if (((condition[node] ?? 0) & ~holds) === 0) work.push(next[node] ?? 0);
          break;
        case nodeKinds.match:
          if (!accepted.includes(pattern[node] ?? 0)) accepted.push(pattern[node] ?? 0);
      }
    }
  }

  #stateOf(targets: Iterable<number>, before: number, accepted: number[]): number {
    const runes: number[] = [];
    const pending: number[] = [];
    this.#close([...targets], undecided, runes, pending, accepted);
    const sortedRunes = Int32Array.from(runes).sort();
    const sortedPending = Int32Array.from(pending).sort();
    const beforeKind = pending.length === 0 ? 0 : before;
    const key = `${beforeKind}|${keyOfNumbers(sortedRunes)}|${keyOfNumbers(sortedPending)}`;
    return (
      this.#rows.find(key) ??
      this.#rows.add(
        key,
        { runes: sortedRunes, pending: sortedPending, before: beforeKind },
        runes.length + pending.length,
      )
    );
  }

  #clear(): void {
    this.#rows.clear();
    this.#accepted = new Map();
    this.#begins.fill(unknown);
  }
}

function machineOf(programs: readonly Program[]): Machine {
  const code = programs.flatMap((program) => program.code);
  const machine = {
    kind: new Uint8Array(code.length),
    next: new Int32Array(code.length),
    other: new Int32Array(code.length),
    condition: new Uint8Array(code.length),
    pattern: new Int32Array(code.length),
    starts: new Int32Array(programs.length),
  };
  let base = 0;
  programs.forEach((program, pattern) => {
    machine.starts[pattern] = base + program.start;
    program.code.forEach(({ step, next, condition }, index) => {
      const node = base + index;
      machine.kind[node] = step === "skip" && condition !== 0 ? nodeKinds.ask : nodeKinds[step];
      machine.next[node] = base + (next[0] ?? 0);
      machine.other[node] = base + (next[1] ?? 0);
      machine.condition[node] = condition;
      machine.pattern[node] = pattern;
    });
    base += program.code.length;
  });
  return machine;
}

/**
 * The conditions that hold between two characters of these kinds. Between "a" (word) and " " (other) it is a word
 * boundary.
 */
export function conditionsBetween(before: number, after: number): number {
  let holds: number =
    (before === kinds.word) === (after === kinds.word) ? conditions.noWordBoundary : conditions.wordBoundary;
  if (before === kinds.edge) holds |= conditions.beginText | conditions.beginLine;
  if (before === kinds.newline) holds |= conditions.beginLine;
  if (after === kinds.edge) holds |= conditions.endText | conditions.endLine;
  if (after === kinds.newline) holds |= conditions.endLine;
  return holds;
}

/**
 * A key made of numbers: their bytes as they are. For building states this is twenty times as fast as a list of
 * character codes.
 */
export function keyOfNumbers({ buffer, byteOffset, byteLength }: Int32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf16le");
}

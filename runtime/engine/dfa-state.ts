// The states of a lazy automaton over the programs of some patterns, made one by one as a text asks for them. They are rows of one
// Int32Array that is indexed by state and class.
//
// Text can be written so that every character needs a new state, each of which costs far more than a look-up. So the work of building is
// charged to the budget of the scan; when that is used up, the caller goes on with an engine that needs no states.

import { type Alphabet, type AlphabetTables, alphabetTables, kinds } from "./alphabet.ts";
import { conditions, type Program } from "./program.ts";
import { type DfaMemory, StateTable, unknown } from "./state-table.ts";

/** What building states may still cost in one scan, in visited instructions. */
export interface BuildBudget {
  left: number;
}

/** Bits of an entry: whether the step completes a match, and whether it ends every way that was begun before. Above them is the state that follows. */
export const accepts = 1;
/** The other of the two. */
export const isFresh = 2;

interface State {
  /** Instructions that take a character. */
  readonly runes: Int32Array;
  /** Instructions behind which it depends on the next character whether the way goes on. */
  readonly pending: Int32Array;
  /** Kind of the character before. */
  readonly before: number;
}

const none: readonly number[] = [];
const emptyState: State = { runes: new Int32Array(0), pending: new Int32Array(0), before: 0 };

/** What a lazy automaton begins with. Arrays only, so that another thread can have made them. */
export interface DfaTables {
  readonly alphabet: AlphabetTables;
  readonly machine: Machine;
}

/** Programs side by side: the instructions of all, renumbered. */
export interface Machine {
  readonly kind: Uint8Array;
  readonly next: Int32Array;
  readonly other: Int32Array;
  readonly condition: Uint8Array;
  /** Which pattern an instruction that accepts belongs to. */
  readonly pattern: Int32Array;
  readonly starts: Int32Array;
}

/** The tables of these programs; undefined when they tell too many characters apart. */
export function dfaTables(programs: readonly Program[]): DfaTables | undefined {
  const alphabet = alphabetTables(programs.flatMap(({ code }) => code));
  return alphabet === undefined ? undefined : { alphabet, machine: machineOf(programs) };
}

/** In place of the conditions that hold, while they are not known. */
const undecided = -1;

/** What an instruction of a machine does. */
export const does = { rune: 0, split: 1, skip: 2, ask: 3, match: 4, fail: 5 } as const;

/** The states of an automaton. */
export class DfaStates {
  readonly #rows: StateTable<State>;
  readonly #machine: Machine;
  readonly #alphabet: Alphabet;
  /** Patterns that a step accepts, by its place in the table. */
  #accepted = new Map<number, readonly number[]>();
  readonly #marks: Int32Array;
  #mark = 0;
  #work = 0;
  /** The first state by the kind of the character before. */
  readonly #begins = [unknown, unknown, unknown, unknown];

  constructor(machine: Machine, alphabet: Alphabet, memory: DfaMemory) {
    this.#rows = new StateTable(alphabet.size + 1, memory);
    this.#machine = machine;
    this.#alphabet = alphabet;
    this.#marks = new Int32Array(machine.kind.length);
  }

  /** Entries by state and class. It is another array when states were added. */
  get table(): Int32Array {
    return this.#rows.table;
  }

  /** Entries of a state. The last is that for the end of the text. */
  get width(): number {
    return this.#rows.width;
  }

  /** Raised when all states are thrown away. */
  get generation(): number {
    return this.#rows.generation;
  }

  /** Bytes of the states, about. */
  get sizeBytes(): number {
    return this.#rows.sizeBytes;
  }

  /** The patterns that the step at a place of the table accepts. */
  acceptedAt(place: number): readonly number[] {
    return this.#accepted.get(place) ?? none;
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
   * One step: the conditions that the next character settles, then the character itself. The last class is the end of the text. Answers
   * the entry of the table, or `unknown` when the budget is used up.
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
    if (pending.length > 0) this.#settle(pending, holding(before, kind), ready, accepted);
    const targets: number[] = [];
    let isOver = true;
    if (!isEnd) {
      for (const node of ready) if (taken[node]?.[cls] === 1) targets.push(this.#machine.next[node] ?? 0);
      isOver = targets.length === 0;
      for (const node of starts) targets.push(node);
    }
    this.#work += ready.length;
    // A full table is thrown away, and with it the state from which this step leads: it is not kept.
    const { isFull } = this.#rows;
    if (isFull) this.#clear();
    this.#mark++;
    const next = this.#stateOf(targets, kind, accepted);
    const entry = (next << 2) | (accepted.length > 0 ? accepts : 0) | (isOver ? isFresh : 0);
    for (const pattern of accepted) found?.add(pattern);
    if (!isFull) {
      const place = from * this.width + cls;
      this.#rows.table[place] = entry;
      if (accepted.length > 0) this.#accepted.set(place, accepted);
    }
    budget.left -= this.#work;
    this.#work = 0;
    return entry;
  }

  // Goes on from pending instructions whose condition holds.
  #settle(pending: Int32Array, holds: number, ready: number[], accepted: number[]): void {
    const { condition } = this.#machine;
    this.#mark++;
    for (const node of ready) this.#marks[node] = this.#mark;
    const work: number[] = [];
    for (const node of pending) if (((condition[node] ?? 0) & ~holds) === 0) work.push(this.#machine.next[node] ?? 0);
    this.#close(work, holds, ready, [], accepted);
  }

  // Follows everything that takes no character. What asks for a condition is pending, unless the answer is known.
  #close(work: number[], holds: number, runes: number[], pending: number[], accepted: number[]): void {
    const { kind, next, other, condition, pattern } = this.#machine;
    const marks = this.#marks;
    const mark = this.#mark;
    for (let node = work.pop(); node !== undefined; node = work.pop()) {
      if (marks[node] === mark) continue;
      marks[node] = mark;
      this.#work++;
      switch (kind[node]) {
        case does.rune:
          runes.push(node);
          break;
        case does.split:
          work.push(other[node] ?? 0, next[node] ?? 0);
          break;
        case does.skip:
          work.push(next[node] ?? 0);
          break;
        case does.ask:
          if (holds === undecided) pending.push(node);
          else if (((condition[node] ?? 0) & ~holds) === 0) work.push(next[node] ?? 0);
          break;
        case does.match:
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
    const key = `${beforeKind}|${codes(sortedRunes)}|${codes(sortedPending)}`;
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
      machine.kind[node] = step === "skip" && condition !== 0 ? does.ask : does[step];
      machine.next[node] = base + (next[0] ?? 0);
      machine.other[node] = base + (next[1] ?? 0);
      machine.condition[node] = condition;
      machine.pattern[node] = pattern;
    });
    base += program.code.length;
  });
  return machine;
}

/** Which conditions hold between two characters, given their kinds. */
export function holding(before: number, after: number): number {
  let holds: number =
    (before === kinds.word) === (after === kinds.word) ? conditions.noWordBoundary : conditions.wordBoundary;
  if (before === kinds.edge) holds |= conditions.beginText | conditions.beginLine;
  if (before === kinds.newline) holds |= conditions.beginLine;
  if (after === kinds.edge) holds |= conditions.endText | conditions.endLine;
  if (after === kinds.newline) holds |= conditions.endLine;
  return holds;
}

/** A key of numbers: their bytes as they are, which for building states is twenty times as fast as a list of character codes. */
export function codes({ buffer, byteOffset, byteLength }: Int32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf16le");
}

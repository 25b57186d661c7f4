// The states of a lazy automaton over the programs of some patterns. A state is built when a text first needs it, and
// is a row of one array that is indexed by state and class.
//
// A text can be written so that every character needs a new state, which costs far more than a look-up. So building is
// charged to the budget of the scan. When the budget is used up, the caller continues with an engine that needs no
// states.

import { type Alphabet, type AlphabetTables, alphabetTables, kinds } from "./alphabet.ts";
import { conditions, type Program } from "./program.ts";
import { type DfaMemory, StateTable, unknown } from "./state-table.ts";
import { type NodeList, roomFor, type StepRoom } from "./step-room.ts";

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

const none: readonly number[] = [];

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
  /**
   * The content of a state: the kind of the character before if it matters, the number of instructions that consume a
   * character, these, and the instructions with a condition that only the next character decides.
   */
  readonly #rows: StateTable;
  readonly #machine: Machine;
  readonly #alphabet: Alphabet;
  /** The patterns that a step accepts, by its index in the table. */
  #accepted = new Map<number, readonly number[]>();
  readonly #room: StepRoom;
  #mark = 0;
  #work = 0;
  /** What the beginnings of the patterns lead to, in ascending order. */
  readonly #startRunes: Int32Array;
  readonly #startPending: Int32Array;
  /** The first state, by the kind of the character before. */
  readonly #begins = [unknown, unknown, unknown, unknown];

  constructor(machine: Machine, alphabet: Alphabet, memory: DfaMemory) {
    this.#rows = new StateTable(alphabet.size + 1, memory);
    this.#machine = machine;
    this.#alphabet = alphabet;
    this.#room = roomFor(machine.kind.length);
    this.#reachNone();
    for (const node of machine.starts) this.#follow(node, undecided, this.#room.runes, []);
    const { runes, pending } = this.#room;
    this.#startRunes = runes.nodes.slice(0, runes.count).sort();
    this.#startPending = pending.nodes.slice(0, pending.count).sort();
  }

  /** Entries by state and class. The array is replaced when states are added. */
  get table(): Uint16Array {
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
      this.#reachNone();
      state = this.#stateWithStarts(before);
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
    const isEnd = cls === this.#alphabet.size;
    const kind = isEnd ? kinds.edge : (this.#alphabet.kindOf[cls] ?? 0);
    const accepted: number[] = [];
    this.#prepare(from, kind, accepted);
    const isOver = isEnd || !this.#consume(cls, accepted);
    // A full table is discarded together with the state that this step leaves, so the step is not stored.
    const { isFull } = this.#rows;
    if (isFull) this.#clear();
    const next = isOver ? this.begin(kind) : this.#stateWithStarts(kind);
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

  // Finds the instructions of a state that consume the next character, which is of this kind.
  #prepare(state: number, kind: number, accepted: number[]): void {
    const { contents } = this.#rows;
    const start = this.#rows.startOf(state);
    const end = this.#rows.endOf(state);
    const { ready, marks } = this.#room;
    const pendingAt = start + 2 + (contents[start + 1] ?? 0);
    ready.count = 0;
    for (let i = start + 2; i < pendingAt; i++) ready.nodes[ready.count++] = contents[i] ?? 0;
    if (pendingAt < end) {
      const holds = conditionsBetween(contents[start] ?? 0, kind);
      const { condition, next } = this.#machine;
      this.#mark = this.#room.nextMark();
      for (let i = 0; i < ready.count; i++) marks[ready.nodes[i] ?? 0] = this.#mark;
      for (let i = pendingAt; i < end; i++) {
        const node = contents[i] ?? 0;
        if (((condition[node] ?? 0) & ~holds) === 0) this.#follow(next[node] ?? 0, holds, ready, accepted);
      }
    }
    this.#work += ready.count;
  }

  #reachNone(): void {
    this.#mark = this.#room.nextMark();
    this.#room.runes.count = 0;
    this.#room.pending.count = 0;
  }

  // Consumes a character of this class. Returns false when no instruction does.
  #consume(cls: number, accepted: number[]): boolean {
    const { taken } = this.#alphabet;
    const { next } = this.#machine;
    const { ready, runes } = this.#room;
    const { nodes, count } = ready;
    this.#reachNone();
    let consumes = false;
    for (let i = 0; i < count; i++) {
      const node = nodes[i] ?? 0;
      if (taken[node]?.[cls] !== 1) continue;
      consumes = true;
      this.#follow(next[node] ?? 0, undecided, runes, accepted);
    }
    return consumes;
  }

  // Follows all instructions that consume nothing, to those that do. An instruction with a condition stays pending
  // while the conditions are unknown.
  #follow(first: number, holds: number, runes: NodeList, accepted: number[]): void {
    const { kind, next, other, condition, pattern } = this.#machine;
    const { marks, stack, pending } = this.#room;
    const mark = this.#mark;
    stack[0] = first;
    for (let height = 1; height > 0; ) {
      const node = stack[--height] ?? 0;
      if (marks[node] === mark) continue;
      marks[node] = mark;
      this.#work++;
      switch (kind[node]) {
        case nodeKinds.rune:
          runes.nodes[runes.count++] = node;
          break;
        case nodeKinds.split:
          stack[height++] = other[node] ?? 0;
          stack[height++] = next[node] ?? 0;
          break;
        case nodeKinds.skip:
          stack[height++] = next[node] ?? 0;
          break;
        case nodeKinds.ask:
          if (holds === undecided) pending.nodes[pending.count++] = node;
          else if (((condition[node] ?? 0) & ~holds) === 0) stack[height++] = next[node] ?? 0;
          break;
        case nodeKinds.match:
          if (!accepted.includes(pattern[node] ?? 0)) accepted.push(pattern[node] ?? 0);
      }
    }
  }

  // The state of the instructions that were reached and of those with which the patterns begin.
  #stateWithStarts(before: number): number {
    const { content, runes, pending } = this.#room;
    const runeEnd = this.#merge(runes, this.#startRunes, 2);
    const end = this.#merge(pending, this.#startPending, runeEnd);
    content[0] = end === runeEnd ? 0 : before;
    content[1] = runeEnd - 2;
    return this.#rows.stateOf(content, end);
  }

  // Writes both lists into the content in ascending order, from an index on, and returns the index after them.
  #merge({ nodes, count }: NodeList, starts: Int32Array, from: number): number {
    const { content, marks } = this.#room;
    sortStart(nodes, count);
    this.#work += starts.length;
    let at = from;
    let place = 0;
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i] ?? 0;
      if (marks[start] === this.#mark) continue;
      while (place < count && (nodes[place] ?? 0) < start) content[at++] = nodes[place++] ?? 0;
      content[at++] = start;
    }
    while (place < count) content[at++] = nodes[place++] ?? 0;
    return at;
  }

  #clear(): void {
    this.#rows.clear();
    this.#accepted = new Map();
    this.#begins.fill(unknown);
  }
}

const insertedAtMost = 32;

// Sorts the first numbers of an array. Most lists are short or nearly in order.
function sortStart(numbers: Int32Array, count: number): void {
  if (count > insertedAtMost) {
    numbers.subarray(0, count).sort();
    return;
  }
  for (let i = 1; i < count; i++) {
    const number = numbers[i] ?? 0;
    let place = i;
    for (; place > 0 && (numbers[place - 1] ?? 0) > number; place--) numbers[place] = numbers[place - 1] ?? 0;
    numbers[place] = number;
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

// A deterministic automaton that knows priorities: it says where the match ends that begins at a given offset, as a
// backtracking engine would find it. Its states are instructions in the order of their priority; those of lower
// priority than an accepting one are left out (leftmost-first matching in R. Cox, "Regular Expression Matching in the
// Wild", https://swtch.com/~rsc/regexp/regexp3.html).

import { type Alphabet, kindBefore, kinds, openAlphabet } from "./alphabet.ts";
import {
  type BuildBudget,
  conditionsBetween,
  type DfaTables,
  keyOfNumbers,
  type Machine,
  nodeKinds,
} from "./dfa-state.ts";
import { type DfaMemory, StateTable, unknown } from "./state-table.ts";

/** No match begins at that offset. */
export const noEnd = -1;
/** The end is unknown: the budget or the limit of reading is used up. */
export const unknownEnd = -2;

/** Bit of an entry: a match ends before the character. The bits above it are the next state. */
const accepts = 1;
/** Stands for the conditions that hold, while they are unknown. */
const undecided = -1;

interface State {
  /**
   * By priority: instructions that consume a character or accept. If any of them has a condition, the instructions that
   * lead to all of them instead.
   */
  readonly nodes: Int32Array;
  /** Kind of the character before. */
  readonly before: number;
}

const emptyState: State = { nodes: new Int32Array(0), before: 0 };

/** Limits of a search for an end. */
export interface EndLimits {
  /** The work that building states may cost. */
  readonly budget: BuildBudget;
  /** Units that may still be read; the search subtracts what it reads. */
  readonly reading: { left: number };
}

/** The automaton of one pattern, which must not match the empty text. */
export class PriorityDfa {
  readonly #machine: Machine;
  readonly #alphabet: Alphabet;
  readonly #rows: StateTable<State>;
  readonly #marks: Int32Array;
  #mark = 0;
  #work = 0;
  /** The first state by the kind of the character before. */
  readonly #begins: number[] = [];

  constructor({ alphabet, machine }: DfaTables, memory: DfaMemory) {
    this.#machine = machine;
    this.#alphabet = openAlphabet(alphabet);
    this.#rows = new StateTable(alphabet.size + 1, memory);
    this.#marks = new Int32Array(machine.kind.length);
  }

  /**
   * Where the match ends that begins at `at`; noEnd or unknownEnd. The part is treated as a whole text. In "ab" at 0
   * the answer is 1 for `a|ab` and 2 for `ab|a`.
   */
  endOf(
    text: string,
    { from, at, to }: { readonly from: number; readonly at: number; readonly to: number },
    { budget, reading }: EndLimits,
  ): number {
    const { pageOf, pages, size, classOfPoint } = this.#alphabet;
    const width = size + 1;
    const last = Math.min(to, at + reading.left);
    let state = this.#begin(kindBefore(this.#alphabet, text, from, at));
    let { table } = this.#rows;
    let end = noEnd;
    let i = at;
    while (state >= 0 && i < last) {
      const start = i;
      const unit = text.charCodeAt(i++);
      let cls: number;
      if ((unit & 0xf800) !== 0xd800) cls = pages[((pageOf[unit >> 8] ?? 0) << 8) | (unit & 0xff)] ?? 0;
      else {
        const point = i < to ? (text.codePointAt(start) ?? unit) : unit;
        cls = classOfPoint(point);
        if (point > 0xffff) i++;
      }
      let entry = table[state * width + cls] ?? unknown;
      if (entry === unknown) {
        if (budget.left <= 0) return unknownEnd;
        entry = this.#step(state, cls, budget);
        table = this.#rows.table;
      }
      if ((entry & accepts) !== 0) end = start;
      state = (entry >> 1) - 1;
    }
    reading.left -= i - at;
    if (state < 0) return end;
    if (i < to) return unknownEnd;
    let entry = table[state * width + size] ?? unknown;
    if (entry === unknown) entry = this.#step(state, size, budget);
    return (entry & accepts) !== 0 ? to : end;
  }

  #begin(before: number): number {
    let state = this.#begins[before];
    if (state === undefined) {
      state = this.#stateOf(this.#machine.starts, before);
      this.#begins[before] = state;
    }
    return state;
  }

  // An entry is twice the number of the next state, counted from 1, plus 1 when a match ends before the character.
  #step(from: number, cls: number, budget: BuildBudget): number {
    const { size, kindOf, taken } = this.#alphabet;
    const isEnd = cls === size;
    const kind = isEnd ? kinds.edge : (kindOf[cls] ?? 0);
    const { nodes, before } = this.#rows.at(from) ?? emptyState;
    const ready = this.#closed(nodes, conditionsBetween(before, kind));
    const targets: number[] = [];
    let accepted = 0;
    for (const node of ready) {
      if (this.#machine.kind[node] === nodeKinds.match) accepted = accepts;
      else if (!isEnd && taken[node]?.[cls] === 1) targets.push(this.#machine.next[node] ?? 0);
    }
    // A full table is discarded together with the state that this step leaves, so the step is not stored.
    const { isFull } = this.#rows;
    if (isFull) {
      this.#rows.clear();
      this.#begins.length = 0;
    }
    const entry = ((this.#stateOf(targets, kind) + 1) << 1) | accepted;
    if (!isFull) this.#rows.table[from * this.#rows.width + cls] = entry;
    budget.left -= this.#work;
    this.#work = 0;
    return entry;
  }

  // The state after these instructions; -1 when no instruction remains.
  #stateOf(targets: ArrayLike<number>, before: number): number {
    if (targets.length === 0) return -1;
    const closed = this.#closed(targets, undecided);
    if (closed.length === 0) return -1;
    // A condition may lead back into the loops around it. So all instructions are followed again once the condition is
    // known.
    const asks = closed.some((node) => this.#machine.kind[node] === nodeKinds.ask);
    const nodes = Int32Array.from(asks ? new Set(Array.from(targets)) : closed);
    const key = `${asks ? before : ""}|${keyOfNumbers(nodes)}`;
    return this.#rows.find(key) ?? this.#rows.add(key, { nodes, before: asks ? before : 0 }, nodes.length);
  }

  // Follows instructions that consume nothing, by priority. Instructions after an accepting one are never reached.
  #closed(targets: ArrayLike<number>, holds: number): number[] {
    const { kind, next, other, condition } = this.#machine;
    const mark = ++this.#mark;
    const marks = this.#marks;
    const work = Array.from(targets).reverse();
    const nodes: number[] = [];
    for (let node = work.pop(); node !== undefined; node = work.pop()) {
      if (marks[node] === mark) continue;
      marks[node] = mark;
      this.#work++;
      const what = kind[node];
      if (what === nodeKinds.split) work.push(other[node] ?? 0, next[node] ?? 0);
      else if (what === nodeKinds.skip) work.push(next[node] ?? 0);
      else if (what === nodeKinds.ask && holds !== undecided) {
        if (((condition[node] ?? 0) & ~holds) === 0) work.push(next[node] ?? 0);
      } else if (what !== nodeKinds.fail) nodes.push(node);
      if (what === nodeKinds.match) break;
    }
    return nodes;
  }
}

// A deterministic automaton that knows priorities: it says where the match ends that begins at a given offset, as a
// backtracking engine would find it. Its states are instructions in the order of their priority; those of lower
// priority than an accepting one are left out (leftmost-first matching in R. Cox, "Regular Expression Matching in the
// Wild", https://swtch.com/~rsc/regexp/regexp3.html).

import { type Alphabet, kindBefore, kinds, openAlphabet } from "./alphabet.ts";
import { type BuildBudget, conditionsBetween, type DfaTables, type Machine, nodeKinds } from "./dfa-state.ts";
import { type DfaMemory, StateTable, unknown } from "./state-table.ts";
import { type NodeList, roomFor, type StepRoom } from "./step-room.ts";

/** No match begins at that offset. */
export const noEnd = -1;
/** The end is unknown: the budget or the limit of reading is used up. */
export const unknownEnd = -2;

/** Bit of an entry: a match ends before the character. The bits above it are the next state. */
const accepts = 1;
/** Stands for the conditions that hold, while they are unknown. */
const undecided = -1;

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
  /**
   * The content of a state: the kind of the character before, and by priority the instructions that consume a character
   * or accept. If any of them has a condition, the instructions that lead to all of them instead.
   */
  readonly #rows: StateTable;
  readonly #room: StepRoom;
  #work = 0;
  /** The first state by the kind of the character before. */
  readonly #begins: number[] = [];

  constructor({ alphabet, machine }: DfaTables, memory: DfaMemory) {
    this.#machine = machine;
    this.#alphabet = openAlphabet(alphabet);
    this.#rows = new StateTable(alphabet.size + 1, memory);
    this.#room = roomFor(machine.kind.length);
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
      state = this.#stateOf({ nodes: this.#machine.starts, count: this.#machine.starts.length }, before);
      this.#begins[before] = state;
    }
    return state;
  }

  // An entry is twice the number of the next state, counted from 1, plus 1 when a match ends before the character.
  #step(from: number, cls: number, budget: BuildBudget): number {
    const { size, kindOf, taken } = this.#alphabet;
    const isEnd = cls === size;
    const kind = isEnd ? kinds.edge : (kindOf[cls] ?? 0);
    const { contents } = this.#rows;
    const { ready, runes } = this.#room;
    const start = this.#rows.startOf(from);
    runes.count = 0;
    for (let i = start + 1; i < this.#rows.endOf(from); i++) runes.nodes[runes.count++] = contents[i] ?? 0;
    this.#close(runes, conditionsBetween(contents[start] ?? 0, kind), ready);
    runes.count = 0;
    let accepted = 0;
    for (let i = 0; i < ready.count; i++) {
      const node = ready.nodes[i] ?? 0;
      if (this.#machine.kind[node] === nodeKinds.match) accepted = accepts;
      else if (!isEnd && taken[node]?.[cls] === 1) runes.nodes[runes.count++] = this.#machine.next[node] ?? 0;
    }
    // A full table is discarded together with the state that this step leaves, so the step is not stored.
    const { isFull } = this.#rows;
    if (isFull) {
      this.#rows.clear();
      this.#begins.length = 0;
    }
    const entry = ((this.#stateOf(runes, kind) + 1) << 1) | accepted;
    if (!isFull) this.#rows.table[from * this.#rows.width + cls] = entry;
    budget.left -= this.#work;
    this.#work = 0;
    return entry;
  }

  // The state after these instructions; -1 when no instruction remains.
  #stateOf(targets: NodeList, before: number): number {
    const { ready, content, marks } = this.#room;
    this.#close(targets, undecided, ready);
    if (ready.count === 0) return -1;
    let asks = false;
    for (let i = 0; i < ready.count; i++) asks ||= this.#machine.kind[ready.nodes[i] ?? 0] === nodeKinds.ask;
    content[0] = asks ? before : 0;
    let length = 1;
    // A condition may lead back into the loops around it. So all instructions are followed again once the condition is
    // known.
    const { nodes, count } = asks ? targets : ready;
    const mark = this.#room.nextMark();
    for (let i = 0; i < count; i++) {
      const node = nodes[i] ?? 0;
      if (marks[node] === mark) continue;
      marks[node] = mark;
      content[length++] = node;
    }
    return this.#rows.stateOf(content, length);
  }

  // Follows instructions that consume nothing, by priority. Instructions after an accepting one are never reached.
  #close(targets: NodeList, holds: number, reached: NodeList): void {
    const mark = this.#room.nextMark();
    reached.count = 0;
    for (let i = 0; i < targets.count; i++) if (this.#follow(targets.nodes[i] ?? 0, holds, reached, mark)) return;
  }

  // Returns true when it reaches an accepting instruction, and stops there.
  #follow(first: number, holds: number, reached: NodeList, mark: number): boolean {
    const { kind, next, other, condition } = this.#machine;
    const { marks, stack } = this.#room;
    stack[0] = first;
    for (let height = 1; height > 0; ) {
      const node = stack[--height] ?? 0;
      if (marks[node] === mark) continue;
      marks[node] = mark;
      this.#work++;
      const what = kind[node];
      if (what === nodeKinds.split) {
        stack[height++] = other[node] ?? 0;
        stack[height++] = next[node] ?? 0;
      } else if (what === nodeKinds.skip) stack[height++] = next[node] ?? 0;
      else if (what === nodeKinds.ask && holds !== undecided) {
        if (((condition[node] ?? 0) & ~holds) === 0) stack[height++] = next[node] ?? 0;
      } else if (what !== nodeKinds.fail) reached.nodes[reached.count++] = node;
      if (what === nodeKinds.match) return true;
    }
    return false;
  }
}

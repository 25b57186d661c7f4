// A deterministic automaton over the programs of some patterns, built while it runs (R. Cox, "Regular Expression Matching in the Wild",
// https://swtch.com/~rsc/regexp/regexp3.html). It tells which patterns match somewhere, not where: what it finds is searched again by
// the engine that knows priorities. Its states are rows of one Int32Array that is indexed by state and class.
//
// Text can be written so that every character needs a new state, each of which costs far more than a look-up. So the work of building is
// charged to the budget of the scan; when that is used up, the caller goes on with an engine that needs no states.

import { type Alphabet, buildAlphabet, kinds } from "./alphabet.ts";
import { conditions, type Program } from "./program.ts";

/** What building states may still cost in one scan, in visited instructions. */
export interface BuildBudget {
  left: number;
}

/** No match anywhere. */
export const noMatch = -1;
/** The budget is used up. */
export const outOfBudget = -2;

const unknown = -1;
/** Entries of a table: 4 bytes each. What is more is thrown away and built anew. */
const mostEntries = 1 << 19;
const firstStates = 8;

interface State {
  /** Instructions that take a character. */
  readonly runes: Int32Array;
  /** Instructions behind which it depends on the next character whether the way goes on. */
  readonly pending: Int32Array;
  /** Kind of the character before. */
  readonly before: number;
}

/** Programs side by side: the instructions of all, renumbered. */
interface Machine {
  readonly kind: Uint8Array;
  readonly next: Int32Array;
  readonly other: Int32Array;
  readonly condition: Uint8Array;
  /** Which pattern an instruction that accepts belongs to. */
  readonly pattern: Int32Array;
  readonly starts: readonly number[];
}

const does = { rune: 0, split: 1, skip: 2, ask: 3, match: 4, fail: 5 } as const;

/** A lazily built automaton. */
export class LazyDfa {
  readonly #machine: Machine;
  readonly #alphabet: Alphabet;
  readonly #width: number;
  readonly #mostStates: number;
  #table: Int32Array;
  #states: State[] = [];
  #known = new Map<string, number>();
  /** Patterns that a step accepts, by its place in the table. */
  #accepted = new Map<number, readonly number[]>();
  readonly #marks: Int32Array;
  #mark = 0;
  #work = 0;

  private constructor(machine: Machine, alphabet: Alphabet) {
    this.#machine = machine;
    this.#alphabet = alphabet;
    this.#width = alphabet.size + 1;
    this.#mostStates = Math.max(16, Math.floor(mostEntries / this.#width));
    this.#table = new Int32Array(0);
    this.#marks = new Int32Array(machine.kind.length);
    this.#clear();
  }

  /** The automaton of these programs; undefined when they tell too many characters apart. */
  static of(programs: readonly Program[]): LazyDfa | undefined {
    const alphabet = buildAlphabet(programs.flatMap(({ code }) => code));
    return alphabet === undefined ? undefined : new LazyDfa(machineOf(programs), alphabet);
  }

  /** Bytes of the tables. */
  get sizeBytes(): number {
    return this.#table.byteLength + this.#states.reduce((sum, { runes }) => sum + runes.byteLength + 100, 0);
  }

  /**
   * Whether a pattern matches in a part of the text, which is taken for a text of its own, except that the search begins at `at`.
   * The answer is an offset: a match ends there or one character before it, and none ends earlier. Or noMatch, or outOfBudget.
   */
  find(text: string, part: { readonly from: number; readonly at: number; readonly to: number }, budget: BuildBudget): number {
    return this.#run(text, part, budget, undefined);
  }

  /** Adds the patterns that match somewhere in the text to a set. False when the budget was used up before all were known. */
  findAll(text: string, found: Set<number>, budget: BuildBudget): boolean {
    return this.#run(text, { from: 0, at: 0, to: text.length }, budget, found) !== outOfBudget;
  }

  #run(
    text: string,
    { from, at, to }: { readonly from: number; readonly at: number; readonly to: number },
    budget: BuildBudget,
    found: Set<number> | undefined,
  ): number {
    const { pageOf, pages } = this.#alphabet;
    const width = this.#width;
    let state = this.#startState(this.#kindBefore(text, from, at));
    for (let i = at; i < to; ) {
      const unit = text.charCodeAt(i);
      let cls: number;
      if ((unit & 0xf800) !== 0xd800) {
        cls = pages[((pageOf[unit >> 8] ?? 0) << 8) | (unit & 0xff)] ?? 0;
        i++;
      } else {
        const point = i + 1 < to ? (text.codePointAt(i) ?? unit) : unit;
        cls = this.#alphabet.classOfPoint(point);
        i += point > 0xffff ? 2 : 1;
      }
      let entry = this.#table[state * width + cls] ?? unknown;
      if (entry === unknown) {
        entry = this.#step(state, cls, budget);
        if (entry === outOfBudget) return outOfBudget;
      }
      if ((entry & 1) === 1) {
        if (found === undefined) return i;
        for (const pattern of this.#accepted.get(state * width + cls) ?? []) found.add(pattern);
      }
      state = entry >> 1;
    }
    return this.#finish(state, to, budget, found);
  }

  #finish(state: number, to: number, budget: BuildBudget, found: Set<number> | undefined): number {
    const place = state * this.#width + this.#alphabet.size;
    let entry = this.#table[place] ?? unknown;
    if (entry === unknown) {
      entry = this.#step(state, this.#alphabet.size, budget);
      if (entry === outOfBudget) return outOfBudget;
    }
    if ((entry & 1) === 0) return noMatch;
    if (found !== undefined) for (const pattern of this.#accepted.get(place) ?? []) found.add(pattern);
    return to;
  }

  #kindBefore(text: string, from: number, at: number): number {
    if (at <= from) return kinds.edge;
    const unit = text.charCodeAt(at - 1);
    // Beyond the basic plane there are neither word characters nor line feeds.
    return (unit & 0xf800) === 0xd800 ? kinds.other : (this.#alphabet.kindOf[this.#alphabet.classOfPoint(unit)] ?? 0);
  }

  #startState(before: number): number {
    this.#begin();
    return this.#stateOf(this.#machine.starts, before);
  }

  // One step: the conditions that the next character settles, then the character itself. The last class is the end of the text.
  #step(from: number, cls: number, budget: BuildBudget): number {
    if (budget.left <= 0) return outOfBudget;
    const { size, kindOf, taken } = this.#alphabet;
    const atEnd = cls === size;
    const kind = atEnd ? kinds.edge : (kindOf[cls] ?? 0);
    const { runes, pending, before } = this.#states[from] ?? { runes: none, pending: none, before: 0 };
    const accepted: number[] = [];
    const ready = [...runes];
    if (pending.length > 0) this.#settle(pending, holding(before, kind), ready, accepted);
    const targets: number[] = [];
    if (!atEnd) for (const node of ready) if (taken[node]?.[cls] === 1) targets.push(this.#machine.next[node] ?? 0);
    this.#work += ready.length;
    if (!atEnd) targets.push(...this.#machine.starts);
    if (this.#states.length >= this.#mostStates) return this.#restart(targets, kind, accepted, budget);
    this.#begin();
    const next = this.#stateOf(targets, kind, accepted);
    const entry = (next << 1) | (accepted.length > 0 ? 1 : 0);
    const place = from * this.#width + cls;
    this.#table[place] = entry;
    if (accepted.length > 0) this.#accepted.set(place, accepted);
    budget.left -= this.#work;
    this.#work = 0;
    return entry;
  }

  // The table is full. The step is not kept, since the state from which it led is gone.
  #restart(targets: readonly number[], kind: number, accepted: number[], budget: BuildBudget): number {
    this.#clear();
    this.#begin();
    const next = this.#stateOf(targets, kind, accepted);
    budget.left -= this.#work;
    this.#work = 0;
    // The caller looks accepted patterns up by a place that is no more; the first state's own place is not used for anything else.
    if (accepted.length > 0) this.#accepted.set(noPlace, accepted);
    return (next << 1) | (accepted.length > 0 ? 1 : 0);
  }

  // Goes on from pending instructions whose condition holds.
  #settle(pending: Int32Array, holds: number, ready: number[], accepted: number[]): void {
    const { condition } = this.#machine;
    this.#begin();
    for (const node of ready) this.#marks[node] = this.#mark;
    const work: number[] = [];
    for (const node of pending) if (((condition[node] ?? 0) & ~holds) === 0) work.push(this.#machine.next[node] ?? 0);
    this.#close(work, holds, ready, [], accepted);
  }

  #begin(): void {
    this.#mark++;
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

  #stateOf(targets: readonly number[], before: number, accepted: number[] = []): number {
    const runes: number[] = [];
    const pending: number[] = [];
    this.#close([...targets], undecided, runes, pending, accepted);
    runes.sort(ascending);
    pending.sort(ascending);
    const beforeKind = pending.length === 0 ? 0 : before;
    const key = `${beforeKind}|${codes(runes)}|${codes(pending)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const state = this.#states.length;
    this.#states.push({ runes: Int32Array.from(runes), pending: Int32Array.from(pending), before: beforeKind });
    this.#known.set(key, state);
    if ((state + 1) * this.#width > this.#table.length) this.#grow();
    return state;
  }

  #grow(): void {
    const states = Math.max(firstStates, Math.min(this.#mostStates + 1, this.#states.length * 2));
    const table = new Int32Array(states * this.#width).fill(unknown);
    table.set(this.#table);
    this.#table = table;
  }

  #clear(): void {
    this.#table = new Int32Array(0);
    this.#states = [];
    this.#known = new Map();
    this.#accepted = new Map();
  }
}

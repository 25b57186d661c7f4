// A deterministic automaton over the programs of some patterns, built while it runs (R. Cox, "Regular Expression Matching in the Wild",
// https://swtch.com/~rsc/regexp/regexp3.html). It tells which patterns match somewhere, not where: what it finds is searched again by
// the engine that knows priorities. Its states are made in dfa-state.ts.

import { type Alphabet, kindBefore, openAlphabet } from "./alphabet.ts";
import { accepts, type BuildBudget, DfaStates, type DfaTables, isFresh } from "./dfa-state.ts";
import type { Essence } from "./optional-lead.ts";
import { type DfaMemory, unknown } from "./state-table.ts";

/** No match anywhere. */
export const noMatch = -1;
/** The budget is used up. */
export const outOfBudget = -2;

/** A part of a text: it is searched from `at` on. */
export interface Part {
  readonly from: number;
  readonly at: number;
  readonly to: number;
}

/** Where a match lies. */
export interface Place {
  readonly low: number;
  readonly high: number;
}

/** How far a pass over a text has come. */
export interface Pass {
  state: number;
  /** The last place at which no match was under way. */
  fresh: number;
  /** Where it goes on. */
  at: number;
  /** The states to which `state` belongs. */
  generation: number;
}

/** A lazily built automaton. Its patterns must not match the empty text. */
export class LazyDfa {
  readonly #alphabet: Alphabet;
  readonly #states: DfaStates;
  /** What a search leaves behind: the last place before a match at which no other match was under way, and the state at its end. */
  #fresh = 0;
  #reached = 0;

  /** Most code units that matches may begin before what the automaton follows. */
  readonly #lead: number;

  private constructor(alphabet: Alphabet, states: DfaStates, lead: number) {
    this.#alphabet = alphabet;
    this.#states = states;
    this.#lead = lead;
  }

  /** The automaton that finds where a program of these tables matches, by its essence: it is for `find` alone. */
  static finding({ alphabet, machine }: DfaTables, { program, lead }: Essence, memory: DfaMemory): LazyDfa {
    return LazyDfa.over({ alphabet, machine: { ...machine, starts: Int32Array.of(program.start) } }, memory, lead);
  }

  /** The automaton over these tables. */
  static over({ alphabet, machine }: DfaTables, memory: DfaMemory, lead = 0): LazyDfa {
    const opened = openAlphabet(alphabet);
    return new LazyDfa(opened, new DfaStates(machine, opened, memory), lead);
  }

  /** Bytes of the states, about. */
  get sizeBytes(): number {
    return this.#states.sizeBytes;
  }

  /**
   * Whether a pattern matches in a part of the text, which is taken for a text of its own, except that the search begins at `at`: the
   * place of the first match, noMatch or outOfBudget. The first match begins at `low` or later, and ends at `high` or earlier.
   */
  find(text: string, part: Part, budget: BuildBudget): Place | typeof noMatch | typeof outOfBudget {
    const end = this.#run(text, part, budget, undefined);
    if (end < 0) return end === noMatch ? noMatch : outOfBudget;
    let low = Math.max(part.at, this.#fresh - this.#lead);
    if (low > part.at && (text.charCodeAt(low) & 0xfc00) === 0xdc00) low--;
    return { low, high: this.#endOfLife(text, end, part, budget) };
  }

  /** Adds the patterns that match somewhere in a part of the text. False when the budget was used up before all were known. */
  findAll(
    text: string,
    { from, to }: { readonly from: number; readonly to: number },
    found: Set<number>,
    budget: BuildBudget,
  ): boolean {
    return this.#run(text, { from, at: from, to }, budget, found) !== outOfBudget;
  }

  /**
   * The last place up to which everything is settled whatever text follows the part: no match that begins before it is still under way.
   * Patterns that match somewhere before it are added to `found`; so may be some that match behind it. Undefined when the budget is used up.
   */
  settledUntil(text: string, part: Part, found: Set<number>, budget: BuildBudget): number | undefined {
    const pass = this.#begin(text, part);
    return this.#run(text, part, budget, found, { pass, isOpenEnded: true }) === outOfBudget ? undefined : pass.fresh;
  }

  /** A pass over a text that comes bit by bit, from the place where matches may begin. */
  begin(text: string, { from, at }: Omit<Part, "to">): Pass {
    return this.#begin(text, { from, at, to: at });
  }

  /**
   * Goes on with a pass up to the end of a part, whose offsets are those of the pass. Patterns that match are added to `found`. False when
   * the budget is used up, or the states are others by now: then the pass is over, and says nothing.
   */
  goOn(text: string, pass: Pass, to: number, found: Set<number>, budget: BuildBudget): boolean {
    if (pass.generation !== this.#states.generation) return false;
    return this.#run(text, { from: 0, at: pass.at, to }, budget, found, { pass, isOpenEnded: true }) !== outOfBudget;
  }

  #begin(text: string, { from, at }: Part): Pass {
    const state = this.#states.begin(kindBefore(this.#alphabet, text, from, at));
    return { state, at, fresh: at, generation: this.#states.generation };
  }

  #run(
    text: string,
    { from, at, to }: Part,
    budget: BuildBudget,
    found: Set<number> | undefined,
    {
      pass = this.#begin(text, { from, at, to }),
      isOpenEnded = false,
    }: { readonly pass?: Pass; readonly isOpenEnded?: boolean } = {},
  ): number {
    const { pageOf, pages } = this.#alphabet;
    const states = this.#states;
    const { width } = states;
    let { state, fresh } = pass;
    let { table } = states;
    for (let i = at; i < to; ) {
      // The first page is that of Latin letters, and most steps are known and accept nothing.
      for (; i < to; i++) {
        const unit = text.charCodeAt(i);
        if (unit > 0xff) break;
        const entry = table[state * width + (pages[unit] ?? 0)] ?? unknown;
        if (entry < 0 || (entry & accepts) !== 0) break;
        state = entry >> 2;
        if ((entry & isFresh) !== 0) fresh = i + 1;
      }
      if (i === to) break;
      const unit = text.charCodeAt(i++);
      let cls: number;
      if ((unit & 0xf800) !== 0xd800) cls = pages[((pageOf[unit >> 8] ?? 0) << 8) | (unit & 0xff)] ?? 0;
      else {
        const point = i < to ? (text.codePointAt(i - 1) ?? unit) : unit;
        cls = this.#alphabet.classOfPoint(point);
        if (point > 0xffff) i++;
      }
      const place = state * width + cls;
      let entry = table[place] ?? unknown;
      if (entry < 0) {
        entry = this.#states.step(state, cls, budget, found);
        if (entry < 0) return outOfBudget;
        table = states.table;
      } else if ((entry & accepts) !== 0 && found !== undefined) this.#tell(place, found);
      if ((entry & 3) !== 0) {
        if ((entry & accepts) !== 0 && found === undefined) {
          this.#fresh = fresh;
          this.#reached = entry >> 2;
          return i;
        }
        if ((entry & isFresh) !== 0) fresh = i;
      }
      state = entry >> 2;
    }
    if (isOpenEnded) {
      Object.assign(pass, { state, fresh, at: to, generation: states.generation });
      return noMatch;
    }
    const place = state * width + this.#alphabet.size;
    let entry = table[place] ?? unknown;
    if (entry < 0) {
      entry = this.#states.step(state, this.#alphabet.size, budget, found);
      if (entry < 0) return outOfBudget;
    } else if ((entry & accepts) !== 0 && found !== undefined) this.#tell(place, found);
    this.#fresh = fresh;
    return (entry & accepts) !== 0 && found === undefined ? to : noMatch;
  }

  // Where no way that was begun before is still open. What has its first end before that has all of its ends before that. A lead
  // may reach over that end, to what begins so much later.
  #endOfLife(text: string, from: number, { to }: Part, budget: BuildBudget): number {
    let state = this.#reached;
    for (let i = from; i < to; ) {
      const point = i + 1 < to ? (text.codePointAt(i) ?? 0) : text.charCodeAt(i);
      const cls = this.#alphabet.classOfPoint(point);
      i += point > 0xffff ? 2 : 1;
      let entry = this.#states.table[state * this.#states.width + cls] ?? unknown;
      if (entry < 0) entry = this.#states.step(state, cls, budget, undefined);
      if (entry < 0) return to;
      if ((entry & isFresh) !== 0 && i >= from + this.#lead) return i;
      state = entry >> 2;
    }
    return to;
  }

  #tell(place: number, found: Set<number>): void {
    for (const pattern of this.#states.acceptedAt(place)) found.add(pattern);
  }
}

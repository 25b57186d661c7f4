// A deterministic automaton over the programs of some patterns, built while it runs (R. Cox, "Regular Expression
// Matching in the Wild", https://swtch.com/~rsc/regexp/regexp3.html). It says which patterns match, and roughly where.
// The exact offsets come from an automaton or engine that knows priorities. dfa-state.ts builds its states.

import { type Alphabet, kindBefore, openAlphabet } from "./alphabet.ts";
import { accepts, type BuildBudget, DfaStates, type DfaTables, isFresh } from "./dfa-state.ts";
import type { CoreProgram } from "./optional-prefix.ts";
import { type DfaMemory, unknown } from "./state-table.ts";

/** No match anywhere. */
export const noMatch = -1;
/** The budget is used up. */
export const outOfBudget = -2;

/** A part of a text. The search begins at `at`; text between `from` and `at` is context only. */
export interface TextPart {
  readonly from: number;
  readonly at: number;
  readonly to: number;
  /**
   * Where matches may begin, for a caller that knows it: ordered and disjoint, as pairs of the first offset and the one
   * after the last. The automaton does not read what lies between them unless a match is in progress.
   */
  readonly starts?: readonly number[] | undefined;
}

/** Where a match lies: it begins at `low` or later and ends at `high` or earlier. */
export interface MatchBounds {
  readonly low: number;
  readonly high: number;
}

/** How far a pass over a text has come. */
export interface Pass {
  state: number;
  /** The last offset at which no match was in progress. */
  fresh: number;
  /** Where the pass continues. */
  at: number;
  /** The generation of states that `state` belongs to. */
  generation: number;
}

/** A lazy DFA. Its patterns must not match the empty text. */
export class LazyDfa {
  readonly #alphabet: Alphabet;
  readonly #states: DfaStates;
  /**
   * Results of the last run: the last offset before the match at which no other match was in progress, and the state at
   * the end of the match.
   */
  #fresh = 0;
  #reached = 0;

  /** How many code units before the core program a match may begin; see optional-prefix.ts. */
  readonly #maxPrefixLength: number;

  private constructor(alphabet: Alphabet, states: DfaStates, maxPrefixLength: number) {
    this.#alphabet = alphabet;
    this.#states = states;
    this.#maxPrefixLength = maxPrefixLength;
  }

  /** The automaton that finds where a program of these tables matches, by its core program. It serves `find` only. */
  static finding(
    { alphabet, machine }: DfaTables,
    { program, maxPrefixLength }: CoreProgram,
    memory: DfaMemory,
  ): LazyDfa {
    return LazyDfa.over(
      { alphabet, machine: { ...machine, starts: Int32Array.of(program.start) } },
      memory,
      maxPrefixLength,
    );
  }

  /** The automaton over these tables. */
  static over({ alphabet, machine }: DfaTables, memory: DfaMemory, maxPrefixLength = 0): LazyDfa {
    const opened = openAlphabet(alphabet);
    return new LazyDfa(opened, new DfaStates(machine, opened, memory), maxPrefixLength);
  }

  /** Bytes of the states, approximately. */
  get sizeBytes(): number {
    return this.#states.sizeBytes;
  }

  /**
   * Bounds of the first match in a part of the text, noMatch or outOfBudget. The part is treated as a whole text,
   * except that the search begins at `at`. The first match begins at `low` or later and ends at `high` or earlier: for
   * `ab+` in "xx abbb yy" the answer is { low: 3, high: 8 }, where the match is at 3 to 7.
   */
  find(text: string, part: TextPart, budget: BuildBudget): MatchBounds | typeof noMatch | typeof outOfBudget {
    const end = this.#run(text, part, budget, undefined);
    if (end < 0) return end === noMatch ? noMatch : outOfBudget;
    let low = Math.max(part.at, this.#fresh - this.#maxPrefixLength);
    if (low > part.at && (text.charCodeAt(low) & 0xfc00) === 0xdc00) low--;
    return { low, high: this.#lastPossibleEnd(text, end, part, budget) };
  }

  /**
   * Adds the patterns that match somewhere in a part of the text. Returns false when the budget was used up before all
   * were known.
   */
  findAll(
    text: string,
    { from, to }: { readonly from: number; readonly to: number },
    found: Set<number>,
    budget: BuildBudget,
  ): boolean {
    return this.#run(text, { from, at: from, to }, budget, found) !== outOfBudget;
  }

  /**
   * The last offset up to which the result cannot change, whatever text follows the part: no match that begins before
   * it is still in progress. For `ab+` in "xx ab" it is 3. Adds to `found` the patterns that match before that offset,
   * and possibly some that match after it. Undefined when the budget is used up.
   */
  settledUntil(text: string, part: TextPart, found: Set<number>, budget: BuildBudget): number | undefined {
    const pass = this.#begin(text, part);
    return this.#run(text, part, budget, found, { pass, isOpenEnded: true }) === outOfBudget ? undefined : pass.fresh;
  }

  /** Begins a pass over a text that arrives in pieces, at the offset where matches may begin. */
  begin(text: string, { from, at }: Omit<TextPart, "to">): Pass {
    return this.#begin(text, { from, at, to: at });
  }

  /**
   * Continues a pass up to `to`; offsets are those of the pass. Adds the patterns that match to `found`. Returns false
   * when the budget is used up or the states were discarded meanwhile: the pass is then over and its result is unknown.
   */
  resume(text: string, pass: Pass, to: number, found: Set<number>, budget: BuildBudget): boolean {
    if (pass.generation !== this.#states.generation) return false;
    return this.#run(text, { from: 0, at: pass.at, to }, budget, found, { pass, isOpenEnded: true }) !== outOfBudget;
  }

  #begin(text: string, { from, at }: TextPart): Pass {
    const state = this.#states.begin(kindBefore(this.#alphabet, text, from, at));
    return { state, at, fresh: at, generation: this.#states.generation };
  }

  #run(
    text: string,
    { from, at, to, starts }: TextPart,
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
    // No match begins after `stop` and before the next start.
    let stop = starts === undefined ? to + 1 : at;
    let next = starts === undefined ? 0 : firstAfter(starts, at);
    for (let i = at; i < to; ) {
      if (fresh >= stop && starts !== undefined) {
        while ((starts[next + 1] ?? to) <= i) next += 2;
        stop = starts[next + 1] ?? to;
        const start = startOfCharacter(text, starts[next] ?? to);
        if (start >= to) return noMatch;
        if (start > i) {
          state = states.begin(kindBefore(this.#alphabet, text, from, start));
          ({ table } = states);
          i = start;
          fresh = start;
        }
      }
      // The first page holds the Latin letters, and most steps are known and accept nothing.
      while (i < to) {
        const unit = text.charCodeAt(i);
        if (unit > 0xff) break;
        const entry = table[state * width + (pages[unit] ?? 0)] ?? unknown;
        // The bits of an unknown entry are all set.
        if ((entry & accepts) !== 0) break;
        state = entry >> 2;
        i++;
        if ((entry & isFresh) === 0) continue;
        fresh = i;
        if (i >= stop) break;
      }
      if (i === to || fresh >= stop) continue;
      const unit = text.charCodeAt(i++);
      let cls: number;
      if ((unit & 0xf800) !== 0xd800) cls = pages[((pageOf[unit >> 8] ?? 0) << 8) | (unit & 0xff)] ?? 0;
      else {
        const point = i < to ? (text.codePointAt(i - 1) ?? unit) : unit;
        cls = this.#alphabet.classOfPoint(point);
        if (point > 0xffff) i++;
      }
      const index = state * width + cls;
      let entry = table[index] ?? unknown;
      if (entry === unknown) {
        entry = this.#states.step(state, cls, budget, found);
        if (entry === unknown) return outOfBudget;
        table = states.table;
      } else if ((entry & accepts) !== 0 && found !== undefined) this.#addAccepted(index, found);
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
    const entry = this.#entryAtEnd(state, budget, found);
    if (entry === unknown) return outOfBudget;
    this.#fresh = fresh;
    return (entry & accepts) !== 0 && found === undefined ? to : noMatch;
  }

  // The entry of the step at the end of the text; `unknown` when the budget is used up.
  #entryAtEnd(state: number, budget: BuildBudget, found: Set<number> | undefined): number {
    const { size } = this.#alphabet;
    const index = state * this.#states.width + size;
    const entry = this.#states.table[index] ?? unknown;
    if (entry === unknown) return this.#states.step(state, size, budget, found);
    if ((entry & accepts) !== 0 && found !== undefined) this.#addAccepted(index, found);
    return entry;
  }

  // The offset after which no match that began before `from` is in progress. All ends of a match whose first end lies
  // before this offset lie before it too. The optional prefix of a later match may reach back over the end, so the
  // offset is at least its length after `from`.
  #lastPossibleEnd(text: string, from: number, { to }: TextPart, budget: BuildBudget): number {
    let state = this.#reached;
    for (let i = from; i < to; ) {
      const point = i + 1 < to ? (text.codePointAt(i) ?? 0) : text.charCodeAt(i);
      const cls = this.#alphabet.classOfPoint(point);
      i += point > 0xffff ? 2 : 1;
      let entry = this.#states.table[state * this.#states.width + cls] ?? unknown;
      if (entry === unknown) entry = this.#states.step(state, cls, budget, undefined);
      if (entry === unknown) return to;
      if ((entry & isFresh) !== 0 && i >= from + this.#maxPrefixLength) return i;
      state = entry >> 2;
    }
    return to;
  }

  #addAccepted(index: number, found: Set<number>): void {
    for (const pattern of this.#states.acceptedAt(index)) found.add(pattern);
  }
}

// The index of the first of some starts that ends after an offset; see TextPart.
function firstAfter(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[2 * middle + 1] ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return 2 * low;
}

function startOfCharacter(text: string, at: number): number {
  const splitsPair =
    at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return splitsPair ? at - 1 : at;
}

// A deterministic automaton over the programs of some patterns, built while it runs (R. Cox, "Regular Expression Matching in the Wild",
// https://swtch.com/~rsc/regexp/regexp3.html). It tells which patterns match somewhere, not where: what it finds is searched again by
// the engine that knows priorities. Its states are rows of one Int32Array that is indexed by state and class.
//
// Text can be written so that every character needs a new state, each of which costs far more than a look-up. So the work of building is
// charged to the budget of the scan; when that is used up, the caller goes on with an engine that needs no states.

import { type Alphabet, type AlphabetTables, alphabetTables, kinds, openAlphabet } from "./alphabet.ts";
import { conditions, type Program } from "./program.ts";

/** What building states may still cost in one scan, in visited instructions. */
export interface BuildBudget {
  left: number;
}

/** No match anywhere. */
export const noMatch = -1;
/** The budget is used up. */
export const outOfBudget = -2;

/** How many bytes the states of an automaton may take, about. When they do, all of them are thrown away and made anew. */
export interface DfaMemory {
  readonly mostBytes: number;
  /** What it may take when others have used up what they share. */
  readonly ownBytes: number;
  readonly shared: { leftBytes: number };
}

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

const unknown = -1;
/** Bits of an entry: whether the step completes a match, and whether it ends every way that was begun before. */
const accepts = 1;
const isFresh = 2;
const firstStates = 8;
/** Bytes of a state beside its row, about. */
const stateBytes = 160;

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
interface Machine {
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

const does = { rune: 0, split: 1, skip: 2, ask: 3, match: 4, fail: 5 } as const;

/** Automata of bundles that are not in force any more give back what they took of the shared memory. */
const forgotten = new FinalizationRegistry<{ held: { bytes: number }; memory: DfaMemory }>(({ held, memory }) => {
  memory.shared.leftBytes += held.bytes;
});

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
  readonly #machine: Machine;
  readonly #alphabet: Alphabet;
  readonly #width: number;
  readonly #memory: DfaMemory;
  #table: Int32Array;
  #states: State[] = [];
  #known = new Map<string, number>();
  /** Patterns that a step accepts, by its place in the table. */
  #accepted = new Map<number, readonly number[]>();
  readonly #marks: Int32Array;
  #mark = 0;
  #work = 0;
  /** Bytes of the states, about. Apart from the automaton, so that they are given back when it is gone. */
  readonly #held = { bytes: 0 };
  /** The first state by the kind of the character before. */
  readonly #begins = [unknown, unknown, unknown, unknown];
  /** Raised when all states are thrown away. */
  #generation = 0;
  /** What a search leaves behind: the last place before a match at which no other match was under way, and the state at its end. */
  #fresh = 0;
  #reached = 0;

  private constructor(machine: Machine, alphabet: Alphabet, memory: DfaMemory) {
    this.#machine = machine;
    this.#alphabet = alphabet;
    this.#width = alphabet.size + 1;
    this.#memory = memory;
    this.#table = new Int32Array(0);
    this.#marks = new Int32Array(machine.kind.length);
    forgotten.register(this, { held: this.#held, memory });
  }

  /** The automaton of these programs; undefined when they tell too many characters apart. */
  static of(programs: readonly Program[], memory: DfaMemory): LazyDfa | undefined {
    const tables = dfaTables(programs);
    return tables === undefined ? undefined : LazyDfa.over(tables, memory);
  }

  /** The automaton over these tables. */
  static over({ alphabet, machine }: DfaTables, memory: DfaMemory): LazyDfa {
    return new LazyDfa(machine, openAlphabet(alphabet), memory);
  }

  /** Bytes of the states, about. */
  get sizeBytes(): number {
    return this.#held.bytes;
  }

  /**
   * Whether a pattern matches in a part of the text, which is taken for a text of its own, except that the search begins at `at`: the
   * place of the first match, noMatch or outOfBudget. The first match begins at `low` or later, and ends at `high` or earlier.
   */
  find(text: string, part: Part, budget: BuildBudget): Place | typeof noMatch | typeof outOfBudget {
    const end = this.#run(text, part, budget, undefined);
    if (end < 0) return end === noMatch ? noMatch : outOfBudget;
    const low = this.#fresh;
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
    if (pass.generation !== this.#generation) return false;
    return this.#run(text, { from: 0, at: pass.at, to }, budget, found, { pass, isOpenEnded: true }) !== outOfBudget;
  }

  #begin(text: string, { from, at }: Part): Pass {
    const state = this.#startState(this.#kindBefore(text, from, at));
    return { state, at, fresh: at, generation: this.#generation };
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
    const width = this.#width;
    let { state, fresh } = pass;
    let table = this.#table;
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
        entry = this.#step(state, cls, budget, found);
        if (entry < 0) return outOfBudget;
        table = this.#table;
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
      Object.assign(pass, { state, fresh, at: to, generation: this.#generation });
      return noMatch;
    }
    const place = state * width + this.#alphabet.size;
    let entry = table[place] ?? unknown;
    if (entry < 0) {
      entry = this.#step(state, this.#alphabet.size, budget, found);
      if (entry < 0) return outOfBudget;
    } else if ((entry & accepts) !== 0 && found !== undefined) this.#tell(place, found);
    this.#fresh = fresh;
    return (entry & accepts) !== 0 && found === undefined ? to : noMatch;
  }

  // Where no way that was begun before is still open. What has its first end before that has all of its ends before that.
  #endOfLife(text: string, from: number, { to }: Part, budget: BuildBudget): number {
    let state = this.#reached;
    for (let i = from; i < to; ) {
      const point = i + 1 < to ? (text.codePointAt(i) ?? 0) : text.charCodeAt(i);
      const cls = this.#alphabet.classOfPoint(point);
      i += point > 0xffff ? 2 : 1;
      let entry = this.#table[state * this.#width + cls] ?? unknown;
      if (entry < 0) entry = this.#step(state, cls, budget, undefined);
      if (entry < 0) return to;
      if ((entry & isFresh) !== 0) return i;
      state = entry >> 2;
    }
    return to;
  }

  #tell(place: number, found: Set<number>): void {
    for (const pattern of this.#accepted.get(place) ?? none) found.add(pattern);
  }

  #kindBefore(text: string, from: number, at: number): number {
    if (at <= from) return kinds.edge;
    const unit = text.charCodeAt(at - 1);
    // Beyond the basic plane there are neither word characters nor line feeds.
    return (unit & 0xf800) === 0xd800 ? kinds.other : (this.#alphabet.kindOf[this.#alphabet.classOfPoint(unit)] ?? 0);
  }

  #startState(before: number): number {
    let state = this.#begins[before] ?? unknown;
    if (state === unknown) {
      this.#mark++;
      state = this.#stateOf(this.#machine.starts, before, []);
      this.#begins[before] = state;
    }
    return state;
  }

  // One step: the conditions that the next character settles, then the character itself. The last class is the end of the text.
  #step(from: number, cls: number, budget: BuildBudget, found: Set<number> | undefined): number {
    if (budget.left <= 0) return unknown;
    const { size, kindOf, taken } = this.#alphabet;
    const { starts } = this.#machine;
    const isEnd = cls === size;
    const kind = isEnd ? kinds.edge : (kindOf[cls] ?? 0);
    const { runes, pending, before } = this.#states[from] ?? emptyState;
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
    const isFull = this.#isFull();
    if (isFull) this.#clear();
    this.#mark++;
    const next = this.#stateOf(targets, kind, accepted);
    const entry = (next << 2) | (accepted.length > 0 ? accepts : 0) | (isOver ? isFresh : 0);
    for (const pattern of accepted) found?.add(pattern);
    if (!isFull) {
      const place = from * this.#width + cls;
      this.#table[place] = entry;
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
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const state = this.#states.length;
    this.#states.push({ runes: sortedRunes, pending: sortedPending, before: beforeKind });
    this.#known.set(key, state);
    const bytes = stateBytes + this.#width * 4 + (runes.length + pending.length) * 8;
    this.#held.bytes += bytes;
    this.#memory.shared.leftBytes -= bytes;
    if ((state + 1) * this.#width > this.#table.length) this.#grow();
    return state;
  }

  #isFull(): boolean {
    const { mostBytes, ownBytes, shared } = this.#memory;
    const { bytes } = this.#held;
    return bytes > mostBytes || (bytes > ownBytes && shared.leftBytes < 0);
  }

  #grow(): void {
    const states = Math.max(firstStates, Math.ceil(this.#states.length * 1.5));
    const table = new Int32Array(states * this.#width).fill(unknown);
    table.set(this.#table);
    this.#table = table;
  }

  #clear(): void {
    this.#generation++;
    this.#table = new Int32Array(0);
    this.#states = [];
    this.#known = new Map();
    this.#accepted = new Map();
    this.#begins.fill(unknown);
    this.#memory.shared.leftBytes += this.#held.bytes;
    this.#held.bytes = 0;
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

// Which conditions hold between two characters, given their kinds.
function holding(before: number, after: number): number {
  let holds: number =
    (before === kinds.word) === (after === kinds.word) ? conditions.noWordBoundary : conditions.wordBoundary;
  if (before === kinds.edge) holds |= conditions.beginText | conditions.beginLine;
  if (before === kinds.newline) holds |= conditions.beginLine;
  if (after === kinds.edge) holds |= conditions.endText | conditions.endLine;
  if (after === kinds.newline) holds |= conditions.endLine;
  return holds;
}

// The bytes as they are: for building states, that is twenty times as fast as a list of character codes.
function codes({ buffer, byteOffset, byteLength }: Int32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf16le");
}

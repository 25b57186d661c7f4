// Patterns without literals: one automaton for many of them says what is settled and which of them matched.

import type { LazyDfa, Pass } from "../dfa.ts";
import { type Searched, searchUntil } from "./gated-search.ts";
import type { LaneReport } from "./lane.ts";
import type { PatternGroup } from "./pattern-group.ts";
import type { StreamTables } from "./tables.ts";

const chunkBudget = 300_000;
const shortRest = 1_024;

/** Searches the patterns that have no literal. */
export class GroupSearch {
  readonly #tables: StreamTables;
  /** By group: where matches may begin, and the end of the text at which it is worth to look again. */
  readonly #at: number[];
  readonly #retryAt: number[];
  /** By pattern: where it goes on. */
  readonly #resume: Map<number, number>;
  /** By group: how far its automaton has come, so that it reads every unit once. Offsets are those of the form. */
  readonly #passes: (Pass | undefined)[];
  /** By group: patterns that matched in what its automaton has read, and up to where it had read by then. */
  readonly #matched: Map<number, number>[];

  constructor(tables: StreamTables, from?: GroupSearch) {
    this.#tables = tables;
    this.#at = from === undefined ? tables.groups.map(() => 0) : [...from.#at];
    this.#retryAt = from === undefined ? tables.groups.map(() => 0) : [...from.#retryAt];
    this.#resume = new Map(from === undefined ? [] : from.#resume);
    this.#passes = tables.groups.map((_, index) => (from === undefined ? undefined : from.#passes[index]));
    this.#matched = tables.groups.map((_, index) => new Map(from === undefined ? [] : from.#matched[index]));
  }

  /** Reports what is certain, and lowers the edges for what is not. */
  settle(searched: Searched, report: LaneReport, lower: (job: number, edge: number) => void): void {
    const budget = { left: chunkBudget };
    for (const [index, group] of this.#tables.groups.entries()) {
      const job = this.#tables.patterns[group.members[0] ?? -1]?.job ?? 0;
      if (!searched.reads(job)) {
        this.#at[index] = searched.tail.end;
        this.#passes[index] = undefined;
        continue;
      }
      if (searched.waits(job, this.#at[index] ?? 0)) {
        lower(job, this.#at[index] ?? 0);
        continue;
      }
      const waitsAt = this.#settleGroup(index, group, searched, budget, (finding) => report(job, finding));
      lower(job, Math.min(waitsAt, this.#at[index] ?? 0));
    }
  }

  /** The least offset that is still of interest. */
  least(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const at of this.#at) least = Math.min(least, at);
    return least;
  }

  // Answers where a match waits for text behind it; infinity for none.
  #settleGroup(
    index: number,
    { members, isFolded, reach, dfa }: PatternGroup,
    searched: Searched,
    budget: { left: number },
    report: (finding: Parameters<LaneReport>[1]) => void,
  ): number {
    const { base } = isFolded ? searched.folded : searched.tail;
    const end = isFolded ? searched.foldEnd : searched.tail.end;
    const text = isFolded ? searched.foldedText : searched.tail.text;
    const from = this.#at[index] ?? 0;
    if (end <= from || end < (this.#retryAt[index] ?? 0)) return Number.POSITIVE_INFINITY;
    const to = end - base;
    const at = from - base;
    const matched = this.#matched[index] ?? new Map<number, number>();
    const settled = this.#read(index, dfa, { text, base, at, to }, budget);
    const limit = Math.max(at, settled ?? 0, to - reach - 2);
    const wanted = settled === undefined ? members.keys() : [...matched.keys()];
    let waitsAt = Number.POSITIVE_INFINITY;
    for (const member of wanted) {
      const pattern = members[member] ?? 0;
      const rest = this.#search(pattern, text, { at, limit, to }, base, report);
      if (rest >= 0) waitsAt = Math.min(waitsAt, base + rest);
      else if ((matched.get(member) ?? 0) <= base + limit) matched.delete(member);
    }
    this.#at[index] = Number.isFinite(waitsAt) ? Math.min(waitsAt, base + limit) : base + limit;
    const rest = to - limit;
    this.#retryAt[index] = rest < shortRest ? 0 : end + (rest >> 3);
    return waitsAt;
  }

  // Reads on to the end of the text. Answers up to where all is settled, in the text; undefined when the budget is used up.
  #read(
    index: number,
    dfa: LazyDfa,
    { text, base, at, to }: { readonly text: string; readonly base: number; readonly at: number; readonly to: number },
    budget: { left: number },
  ): number | undefined {
    const matched = this.#matched[index];
    const found = new Set<number>();
    const known = this.#passes[index];
    // What was settled by its length alone may be ahead of the automaton.
    const isAhead = known !== undefined && known.at >= base + at;
    let pass = isAhead ? moved(known, -base) : undefined;
    if (pass === undefined || !dfa.goOn(text, pass, to, found, budget)) {
      pass = dfa.begin(text, { from: Math.max(0, at - 1), at });
      if (!dfa.goOn(text, pass, to, found, budget)) pass = undefined;
    }
    this.#passes[index] = pass && moved(pass, base);
    for (const member of found) matched?.set(member, base + to);
    return pass?.fresh;
  }

  #search(
    pattern: number,
    text: string,
    { at, limit, to }: { readonly at: number; readonly limit: number; readonly to: number },
    base: number,
    report: (finding: Parameters<LaneReport>[1]) => void,
  ): number {
    const probe = this.#tables.patterns[pattern]?.probe;
    if (probe === undefined) return -1;
    const begin = Math.max(at, (this.#resume.get(pattern) ?? 0) - base);
    if (begin >= limit) return -1;
    const rest = searchUntil(probe, text, { at: begin, limit, to, end: to }, base, report);
    if (rest.end >= 0) this.#resume.set(pattern, base + rest.end);
    return rest.waitsAt;
  }
}

function moved({ state, fresh, at, generation }: Pass, by: number): Pass {
  return { state, fresh: fresh + by, at: at + by, generation };
}

// Searches patterns without required literals: one automaton for many of them reports what is settled and which of them
// matched.

import type { LazyDfa, Pass } from "../pattern/lazy-dfa.ts";
import { type Searched, searchUntil } from "./gated-search.ts";
import type { PatternGroup } from "./pattern-group.ts";
import type { FormReport } from "./report.ts";
import type { StreamTables } from "./tables.ts";

const chunkBudget = 300_000;
const shortRest = 1_024;

/** Searches the patterns that have no required literal. */
export class GroupSearch {
  readonly #tables: StreamTables;
  /** By group: where matches may begin, and the text length at which the next attempt is worthwhile. */
  readonly #at: number[];
  readonly #retryAt: number[];
  /** By pattern: where its search continues. */
  readonly #resume: Map<number, number>;
  /** By group: how far its automaton has read, so that it reads each unit once. Offsets are those of the form. */
  readonly #passes: (Pass | undefined)[];
  /** By group: the patterns that matched, each with how far the automaton had read by then. */
  readonly #matched: Map<number, number>[];

  constructor(tables: StreamTables, from?: GroupSearch) {
    this.#tables = tables;
    this.#at = from === undefined ? tables.groups.map(() => 0) : [...from.#at];
    this.#retryAt = from === undefined ? tables.groups.map(() => 0) : [...from.#retryAt];
    this.#resume = new Map(from === undefined ? [] : from.#resume);
    this.#passes = tables.groups.map((_, index) => (from === undefined ? undefined : from.#passes[index]));
    this.#matched = tables.groups.map((_, index) => new Map(from === undefined ? [] : from.#matched[index]));
  }

  /** Reports certain findings, and lowers the edges for the others. */
  settle(searched: Searched, report: FormReport, lower: (job: number, edge: number) => void): void {
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

  /** The smallest offset that is still needed. */
  minOffset(): number {
    let minOffset = Number.POSITIVE_INFINITY;
    for (const at of this.#at) minOffset = Math.min(minOffset, at);
    return minOffset;
  }

  // Returns the start of the first match that must wait for following text; infinity for none.
  #settleGroup(
    index: number,
    { members, isFolded, reach, dfa }: PatternGroup,
    searched: Searched,
    budget: { left: number },
    report: (finding: Parameters<FormReport>[1]) => void,
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

  // Reads to the end of the text. Returns the offset of the text up to which everything is settled; undefined when the
  // budget is used up.
  #read(
    index: number,
    dfa: LazyDfa,
    { text, base, at, to }: { readonly text: string; readonly base: number; readonly at: number; readonly to: number },
    budget: { left: number },
  ): number | undefined {
    const matched = this.#matched[index];
    const found = new Set<number>();
    const known = this.#passes[index];
    // What its length alone settled may be ahead of the automaton.
    const isAhead = known !== undefined && known.at >= base + at;
    let pass = isAhead ? moved(known, -base) : undefined;
    if (pass === undefined || !dfa.resume(text, pass, to, found, budget)) {
      pass = dfa.begin(text, { from: Math.max(0, at - 1), at });
      if (!dfa.resume(text, pass, to, found, budget)) pass = undefined;
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
    report: (finding: Parameters<FormReport>[1]) => void,
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

// Patterns with literals: a hit opens a region in which a match may lie. The region is searched as soon as the pattern's automaton says
// that no way through it is open any more, or when it is wide enough that none can be.

import type { Gate } from "../literal.ts";
import { findMatches } from "../pattern-search.ts";
import type { PatternProbe } from "../plan.ts";
import { collapsedBack, collapsedForth } from "./collapsed.ts";
import type { LaneReport } from "./lane.ts";
import type { StreamTables } from "./tables.ts";
import type { TextTail } from "./text-tail.ts";

/** What is searched: a form of the text, and the same with look-alikes folded, which is final up to `foldEnd`. */
export interface Searched {
  readonly tail: TextTail;
  readonly folded: TextTail;
  readonly foldEnd: number;
  /** The folded text as far as it is final. */
  readonly foldedText: string;
  readonly reads: (job: number) => boolean;
  /** Whether it would make no difference yet to settle what a detector finds from an offset on. */
  readonly waits: (job: number, from: number) => boolean;
}

/** Where matches of one pattern may lie. */
interface Region {
  readonly pattern: number;
  /** Where they may begin. */
  from: number;
  /** Begin and end of the last literal in it, and how far a match may reach behind that. */
  lastStart: number;
  lastEnd: number;
  after: number;
  /** End of the text at which it is worth to look again. */
  retryAt: number;
}

/** What building automata may cost for one chunk, in visited instructions. */
const chunkBudget = 200_000;
/** A longer region is looked at again when it has grown by an eighth only: so a long match costs no more than its length, eight times. */
const shortRegion = 1_024;

/** Searches the patterns that have literals. */
export class GatedSearch {
  readonly #tables: StreamTables;
  readonly #regions = new Map<number, Region>();
  /** By pattern: where its last match ended. */
  readonly #ends = new Map<number, number>();

  constructor(tables: StreamTables, from?: GatedSearch) {
    this.#tables = tables;
    if (from === undefined) return;
    for (const [pattern, region] of from.#regions) this.#regions.set(pattern, { ...region });
    for (const [pattern, end] of from.#ends) this.#ends.set(pattern, end);
  }

  /** Notes a literal that ends at a place of the tail. */
  hit(pattern: number, gate: Gate, { base, text }: TextTail, end: number): void {
    const isElastic = this.#tables.patterns[pattern]?.probe.pattern.elastic === true;
    const back = (units: number) => (isElastic ? collapsedBack(text, end, units) : Math.max(0, end - units));
    const from = Number.isFinite(gate.before) ? base + back(gate.literal.length + gate.before) : 0;
    const lastStart = base + back(gate.literal.length);
    const region = this.#regions.get(pattern);
    if (region === undefined) {
      const begin = Math.max(from, this.#ends.get(pattern) ?? 0, base);
      this.#regions.set(pattern, {
        pattern,
        from: begin,
        lastStart,
        lastEnd: base + end,
        after: gate.after,
        retryAt: 0,
      });
      return;
    }
    region.from = Math.min(region.from, Math.max(from, this.#ends.get(pattern) ?? 0, base));
    region.after = Math.max(gate.after, region.lastEnd + region.after - base - end);
    region.lastStart = Math.max(region.lastStart, lastStart);
    region.lastEnd = base + end;
  }

  /** Reports what is certain, and lowers the edges for what is not. */
  settle(searched: Searched, report: LaneReport, lower: (job: number, edge: number) => void): void {
    const budget = { left: chunkBudget };
    for (const region of this.#regions.values()) {
      const use = this.#tables.patterns[region.pattern];
      if (use === undefined || !searched.reads(use.job)) this.#regions.delete(region.pattern);
      else if (searched.waits(use.job, region.from)) lower(use.job, region.from);
      else if (this.#settleRegion(region, use.probe, searched, budget, (finding) => report(use.job, finding)))
        this.#regions.delete(region.pattern);
      else lower(use.job, region.from);
    }
  }

  /** The least offset that is still of interest. */
  least(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { from } of this.#regions.values()) least = Math.min(least, from);
    return least;
  }

  // True when nothing in the region is open any more.
  #settleRegion(
    region: Region,
    probe: PatternProbe,
    searched: Searched,
    budget: { left: number },
    report: (finding: Parameters<LaneReport>[1]) => void,
  ): boolean {
    const tail = probe.folded ? searched.folded : searched.tail;
    const end = probe.folded ? searched.foldEnd : tail.end;
    if (end < region.retryAt || end <= region.from) return false;
    const { base } = tail;
    const text = probe.folded ? searched.foldedText : tail.text;
    const to = end - base;
    const isWide = isPast(region, probe, text, base);
    const found = new Set<number>();
    const at = region.from - base;
    const settled = isWide
      ? undefined
      : probe.pattern.dfa?.settledUntil(text, { from: Math.max(0, at - 1), at, to }, found, budget);
    if (!isWide && settled === undefined) return false;
    const isClosed = isWide || base + (settled ?? 0) > region.lastStart;
    const limit = isWide ? to : (settled ?? 0);
    if (isWide || found.size > 0) {
      const rest = searchUntil(probe, text, { at, limit, to: isWide ? to : limit, end: to }, base, report);
      if (rest.end >= 0) this.#ends.set(region.pattern, base + rest.end);
      if (rest.waitsAt >= 0) {
        region.from = base + rest.waitsAt;
        return false;
      }
    }
    region.from = Math.max(region.from, base + limit);
    const length = end - region.from;
    region.retryAt = length < shortRegion ? 0 : end + (length >> 3);
    return isClosed;
  }
}

// Whether the text reaches so far behind the last literal that no match of the region can go on.
function isPast({ lastEnd, after }: Region, { pattern }: PatternProbe, text: string, base: number): boolean {
  if (!Number.isFinite(after)) return false;
  if (!pattern.elastic) return text.length + base >= lastEnd + after + 2;
  return text.length + base > lastEnd + after && (collapsedForth(text, lastEnd - base, after + 2) ?? -1) >= 0;
}

/** Where to search. */
export interface SearchRange {
  /** Where matches may begin, at first and at last. */
  readonly at: number;
  readonly limit: number;
  /** Where they end. */
  readonly to: number;
  /** Where the text that is known ends. */
  readonly end: number;
}

/** Reports the matches of a pattern that begin before a limit. Says where the last one ended, and which one has to wait for text behind it; -1 for none. */
export function searchUntil(
  { pattern, accept, reach = 0 }: PatternProbe,
  text: string,
  { at, limit, to, end }: SearchRange,
  base: number,
  report: (finding: Parameters<LaneReport>[1]) => void,
): { readonly end: number; readonly waitsAt: number } {
  let last = -1;
  for (const match of findMatches(pattern, text, at, to, { at })) {
    if (match.start >= limit) break;
    if (match.end + reach > end) return { end: last, waitsAt: match.start };
    const finding = accept(match, text);
    if (finding !== undefined) report({ ...finding, start: finding.start + base, end: finding.end + base });
    last = Math.max(match.end, match.start + 1);
  }
  return { end: last, waitsAt: -1 };
}

// Searches patterns that have required literals. A hit of a literal opens a region in which a match may lie. The region
// is searched as soon as the pattern's automaton reports that no match is under way, or when the region is wide enough
// that none can be.

import type { PatternProbe } from "../detectors/detector-plan.ts";
import { findMatches } from "../pattern/pattern-search.ts";
import type { RequiredLiteral } from "../pattern/required-literals.ts";
import { collapsedBack, collapsedForth } from "./collapsed.ts";
import type { FormReport } from "./report.ts";
import type { StreamTables } from "./tables.ts";
import type { TextTail } from "./text-tail.ts";

/**
 * The text that is searched: a form of the text, and the same with look-alikes folded, which is final up to `foldEnd`.
 */
export interface Searched {
  readonly tail: TextTail;
  readonly folded: TextTail;
  readonly foldEnd: number;
  /** The final part of the folded text. */
  readonly foldedText: string;
  readonly reads: (job: number) => boolean;
  /** Whether settling a detector's findings from an offset on would have no effect yet. */
  readonly waits: (job: number, from: number) => boolean;
}

/** A region in which matches of one pattern may lie. */
interface Region {
  readonly pattern: number;
  /** The smallest offset at which a match may begin. */
  from: number;
  /** Start and end of the last literal in it, and how far after its end a match may reach. */
  lastStart: number;
  lastEnd: number;
  after: number;
  /** The text length at which the next attempt is worthwhile. */
  retryAt: number;
}

/** Budget for building automata in one chunk, in visited instructions. */
const chunkBudget = 200_000;
/** A longer region is searched again only after it has grown by an eighth, so a match of n units costs at most 8 n. */
const shortRegion = 1_024;

/** Searches the patterns that have required literals. */
export class GatedSearch {
  readonly #tables: StreamTables;
  readonly #regions = new Map<number, Region>();
  /** By pattern: the end of its last match. */
  readonly #ends = new Map<number, number>();

  constructor(tables: StreamTables, from?: GatedSearch) {
    this.#tables = tables;
    if (from === undefined) return;
    for (const [pattern, region] of from.#regions) this.#regions.set(pattern, { ...region });
    for (const [pattern, end] of from.#ends) this.#ends.set(pattern, end);
  }

  /** Notes a literal that ends at `end`, an offset of the tail's text. */
  hit(pattern: number, gate: RequiredLiteral, { base, text }: TextTail, end: number): void {
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

  /** Reports certain findings, and lowers the edges for the others. */
  settle(searched: Searched, report: FormReport, lower: (job: number, edge: number) => void): void {
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

  /** The smallest offset that is still needed. */
  minOffset(): number {
    let minOffset = Number.POSITIVE_INFINITY;
    for (const { from } of this.#regions.values()) minOffset = Math.min(minOffset, from);
    return minOffset;
  }

  // True when nothing in the region can change any more.
  #settleRegion(
    region: Region,
    probe: PatternProbe,
    searched: Searched,
    budget: { left: number },
    report: (finding: Parameters<FormReport>[1]) => void,
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

// Whether the text extends so far after the last literal that no match of the region can continue.
function isPast({ lastEnd, after }: Region, { pattern }: PatternProbe, text: string, base: number): boolean {
  if (!Number.isFinite(after)) return false;
  if (!pattern.elastic) return text.length + base >= lastEnd + after + 2;
  return text.length + base > lastEnd + after && (collapsedForth(text, lastEnd - base, after + 2) ?? -1) >= 0;
}

/** A range to search. Offsets are those of the searched text. */
export interface SearchRange {
  /** Matches begin at `at` or later, and before `limit`. */
  readonly at: number;
  readonly limit: number;
  /** Matches end at `to` at the latest. */
  readonly to: number;
  /** The end of the known text. */
  readonly end: number;
}

/**
 * Reports the matches of a pattern that begin before the limit. Returns where the last one ended, and the start of the
 * first match that must wait for following text; -1 for none.
 */
export function searchUntil(
  { pattern, accept, reach = 0 }: PatternProbe,
  text: string,
  { at, limit, to, end }: SearchRange,
  base: number,
  report: (finding: Parameters<FormReport>[1]) => void,
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

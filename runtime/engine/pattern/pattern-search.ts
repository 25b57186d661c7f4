// Finds the matches of a pattern. A pattern with required literals is searched only in windows around their hits, any
// other in the whole text. Either way a lazy DFA first says whether there is a match and roughly where; then a priority
// DFA says where it begins and ends. The engine of the library costs many times as much, and takes over only when the
// automata give up.

import type { RE2JS } from "re2js";
import { splitsPair } from "./compile-pattern.ts";
import type { BuildBudget } from "./dfa-state.ts";
import { type LazyDfa, type MatchBounds, noMatch, outOfBudget } from "./lazy-dfa.ts";
import type { LinearPattern, PatternMatch } from "./linear-pattern.ts";
import { noEnd, unknownEnd } from "./priority-dfa.ts";

/**
 * Steps that finding all matches of one pattern in one text may cost, beside `stepsPerUnit` for each unit of the text.
 */
const stepBudget = 1_000_000;
const stepsPerUnit = 32;
/** Units that the search for the beginning of a match may read for each unit between its bounds. */
const readsPerUnit = 16;

/** Work that searches have done, so that tests can assert a bound: units of text that the engine may have read. */
export interface SearchWork {
  units: number;
}

/** Counters and limits of a search. */
export interface SearchLimits {
  readonly work?: SearchWork | undefined;
  /** The work that building automata may cost. */
  readonly budget?: BuildBudget;
  /** Where matches may begin, when text before it is context only. Default: anywhere. */
  readonly at?: number;
  /** The parts of the text in which matches begin; see TextPart. Default: anywhere. */
  readonly starts?: readonly number[];
}

/** A search in progress in one part of a text. */
interface Search {
  readonly pattern: LinearPattern;
  readonly text: string;
  /** The part with its context. */
  readonly from: number;
  readonly to: number;
  /** Where the part ends without its context. */
  readonly end: number;
  readonly work: SearchWork | undefined;
  readonly matches: PatternMatch[];
  readonly starts: readonly number[] | undefined;
  /** Where the search continues. */
  at: number;
  steps: number;
}

/**
 * All matches within a part of a text, leftmost first and not overlapping. One character on each side is context for
 * `\b`, `^` and `$`: for `\bab` in "xab ab" from 1 to 6 the only match is at 4 to 6. When the step budget is used up,
 * the last match extends to the end of the part, so that no text is skipped silently.
 */
export function findMatches(
  pattern: LinearPattern,
  text: string,
  from: number,
  to: number,
  { work, budget = unlimited, at = 0, starts }: SearchLimits = {},
): PatternMatch[] {
  const sliceFrom = contextBefore(text, from);
  const begin = Math.max(at, sliceFrom);
  const sliceTo = contextAfter(text, to);
  const length = sliceTo - sliceFrom;
  if (work !== undefined) work.units += length;
  const { finder: dfa } = pattern;
  const matches: PatternMatch[] = [];
  const part = { from: sliceFrom, at: begin, to: sliceTo, starts };
  const first = dfa === undefined ? outOfBudget : dfa.find(text, part, budget);
  if (first === noMatch) return matches;
  const steps = stepBudget + stepsPerUnit * length;
  const search = { pattern, text, from: sliceFrom, to: sliceTo, end: to, work, matches, starts, at: begin, steps };
  if (dfa === undefined || first === outOfBudget || !searchAround(search, dfa, first, budget)) searchRest(search);
  return matches;
}

const unlimited: BuildBudget = { left: Number.POSITIVE_INFINITY };

// The lazy DFA says where the next match is, and only that neighbourhood is searched. Returns false when the whole rest
// has to be searched: the budget is used up, or matches are so close together that separate searches would cost more.
function searchAround(search: Search, dfa: LazyDfa, first: MatchBounds, budget: BuildBudget): boolean {
  const { text, work, starts } = search;
  for (let bounds = first; ; ) {
    if (search.steps < stepBudget / 2) return false;
    const from = Math.max(search.from, contextBefore(text, bounds.low));
    const to = Math.min(search.to, contextAfter(text, bounds.high));
    search.steps -= to - from;
    if (work !== undefined) work.units += to - from;
    const match = matchAt(search, bounds, budget) ?? matchIn(search, bounds.low, from, to);
    if (match === undefined) return false;
    search.matches.push(match);
    search.at = match.end;
    const next = dfa.find(text, { from: search.from, at: search.at, to: search.to, starts }, budget);
    if (next === noMatch) return true;
    if (next === outOfBudget) return false;
    bounds = next;
  }
}

// The first match within the bounds, by the priority DFA. It is tried at one offset after the other, and rejects most
// of them after one character. Undefined when that takes too long.
function matchAt(
  { pattern, text, from, to }: Search,
  { low, high }: MatchBounds,
  budget: BuildBudget,
): PatternMatch | undefined {
  const { priorityDfa } = pattern;
  if (priorityDfa === undefined) return undefined;
  const limits = { budget, reading: { left: readsPerUnit * (high - low) } };
  for (let start = low; start < high; start++) {
    if (splitsPair(text, start)) continue;
    const end = priorityDfa.endOf(text, { from, at: start, to }, limits);
    if (end === unknownEnd) return undefined;
    if (end !== noEnd) return { start, end };
  }
  return undefined;
}

// The same by the engine of the library, which reads a little text around the bounds as context.
function matchIn({ pattern, text }: Search, low: number, from: number, to: number): PatternMatch | undefined {
  const matcher = pattern.engine.matcher(text.slice(from, to));
  return matcher.find(low - from) ? matchOf(matcher, from) : undefined;
}

function searchRest(search: Search): void {
  const { pattern, text, from, to, end: partEnd, work, matches } = search;
  const slice = text.slice(from, to);
  const matcher = pattern.engine.matcher(slice);
  let searched = search.at - from;
  for (let found = matcher.find(searched); found; found = matcher.find()) {
    const end = matcher.end();
    const looked = pattern.lookahead(slice, end);
    if (work !== undefined) work.units += looked;
    search.steps -= end - searched + looked;
    searched = end;
    const match = matchOf(matcher, from);
    if (search.steps < 0) {
      matches.push({ ...match, end: partEnd });
      break;
    }
    matches.push(match);
  }
}

function matchOf(matcher: ReturnType<RE2JS["matcher"]>, offset: number): PatternMatch {
  return { start: matcher.start() + offset, end: matcher.end() + offset };
}

function contextBefore(text: string, at: number): number {
  const start = splitsPair(text, at) ? at - 1 : at;
  if (start === 0) return 0;
  return splitsPair(text, start - 1) ? start - 2 : start - 1;
}

function contextAfter(text: string, at: number): number {
  const end = splitsPair(text, at) ? at + 1 : at;
  if (end >= text.length) return text.length;
  return splitsPair(text, end + 1) ? end + 2 : end + 1;
}

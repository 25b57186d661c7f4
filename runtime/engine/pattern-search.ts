// Finds the matches of a pattern. One that has required literals is verified only on windows around their hits; one that has none runs
// over the whole text. Either way a lazy automaton says first whether there is a match at all and about where, and a second one, which
// knows priorities, where it begins and ends. The engine of the library, many times as expensive, is for what they give up.

import type { RE2JS } from "re2js";
import { type LazyDfa, noMatch, outOfBudget, type Place } from "./dfa.ts";
import type { BuildBudget } from "./dfa-state.ts";
import { noEnd, unknownEnd } from "./ordered-dfa.ts";
import { type LinearPattern, type PatternMatch, splitsPair } from "./regex.ts";

/** Steps that finding all matches of one pattern in one text may cost beside a fixed multiple of the text's length. */
const stepBudget = 1_000_000;
const stepsPerUnit = 32;
/** Units that looking for the beginning of a match may read for each unit of its surroundings. */
const readsPerUnit = 16;

/** Work done while searching, so that tests can hold it to a bound: units of text that the engine may have read. */
export interface SearchWork {
  units: number;
}

/** What a search counts and what it may cost. */
export interface SearchLimits {
  readonly work?: SearchWork | undefined;
  /** What building automata may cost. */
  readonly budget?: BuildBudget;
  /** Where matches may begin, when text before it in the part is context only. Default: anywhere. */
  readonly at?: number;
}

/** A search under way in one part of a text. */
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
  /** Where to go on. */
  at: number;
  steps: number;
}

/**
 * All matches within a part of a text, leftmost first and not overlapping. One character on each side is context for `\b`, `^` and `$`.
 * When the step budget ends, the last match reaches to the end of the part: nothing behind it is silently passed.
 */
export function findMatches(
  pattern: LinearPattern,
  text: string,
  from: number,
  to: number,
  { work, budget = unlimited, at = 0 }: SearchLimits = {},
): PatternMatch[] {
  const sliceFrom = contextBefore(text, from);
  const begin = Math.max(at, sliceFrom);
  const sliceTo = contextAfter(text, to);
  const length = sliceTo - sliceFrom;
  if (work !== undefined) work.units += length;
  const { finder: dfa } = pattern;
  const matches: PatternMatch[] = [];
  const first = dfa === undefined ? outOfBudget : dfa.find(text, { from: sliceFrom, at: begin, to: sliceTo }, budget);
  if (first === noMatch) return matches;
  const steps = stepBudget + stepsPerUnit * length;
  const search = { pattern, text, from: sliceFrom, to: sliceTo, end: to, work, matches, at: begin, steps };
  if (dfa === undefined || first === outOfBudget || !searchAround(search, dfa, first, budget)) searchRest(search);
  return matches;
}

const unlimited: BuildBudget = { left: Number.POSITIVE_INFINITY };

// The automaton says where the next match is, and its surroundings are looked at only. False when all of the rest has to be looked at: the
// budget is used up, or matches are so close that looking around each would cost more.
function searchAround(search: Search, dfa: LazyDfa, first: Place, budget: BuildBudget): boolean {
  const { text, work } = search;
  for (let place = first; ; ) {
    if (search.steps < stepBudget / 2) return false;
    const from = Math.max(search.from, contextBefore(text, place.low));
    const to = Math.min(search.to, contextAfter(text, place.high));
    search.steps -= to - from;
    if (work !== undefined) work.units += to - from;
    const match = matchAt(search, place, budget) ?? matchIn(search, place.low, from, to);
    if (match === undefined) return false;
    search.matches.push(match);
    search.at = match.end;
    const next = dfa.find(text, { from: search.from, at: search.at, to: search.to }, budget);
    if (next === noMatch) return true;
    if (next === outOfBudget) return false;
    place = next;
  }
}

// The first match in a place by the automaton that knows priorities: it is asked at one beginning after the other, most of which it
// turns down after a character. Undefined when that takes too long.
function matchAt(
  { pattern, text, from, to }: Search,
  { low, high }: Place,
  budget: BuildBudget,
): PatternMatch | undefined {
  const { ordered } = pattern;
  if (ordered === undefined) return undefined;
  const limits = { budget, reading: { left: readsPerUnit * (high - low) } };
  for (let start = low; start < high; start++) {
    if (splitsPair(text, start)) continue;
    const end = ordered.endOf(text, { from, at: start, to }, limits);
    if (end === unknownEnd) return undefined;
    if (end !== noEnd) return { start, end };
  }
  return undefined;
}

// The same by the engine of the library, which reads a little more of the text than the place for context.
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

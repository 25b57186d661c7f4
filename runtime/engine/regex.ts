// Patterns on a linear-time engine (re2js). A pattern that has required literals is verified only on windows around their hits; one
// that has none runs over the whole text. Either way a lazy automaton says first whether there is a match at all, which is many times
// cheaper than to find it.

import { RE2JS, RE2JSException } from "re2js";
import patterns from "../../gen/engine/patterns.json" with { type: "json" };
import { LazyDfa, noMatch, outOfBudget, type Place } from "./dfa.ts";
import type { BuildBudget } from "./dfa-state.ts";
import { measure } from "./distance.ts";
import type { Gate } from "./literal.ts";
import { createLookahead, type Lookahead } from "./lookahead.ts";
import { essenceOf } from "./optional-lead.ts";
import { explainRefusal, PatternError } from "./pattern-error.ts";
import { analyse, type PatternFacts, patternKey, readFacts, type StoredFacts, storeFacts } from "./pattern-facts.ts";
import { PatternMemory } from "./pattern-memory.ts";
import { readProgram } from "./program.ts";
import type { Spice } from "./spice.ts";
import { patternMemory } from "./state-memory.ts";

/** Flags of a pattern. */
export interface PatternFlags {
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
  readonly dotAll?: boolean;
}

/** A compiled pattern with what was learned about it. */
export interface LinearPattern extends PatternFacts {
  readonly source: string;
  /** Source and flags: patterns with one key are one pattern. */
  readonly key: string;
  /** Made when first asked for, as is what follows from it: many patterns are never needed, since their literals never occur. */
  readonly engine: RE2JS;
  /** How far behind the end of a match the engine may have looked, at most. */
  readonly lookahead: Lookahead;
  /** The automaton that follows matches from their beginning. Undefined for a pattern that has none. */
  readonly dfa: LazyDfa | undefined;
  /** The automaton that finds where matches end. Undefined for a pattern that has none. */
  readonly finder: LazyDfa | undefined;
}

/** One match. Offsets are those of the searched text. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** Bounds of the capturing groups, two for each, -1 for those that took no part. */
  readonly groups: readonly number[];
}

/** Steps that finding all matches of one pattern in one text may cost beside a fixed multiple of the text's length. */
const stepBudget = 1_000_000;
const stepsPerUnit = 32;

const memory = new PatternMemory();
const builtInFacts: ReadonlyMap<string, StoredFacts> = new Map(Object.entries(patterns));

/** Compiles a pattern, or remembers it. Throws PatternError. */
export function compilePattern(source: string, flags: PatternFlags = {}): LinearPattern {
  const bits = flagBits(flags);
  return memory.take(`${bits}:${source}`, () => newPattern(source, bits));
}

/** Tells what was found out about patterns elsewhere: they need not be analysed here, nor compiled before somebody searches for them. */
export function learnPatterns(facts: Iterable<readonly [key: string, StoredFacts]>): void {
  memory.learn(facts);
}

/** Does work, and says which patterns it asked for, and what is known about them; the built-in ones apart. */
export function recordPatterns<T>(work: () => T): { readonly result: T; readonly facts: Map<string, StoredFacts> } {
  const { result, asked } = memory.record(work);
  const facts = asked.flatMap((pattern) => {
    const [bits = "0"] = pattern.key.split(":", 1);
    const key = patternKey(pattern.source, Number(bits));
    return builtInFacts.has(key) ? [] : [[key, storeFacts(pattern)] as const];
  });
  return { result, facts: new Map(facts) };
}

function newPattern(source: string, bits: number): LinearPattern {
  const key = patternKey(source, bits);
  const stored = builtInFacts.get(key) ?? memory.factsOf(key);
  if (stored !== undefined) return new CompiledPattern(source, bits, readFacts(stored));
  const engine = compileEngine(source, bits);
  return new CompiledPattern(source, bits, analyse(engine), engine);
}

class CompiledPattern implements LinearPattern {
  readonly source: string;
  readonly key: string;
  readonly groupCount: number;
  readonly programSize: number;
  readonly minLength: number;
  readonly maxLength: number;
  readonly elastic: boolean;
  readonly gates: readonly Gate[];
  readonly company: readonly string[];
  readonly spice: Spice;
  readonly #bits: number;
  #engine: RE2JS | undefined;
  #lookahead: Lookahead | undefined;
  /** Null until it was asked for. */
  #dfa: LazyDfa | undefined | null;
  #finder: LazyDfa | undefined | null;

  constructor(source: string, bits: number, facts: PatternFacts, engine?: RE2JS) {
    this.source = source;
    this.key = `${bits}:${source}`;
    this.groupCount = facts.groupCount;
    this.programSize = facts.programSize;
    this.minLength = facts.minLength;
    this.maxLength = facts.maxLength;
    this.elastic = facts.elastic;
    this.gates = facts.gates;
    this.company = facts.company;
    this.spice = facts.spice;
    this.#bits = bits;
    this.#engine = engine;
    this.#dfa = facts.minLength === 0 ? undefined : null;
    this.#finder = this.#dfa;
  }

  get engine(): RE2JS {
    this.#engine ??= compileEngine(this.source, this.#bits);
    return this.#engine;
  }

  get lookahead(): Lookahead {
    this.#lookahead ??= createLookahead(measure(readProgram(this.engine)));
    return this.#lookahead;
  }

  get dfa(): LazyDfa | undefined {
    if (this.#dfa === null) this.#dfa = LazyDfa.of([readProgram(this.engine)], patternMemory);
    return this.#dfa;
  }

  get finder(): LazyDfa | undefined {
    if (this.#finder === null) {
      const program = readProgram(this.engine);
      const essence = essenceOf(program, measure(program));
      this.#finder = essence.lead === 0 ? this.dfa : LazyDfa.finding(essence, patternMemory);
    }
    return this.#finder;
  }
}

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

// The automaton says where the next match is, the engine looks at its surroundings only. False when it has to look at all of the rest:
// the budget is used up, or matches are so close that looking around each would cost more.
function searchAround(search: Search, dfa: LazyDfa, first: Place, budget: BuildBudget): boolean {
  const { pattern, text, work } = search;
  for (let place = first; ; ) {
    if (search.steps < stepBudget / 2) return false;
    const from = Math.max(search.from, contextBefore(text, place.low));
    const to = Math.min(search.to, contextAfter(text, place.high));
    const matcher = pattern.engine.matcher(text.slice(from, to));
    search.steps -= to - from;
    if (work !== undefined) work.units += to - from;
    if (!matcher.find(place.low - from)) return false;
    search.matches.push(matchOf(matcher, pattern, from));
    search.at = from + matcher.end();
    const next = dfa.find(text, { from: search.from, at: search.at, to: search.to }, budget);
    if (next === noMatch) return true;
    if (next === outOfBudget) return false;
    place = next;
  }
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
    const match = matchOf(matcher, pattern, from);
    if (search.steps < 0) {
      matches.push({ ...match, end: partEnd });
      break;
    }
    matches.push(match);
  }
}

function matchOf(matcher: ReturnType<RE2JS["matcher"]>, { groupCount }: LinearPattern, offset: number): PatternMatch {
  const groups: number[] = [];
  for (let group = 1; group <= groupCount; group++) {
    const at = matcher.start(group);
    groups.push(at < 0 ? -1 : at + offset, at < 0 ? -1 : matcher.end(group) + offset);
  }
  return { start: matcher.start() + offset, end: matcher.end() + offset, groups };
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

/** Whether an offset lies inside a surrogate pair. */
export function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

function flagBits({ ignoreCase, multiline, dotAll }: PatternFlags): number {
  return (
    (ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0) |
    (multiline === true ? RE2JS.MULTILINE : 0) |
    (dotAll === true ? RE2JS.DOTALL : 0)
  );
}

function compileEngine(source: string, bits: number): RE2JS {
  try {
    return RE2JS.compile(source, bits);
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(explainRefusal(error.message));
    throw error;
  }
}

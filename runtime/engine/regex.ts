// Patterns on a linear-time engine (re2js). A pattern that has required literals is verified only on windows around their hits; one
// that has none runs over the whole text. How the whole text is searched is decided here and nowhere else.

import { RE2JS, RE2JSException } from "re2js";
import { measure } from "./distance.ts";
import { type Gate, requiredLiterals } from "./literal.ts";
import { createLookahead, type Lookahead } from "./lookahead.ts";
import { explainRefusal, PatternError } from "./pattern-error.ts";
import { readProgram } from "./program.ts";

/** Flags of a pattern. */
export interface PatternFlags {
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
  readonly dotAll?: boolean;
}

/** A compiled pattern with what was learned about it. */
export interface LinearPattern {
  readonly source: string;
  readonly engine: RE2JS;
  readonly groupCount: number;
  readonly programSize: number;
  readonly minLength: number;
  /** Infinity when a loop is unbounded. */
  readonly maxLength: number;
  /** Whether lengths hold for text with collapsed white space only. */
  readonly elastic: boolean;
  /** How far behind the end of a match the engine may have looked, at most. */
  readonly lookahead: Lookahead;
  /** Every match contains one of these; empty when the pattern has to run over the whole text. */
  readonly gates: readonly Gate[];
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

/** Size of slice times program below which a search with positions costs no more than a test. */
const positionsFirst = 10_000;

/** Compiles a pattern. Throws PatternError. */
export function compilePattern(source: string, flags: PatternFlags = {}): LinearPattern {
  const engine = compileEngine(source, flags);
  const program = readProgram(engine);
  const distances = measure(program);
  if (distances.minLength === Number.POSITIVE_INFINITY) throw new PatternError("the pattern can never match");
  const literals = requiredLiterals(program, distances);
  return {
    source,
    engine,
    groupCount: engine.groupCount(),
    programSize: engine.programSize(),
    minLength: distances.minLength,
    maxLength: distances.maxLength,
    elastic: distances.elastic || literals?.elastic === true,
    lookahead: createLookahead(distances),
    gates: literals?.gates ?? [],
  };
}

/** Work done while searching, so that tests can hold it to a bound: units of text that the engine may have read. */
export interface SearchWork {
  units: number;
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
  work?: SearchWork,
): PatternMatch[] {
  const sliceFrom = contextBefore(text, from);
  const slice = text.slice(sliceFrom, contextAfter(text, to));
  if (work !== undefined) work.units += slice.length;
  const matches: PatternMatch[] = [];
  // The lazy automaton of `test` is several times faster than a search with positions, and most texts have no match.
  if (slice.length * pattern.programSize > positionsFirst && !pattern.engine.test(slice)) return matches;
  const matcher = pattern.engine.matcher(slice);
  let steps = stepBudget + stepsPerUnit * slice.length;
  let searched = 0;
  while (matcher.find()) {
    const end = matcher.end();
    const looked = pattern.lookahead(slice, end);
    if (work !== undefined) work.units += looked;
    steps -= end - searched + looked;
    searched = end;
    const start = matcher.start() + sliceFrom;
    const groups: number[] = [];
    for (let group = 1; group <= pattern.groupCount; group++) {
      const at = matcher.start(group);
      groups.push(at < 0 ? -1 : at + sliceFrom, at < 0 ? -1 : matcher.end(group) + sliceFrom);
    }
    if (steps < 0) {
      matches.push({ start, end: to, groups });
      break;
    }
    matches.push({ start, end: end + sliceFrom, groups });
  }
  return matches;
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

function compileEngine(source: string, flags: PatternFlags): RE2JS {
  const bits =
    (flags.ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.multiline === true ? RE2JS.MULTILINE : 0) |
    (flags.dotAll === true ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(source, bits);
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(explainRefusal(error.message));
    throw error;
  }
}

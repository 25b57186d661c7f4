// The optional prefix of a pattern: what a match may begin with but need not, as in `[\w.-]{0,50}?key`. The end of a
// match does not depend on it, but an automaton that follows it needs a new state for almost every text. So the search
// for matches leaves it out, and it is used only to find where a match begins.

import { cutPoints } from "./dominators.ts";
import type { MatchLengths } from "./match-length.ts";
import type { Program } from "./program.ts";

/** A program without its optional prefix. */
export interface CoreProgram {
  readonly program: Program;
  /**
   * Maximum of UTF-16 code units that the prefix may take; 0 when the program has none. For `[\w.-]{0,50}?key` it is
   * 50.
   */
  readonly maxPrefixLength: number;
}

/** Removes the optional prefix of a program. */
export function coreProgramOf(program: Program, { before, elastic }: MatchLengths): CoreProgram {
  const whole = { program, maxPrefixLength: 0 };
  // Lengths hold for collapsed text only.
  if (elastic) return whole;
  const end = program.code.findIndex(({ step }) => step === "match");
  const free = reachedFreely(program);
  const start = cutPoints(program, program.start, end).findLast((cut) => free.has(cut)) ?? program.start;
  const maxPrefixLength = before[start] ?? 0;
  return maxPrefixLength > 0 && maxPrefixLength !== Number.POSITIVE_INFINITY
    ? { program: { ...program, start }, maxPrefixLength: maxPrefixLength }
    : whole;
}

// The instructions that the start reaches without consuming a character or testing a condition.
function reachedFreely(program: Program): Set<number> {
  const free = new Set<number>();
  const work = [program.start];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    const code = program.code[node];
    if (code === undefined || free.has(node)) continue;
    free.add(node);
    if (code.condition === 0 && (code.step === "split" || code.step === "skip")) work.push(...code.next);
  }
  return free;
}

// What a pattern may begin with and need not, as in `[\w.-]{0,50}?key`. Where a match ends does not depend on it, but an automaton that follows it
// needs a state for almost every text: it is left out for finding matches, and only their beginnings are looked for with it.

import { cutPoints } from "./cut-point.ts";
import type { Distances } from "./distance.ts";
import type { Program } from "./program.ts";

/** A program without its optional lead. */
export interface Essence {
  readonly program: Program;
  /** Most UTF-16 code units that were left out; 0 when the program is the same. */
  readonly lead: number;
}

/** Leaves out the optional lead of a program. */
export function essenceOf(program: Program, { before, elastic }: Distances): Essence {
  const whole = { program, lead: 0 };
  // Lengths hold for collapsed text only.
  if (elastic) return whole;
  const end = program.code.findIndex(({ step }) => step === "match");
  const free = reachedFreely(program);
  const start = cutPoints(program, program.start, end).findLast((cut) => free.has(cut)) ?? program.start;
  const lead = before[start] ?? 0;
  return lead > 0 && lead !== Number.POSITIVE_INFINITY ? { program: { ...program, start }, lead } : whole;
}

// The instructions that are reached without taking a character, and whatever stands there.
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

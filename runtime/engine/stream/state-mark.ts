// Which literals are under way in each state of a stream's automaton, so that a look at the state says what has to be held back.

import { literalsOf, type States } from "../trie.ts";

/** Which literals are under way in each state of the automaton, those of all states below it together. */
export interface StateMarks {
  readonly depth: Int32Array;
  /** Bits of detectors that have a phrase there which must begin a word, and of those that have any other. */
  readonly wordJobs: Int32Array;
  readonly anyJobs: Int32Array;
  /** Bits of lead groups. */
  readonly leads: Int32Array;
}

/** What is marked for one literal: bits, all of them. */
export interface LiteralMark {
  readonly wordJobs: number;
  readonly anyJobs: number;
  readonly leads: number;
}

/** Bits of a mask; what is numbered beyond shares them, which only makes a stream more careful. */
const bits = 31;

/** The bit of a detector or of a lead group. */
export function bitOf(index: number): number {
  return 1 << (index % bits);
}

/** The marks of all states, given those of each literal. A literal is under way in the states before its last: there it has occurred. */
export function markStates(states: States, literals: readonly LiteralMark[]): StateMarks {
  const { count, childStart } = states;
  const depth = new Int32Array(count);
  const [wordJobs, anyJobs, leads] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  for (let state = 0; state < count; state++) {
    const end = childStart[state + 1] ?? 0;
    for (let child = childStart[state] ?? 0; child < end; child++) depth[child] = (depth[state] ?? 0) + 1;
  }
  // Breadth-first numbers: what is below a state comes behind it.
  for (let state = count - 1; state >= 0; state--) {
    const end = childStart[state + 1] ?? 0;
    for (let child = childStart[state] ?? 0; child < end; child++) {
      wordJobs[state] = (wordJobs[state] ?? 0) | (wordJobs[child] ?? 0);
      anyJobs[state] = (anyJobs[state] ?? 0) | (anyJobs[child] ?? 0);
      leads[state] = (leads[state] ?? 0) | (leads[child] ?? 0);
      for (const literal of literalsOf(states, child)) {
        wordJobs[state] = (wordJobs[state] ?? 0) | (literals[literal]?.wordJobs ?? 0);
        anyJobs[state] = (anyJobs[state] ?? 0) | (literals[literal]?.anyJobs ?? 0);
        leads[state] = (leads[state] ?? 0) | (literals[literal]?.leads ?? 0);
      }
    }
  }
  return { depth, wordJobs, anyJobs, leads };
}

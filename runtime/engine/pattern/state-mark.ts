// Marks of the states of a stream's automaton: which literals are in progress in each. A stream then sees from the
// state alone what it has to hold back.

import { literalsOf, type States } from "./trie.ts";

/** By state: the literals that are in progress, those of all states below it included. */
export interface StateMarks {
  readonly depth: Int32Array;
  /** Bits of detectors with a phrase in progress: one that must begin a word, or any other. */
  readonly wordJobs: Int32Array;
  readonly anyJobs: Int32Array;
  /** Bits of groups of patterns with equal prefix sets. */
  readonly prefixSets: Int32Array;
}

/** The bits that one literal marks. */
export interface LiteralMark {
  readonly wordJobs: number;
  readonly anyJobs: number;
  readonly prefixSets: number;
}

/** Bits of a mask. Higher numbers share them, which makes a stream only more careful. */
const bits = 31;

/** The bit of a detector or of a group of prefix sets. */
export function bitOf(index: number): number {
  return 1 << (index % bits);
}

/**
 * The marks of all states, given those of each literal. A literal is in progress in the states before its last one; in
 * its last state it has occurred.
 */
export function markStates(states: States, literals: readonly LiteralMark[]): StateMarks {
  const { count, childStart } = states;
  const depth = new Int32Array(count);
  const [wordJobs, anyJobs, prefixSets] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  for (let state = 0; state < count; state++) {
    const end = childStart[state + 1] ?? 0;
    for (let child = childStart[state] ?? 0; child < end; child++) depth[child] = (depth[state] ?? 0) + 1;
  }
  // States are numbered breadth first: the states below a state have higher numbers.
  for (let state = count - 1; state >= 0; state--) {
    const end = childStart[state + 1] ?? 0;
    for (let child = childStart[state] ?? 0; child < end; child++) {
      wordJobs[state] = (wordJobs[state] ?? 0) | (wordJobs[child] ?? 0);
      anyJobs[state] = (anyJobs[state] ?? 0) | (anyJobs[child] ?? 0);
      prefixSets[state] = (prefixSets[state] ?? 0) | (prefixSets[child] ?? 0);
      for (const literal of literalsOf(states, child)) {
        wordJobs[state] = (wordJobs[state] ?? 0) | (literals[literal]?.wordJobs ?? 0);
        anyJobs[state] = (anyJobs[state] ?? 0) | (literals[literal]?.anyJobs ?? 0);
        prefixSets[state] = (prefixSets[state] ?? 0) | (literals[literal]?.prefixSets ?? 0);
      }
    }
  }
  return { depth, wordJobs, anyJobs, prefixSets };
}

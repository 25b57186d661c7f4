// How far the regex engine may look behind the end of a match before it reports it. Finding all matches of a pattern is quadratic when
// threads of higher priority outlive many short matches (`x*y|x`), so this is what the budget of a search is charged with.

import type { Distances } from "./distance.ts";

/** An upper bound of the units that a search reads behind `from` before its last thread dies. */
export type Lookahead = (text: string, from: number) => number;

/** The bound for a pattern. A thread that lives on takes characters of loops, and at most `straightLength` others. */
export function createLookahead({ straightLength, loopRanges }: Distances): Lookahead {
  let loops: Uint8Array | undefined;
  return (text, from) => {
    loops ??= unitSet(loopRanges);
    let others = 0;
    let at = from;
    while (at < text.length && others <= straightLength) {
      if (loops[text.charCodeAt(at)] === 0) others++;
      at++;
    }
    return at - from;
  };
}

// Surrogates belong to the set when anything outside the basic plane does.
function unitSet(ranges: readonly number[]): Uint8Array {
  const set = new Uint8Array(65536);
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    const to = ranges[i + 1] ?? 0;
    if (to > 0xffff) set.fill(1, 0xd800, 0xe000);
    set.fill(1, Math.min(ranges[i] ?? 0, 0x10000), Math.min(to + 1, 0x10000));
  }
  return set;
}

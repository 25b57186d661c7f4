// How far the regex engine may read after the end of a match before it reports the match. Finding all matches of a
// pattern is quadratic when threads of higher priority outlive many short matches (`x*y|x`), so the budget of a search
// is charged with this distance.

import type { MatchLengths } from "./match-length.ts";

/** An upper bound of the units that a search reads after `from` before its last thread ends. */
export type Lookahead = (text: string, from: number) => number;

/**
 * The bound for a pattern. A thread that survives consumes characters of loops, and at most `straightLength` others.
 * For `x*y|x` in "xxxz" after offset 1 it reads the two "x" and "z".
 */
export function createLookahead({ straightLength, loopRanges }: MatchLengths): Lookahead {
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

// The set contains surrogates when it contains any code point beyond the basic plane.
function unitSet(ranges: readonly number[]): Uint8Array {
  const set = new Uint8Array(65536);
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    const to = ranges[i + 1] ?? 0;
    if (to > 0xffff) set.fill(1, 0xd800, 0xe000);
    set.fill(1, Math.min(ranges[i] ?? 0, 0x10000), Math.min(to + 1, 0x10000));
  }
  return set;
}

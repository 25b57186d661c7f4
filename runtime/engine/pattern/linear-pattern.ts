// A compiled pattern, as searches use it.

import type { RE2JS } from "re2js";
import type { LazyDfa } from "./lazy-dfa.ts";
import type { Lookahead } from "./lookahead.ts";
import type { PatternFacts } from "./pattern-facts.ts";
import type { PriorityDfa } from "./priority-dfa.ts";

/** A compiled pattern with the facts that the analysis found. */
export interface LinearPattern extends PatternFacts {
  readonly source: string;
  /** Source and flags: patterns with the same key are the same pattern. */
  readonly key: string;
  /**
   * The regex engine. It is built on first use, like all that depends on it: many patterns are never needed, because
   * their literals never occur.
   */
  readonly engine: RE2JS;
  /** An upper bound of how far after the end of a match the engine may have read. */
  readonly lookahead: Lookahead;
  /** The automaton that follows matches from their beginning. Undefined for a pattern that has none. */
  readonly dfa: LazyDfa | undefined;
  /** The automaton that finds where matches end. Undefined for a pattern that has none. */
  readonly finder: LazyDfa | undefined;
  /**
   * The automaton that says where a match ends that begins at a given offset. Undefined for a pattern that has none.
   */
  readonly priorityDfa: PriorityDfa | undefined;
}

/** One match. Offsets are those of the searched text; `end` is exclusive. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
}

// The part of a bundle with facts about its own patterns. Analysing a pattern takes some milliseconds. The control
// plane does it when it publishes; the bundle's signature covers the result, so a runtime can use it and start faster.
// The part only saves time: a runtime ignores the facts of another version, and analyses the patterns of a bundle
// without this part.

import analysis from "../../../gen/engine/analysis.json" with { type: "json" };
import type { StoredFacts } from "../pattern/pattern-facts.ts";

/** The path of the part. */
export const patternPartPath = "facts/patterns.json";

/** The content of the part. */
export interface PatternPart {
  /** The digest of the analysis that produced the facts, over its version and the library's. */
  readonly analysis: string;
  /** Facts by `patternKey`. */
  readonly patterns: { readonly [key: string]: StoredFacts };
}

/** The part for these facts; undefined when there are none. */
export function patternPart(facts: ReadonlyMap<string, StoredFacts>): PatternPart | undefined {
  if (facts.size === 0) return undefined;
  return { analysis: analysis.digest, patterns: Object.fromEntries(facts) };
}

/** The facts of a part; none when they come from a different analysis than this program's. */
export function factsOfPart({ analysis: by, patterns }: PatternPart): readonly (readonly [string, StoredFacts])[] {
  return by === analysis.digest ? Object.entries(patterns) : [];
}

// What a bundle says about its own patterns. Finding it out costs some milliseconds a pattern, which the control plane has spent already when it
// publishes; under the bundle's signature, a runtime may believe it, and starts without them. It only saves time: what another version found
// out is passed over, and a bundle without this part is analysed.

import analysis from "../../gen/engine/analysis.json" with { type: "json" };
import type { StoredFacts } from "./pattern-facts.ts";

/** The path of the part. */
export const patternPartPath = "facts/patterns.json";

/** The content of the part. */
export interface PatternPart {
  /** The analysis that found this out, by the digest of its program. */
  readonly analysis: string;
  /** Facts by `patternKey`. */
  readonly patterns: { readonly [key: string]: StoredFacts };
}

/** The part for these facts; undefined when there is nothing to say. */
export function patternPart(facts: ReadonlyMap<string, StoredFacts>): PatternPart | undefined {
  if (facts.size === 0) return undefined;
  return { analysis: analysis.digest, patterns: Object.fromEntries(facts) };
}

/** The facts of a part; none when another analysis than this program's found them out. */
export function factsOfPart({ analysis: by, patterns }: PatternPart): readonly (readonly [string, StoredFacts])[] {
  return by === analysis.digest ? Object.entries(patterns) : [];
}

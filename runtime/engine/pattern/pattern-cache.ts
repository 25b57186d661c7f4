// A cache of compiled patterns: validating, publishing and loading a policy, and loading its next version, compile each
// pattern once. A pattern that an engine uses is found for as long as the engine lives. Of the others only the most
// recent ones are kept, so that bundles which come and go leave nothing behind.

import { BoundedCache } from "../../../src/kit/process/bounded-cache.ts";
import type { LinearPattern } from "./linear-pattern.ts";
import type { StoredFacts } from "./pattern-facts.ts";

/** Patterns that are kept although nobody uses them. */
const maxIdle = 512;
/** Entries before the first sweep for patterns that were collected. */
const minSweepSize = 4_096;

/** Caches patterns by key. */
export class PatternCache {
  readonly #known = new Map<string, WeakRef<LinearPattern>>();
  readonly #recent = new BoundedCache<LinearPattern, true>({ maxEntries: maxIdle });
  #facts: ReadonlyMap<string, StoredFacts> = new Map();
  #asked: Set<LinearPattern> | undefined;
  #sweepAt = minSweepSize;

  /** The pattern of this key, made when it is not in the cache. */
  take(key: string, make: () => LinearPattern): LinearPattern {
    const pattern = this.#known.get(key)?.deref() ?? this.#keep(key, make());
    this.#recent.set(pattern, true);
    this.#asked?.add(pattern);
    return pattern;
  }

  /** Takes over facts that were found elsewhere, in place of those taken over before. */
  learn(facts: Iterable<readonly [string, StoredFacts]>): void {
    this.#facts = new Map(facts);
  }

  /** The facts that were taken over about a pattern. */
  factsOf(key: string): StoredFacts | undefined {
    return this.#facts.get(key);
  }

  /** Runs `work` and returns its result with the patterns that it asked for. */
  record<T>(work: () => T): { readonly result: T; readonly asked: readonly LinearPattern[] } {
    const asked = new Set<LinearPattern>();
    this.#asked = asked;
    try {
      return { result: work(), asked: [...asked] };
    } finally {
      this.#asked = undefined;
    }
  }

  #keep(key: string, pattern: LinearPattern): LinearPattern {
    if (this.#known.size >= this.#sweepAt) this.#sweep();
    this.#known.set(key, new WeakRef(pattern));
    return pattern;
  }

  #sweep(): void {
    for (const [key, reference] of this.#known) if (reference.deref() === undefined) this.#known.delete(key);
    this.#sweepAt = Math.max(minSweepSize, this.#known.size * 2);
  }
}

// Compiled patterns that are remembered: validating, publishing and loading a policy, and loading its next version, compile once. What
// an engine uses is found for as long as the engine lives; of the rest only the latest are kept, so that bundles which come and go leave
// nothing behind.

import type { StoredFacts } from "./pattern-facts.ts";
import type { LinearPattern } from "./regex.ts";

/** Patterns that are kept although nobody uses them. */
const mostIdle = 512;
/** Entries that may lead nowhere any more, before they are looked through. */
const leastSwept = 4_096;

/** Remembers patterns. */
export class PatternMemory {
  readonly #known = new Map<string, WeakRef<LinearPattern>>();
  readonly #latest = new Set<LinearPattern>();
  #facts: ReadonlyMap<string, StoredFacts> = new Map();
  #asked: Set<LinearPattern> | undefined;
  #sweepAt = leastSwept;

  /** The pattern of this key, made when it is not remembered. */
  take(key: string, make: () => LinearPattern): LinearPattern {
    const pattern = this.#known.get(key)?.deref() ?? this.#keep(key, make());
    this.#latest.delete(pattern);
    this.#latest.add(pattern);
    const [oldest] = this.#latest;
    if (oldest !== undefined && this.#latest.size > mostIdle) this.#latest.delete(oldest);
    this.#asked?.add(pattern);
    return pattern;
  }

  /** Takes over what was found out elsewhere, in place of what was told before. */
  learn(facts: Iterable<readonly [string, StoredFacts]>): void {
    this.#facts = new Map(facts);
  }

  /** What was told about a pattern. */
  factsOf(key: string): StoredFacts | undefined {
    return this.#facts.get(key);
  }

  /** Does work, and says which patterns it asked for. */
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
    this.#sweepAt = Math.max(leastSwept, this.#known.size * 2);
  }
}

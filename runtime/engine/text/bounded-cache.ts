// The cache of everything that the engine can compute again, such as patterns and tables.

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * Keeps the most recently used entries up to a total weight, and the newest entry in any case. With a maximum weight of
 * 2 and entries of weight 1, after set a, set b, get a, set c the entries a and c are kept.
 */
export class BoundedCache<Key, Value> {
  readonly #maxWeight: number;
  /** In the order of their last use: a Map keeps the order of insertion. */
  readonly #entries = new Map<Key, Entry<Value>>();
  #weight = 0;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  /** The value of a key, whose entry becomes the newest. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /**
   * Keeps a value as the newest entry, in place of the earlier value of its key. Removes the oldest entries beyond the
   * limit.
   */
  set(key: Key, value: Value, weight = 1): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight || oldest === key) break;
      this.delete(oldest);
    }
  }

  /** Removes the entry of a key. */
  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  /** The values, oldest first. */
  *values(): Generator<Value> {
    for (const { value } of this.#entries.values()) yield value;
  }
}

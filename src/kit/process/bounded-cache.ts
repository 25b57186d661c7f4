/** How much a cache keeps. */
export interface CacheLimits<Key, Value> {
  readonly maxEntries: number;
  /** Bound of the weights of all entries together, such as their bytes. Default: no bound. */
  readonly maxWeight?: number;
  /** Told of each entry that went because of a limit; not of those that were deleted or replaced. */
  readonly onEvict?: (value: Value, key: Key) => void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * A map that keeps its newest entries. `set` makes an entry the newest one, also when its key is known; `get` does not,
 * so a cache whose order is that of use sets what it has got. Beyond a limit the oldest entries go, one by one. An
 * entry that is heavier than `maxWeight` by itself goes at once, after all others.
 *
 * With `maxEntries: 2`, after setting a, b, a, c: a and c are kept.
 */
export class BoundedCache<Key, Value> {
  readonly #limits: CacheLimits<Key, Value>;
  /** The oldest first: a Map keeps the order of insertion. */
  readonly #entries = new Map<Key, Entry<Value>>();
  #weight = 0;

  constructor(limits: CacheLimits<Key, Value>) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  *values(): Generator<Value> {
    for (const { value } of this.#entries.values()) yield value;
  }

  /** Keeps a value, in place of the one that its key had. */
  set(key: Key, value: Value, weight = 0): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    const { maxEntries, maxWeight = Number.POSITIVE_INFINITY, onEvict } = this.#limits;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= maxEntries && this.#weight <= maxWeight) return;
      this.delete(oldest);
      onEvict?.(entry.value, oldest);
    }
  }

  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}

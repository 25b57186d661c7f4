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
 * A map that keeps the most recently used entries: `get` and `set` make an entry the newest one, `has` does not. Beyond
 * a limit the oldest entries go, one by one. The newest entry is kept in any case, also when it is heavier than
 * `maxWeight` by itself.
 *
 * With `maxEntries: 2`, after set a, set b, get a, set c the entries a and c are kept.
 */
export class BoundedCache<Key, Value> {
  readonly #limits: CacheLimits<Key, Value>;
  /** The oldest first: a Map keeps the order of insertion. */
  readonly #entries = new Map<Key, Entry<Value>>();
  /** The entry that was used last. A caller with one key, such as an application with one token, moves nothing. */
  #newest: Entry<Value> | undefined;
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

  /** The value of a key, whose entry becomes the newest. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#entries.delete(key);
      this.#keep(key, entry);
    }
    return entry.value;
  }

  /** The values, oldest first. */
  *values(): Generator<Value> {
    for (const { value } of this.#entries.values()) yield value;
  }

  /** Keeps a value as the newest entry, in place of the one that its key had. */
  set(key: Key, value: Value, weight = 0): void {
    this.delete(key);
    this.#keep(key, { value, weight });
    this.#weight += weight;
    const { maxEntries, maxWeight = Number.POSITIVE_INFINITY, onEvict } = this.#limits;
    for (const [oldest, entry] of this.#entries) {
      if ((this.#entries.size <= maxEntries && this.#weight <= maxWeight) || oldest === key) return;
      this.delete(oldest);
      onEvict?.(entry.value, oldest);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#weight -= entry.weight;
    this.#entries.delete(key);
    if (entry === this.#newest) this.#newest = undefined;
  }

  clear(): void {
    this.#entries.clear();
    this.#newest = undefined;
    this.#weight = 0;
  }

  #keep(key: Key, entry: Entry<Value>): void {
    this.#entries.set(key, entry);
    this.#newest = entry;
  }
}

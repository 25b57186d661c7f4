// How many organizations use the entries of a public catalog.

import type { Clock } from "../../kit/process/clock.ts";

/** How long counts are cached: anybody may ask for them, and each count reads the uses of all organizations. */
const countsKeptMs = 60_000;

/** Counts by id of an entry; entries that nobody uses are absent. */
type Counts = ReadonlyMap<string, number>;

/** Counts at most once a minute, however many callers ask. */
export class InstallCounts {
  readonly #count: () => Promise<Counts>;
  readonly #clock: Clock;
  #kept: { readonly value: Promise<Counts>; readonly until: number } | undefined;

  constructor(count: () => Promise<Counts>, clock: Clock) {
    this.#count = count;
    this.#clock = clock;
  }

  /** The counts. A count that failed is not cached. */
  get(): Promise<Counts> {
    const now = this.#clock.now().getTime();
    if (this.#kept !== undefined && now < this.#kept.until) return this.#kept.value;
    const kept = { value: this.#count(), until: now + countsKeptMs };
    this.#kept = kept;
    kept.value.catch(() => {
      if (this.#kept === kept) this.#kept = undefined;
    });
    return kept.value;
  }
}

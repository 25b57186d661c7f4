// Distributions of latencies that add up exactly: the logarithmic buckets of DDSketch ("DDSketch: a fast and
// fully-mergeable quantile sketch with relative-error guarantees", Masson, Rim, Lee, VLDB 2019) without its collapsing,
// since 32 bits of microseconds need 1,075 buckets only.
//
// A value x counts in bucket ⌈log_γ x⌉, so bucket i holds (γ^(i-1), γ^i]. A quantile is answered by 2γ^i / (γ + 1),
// which differs from every value of the bucket by at most (γ - 1) / (γ + 1), that is 1 %.

/** Ratio of the ends of a bucket. */
const gamma = 1.0202;
const logGamma = Math.log(gamma);

/** The largest relative error of a quantile. */
export const relativeError = 0.01;

/** Buckets that 32 bits of microseconds can fill. */
const maxBuckets = 1_076;

/** Counts of latencies in microseconds by bucket. */
export class LatencyHistogram {
  readonly #counts = new Float64Array(maxBuckets);
  /** No bucket before this one has a count, and none from `#end` on. */
  #begin = maxBuckets;
  #end = 0;

  /** Reads what `toBytes` wrote. Throws on anything else. */
  static fromBytes(bytes: Uint8Array): LatencyHistogram {
    const histogram = new LatencyHistogram();
    histogram.addBytes(bytes);
    return histogram;
  }

  get isEmpty(): boolean {
    return this.#begin >= this.#end;
  }

  /** How many values there are. */
  get total(): number {
    let total = 0;
    for (const [, count] of this.#filled()) total += count;
    return total;
  }

  /** Counts one value of at least 0. */
  add(microseconds: number): void {
    const bucket = microseconds <= 1 ? 0 : Math.ceil(Math.log(microseconds) / logGamma);
    this.#count(bucket, 1);
  }

  /** Adds the counts of another one, in the form of `toBytes`. */
  addBytes(bytes: Uint8Array): void {
    this.#countBytes(bytes, 1);
  }

  /** Takes the counts of another one away that were added before. */
  removeBytes(bytes: Uint8Array): void {
    this.#countBytes(bytes, -1);
  }

  #countBytes(bytes: Uint8Array, sign: 1 | -1): void {
    let at = 0;
    const next = (): number => {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = bytes[at++];
        if (byte === undefined || factor > 2 ** 49) throw new Error("these are not the buckets of a histogram");
        value += (byte & 127) * factor;
        if (byte < 128) return value;
      }
    };
    let bucket = 0;
    while (at < bytes.length) {
      bucket += next();
      if (bucket >= maxBuckets) throw new Error("a histogram has no such bucket");
      this.#count(bucket, sign * next());
    }
  }

  /** Pairs of varints in the order of buckets: the distance from the bucket before, and the count. */
  toBytes(): Uint8Array {
    const bytes: number[] = [];
    let before = 0;
    for (const [bucket, count] of this.#filled()) {
      pushVarint(bytes, bucket - before);
      pushVarint(bytes, count);
      before = bucket;
    }
    return Uint8Array.from(bytes);
  }

  /**
   * The value below which this share of all values lies, 0 to 1, in microseconds; undefined when there are none. With
   * n values it is the one at place ⌊q(n-1)⌋ of their order, counted from 0, within the relative error.
   */
  quantile(share: number): number | undefined {
    const rank = Math.floor(share * (this.total - 1));
    let seen = 0;
    for (const [bucket, count] of this.#filled()) {
      seen += count;
      if (seen > rank) return bucket === 0 ? 1 : Math.round((2 * gamma ** bucket) / (gamma + 1));
    }
    return undefined;
  }

  #count(bucket: number, count: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    this.#begin = Math.min(this.#begin, bucket);
    this.#end = Math.max(this.#end, bucket + 1);
  }

  *#filled(): Generator<readonly [bucket: number, count: number], void> {
    for (let bucket = this.#begin; bucket < this.#end; bucket++) {
      const count = this.#counts[bucket] ?? 0;
      if (count > 0) yield [bucket, count];
    }
  }
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

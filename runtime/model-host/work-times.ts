// How long work of some length takes, as a mean of what it took so far.

/** The weight of the newest time in a mean. */
const newestShare = 0.2;
/**
 * What a refusal takes off the mean that caused it. Nothing runs while everything is refused, so a time that was
 * measured on a busy machine would never be corrected.
 */
const refusalShare = 0.9;

/** The times of one kind of work, by model and length. */
export class WorkTimes {
  readonly #means = new Map<string, Map<number, number>>();

  /** Notes how long a piece of work took. */
  learn(model: string, length: number, ms: number): void {
    const means = this.#means.get(model) ?? new Map<number, number>();
    this.#means.set(model, means);
    const bucket = bucketOf(length);
    const mean = means.get(bucket);
    means.set(bucket, mean === undefined ? ms : mean + (ms - mean) * newestShare);
  }

  /** How long a piece of work will take, in milliseconds. */
  expectedMs(model: string, length: number): number {
    const means = this.#means.get(model);
    const bucket = bucketOf(length);
    const mean = means?.get(bucket);
    if (mean !== undefined || means === undefined) return mean ?? 0;
    // Of the next longer length that is known, or of the longest.
    const known = [...means.keys()].sort((a, b) => a - b);
    const near = known.find((each) => each > bucket) ?? known.at(-1);
    return near === undefined ? 0 : (means.get(near) ?? 0) * (near < bucket ? bucket / near : 1);
  }

  /** How long work of about this length took; 0 when there was none. */
  knownMs(model: string, length: number): number {
    return this.#means.get(model)?.get(bucketOf(length)) ?? 0;
  }

  /** Lowers the mean that was the reason for a refusal. */
  forgive(model: string, length: number): void {
    const means = this.#means.get(model);
    const bucket = bucketOf(length);
    const mean = means?.get(bucket);
    if (mean !== undefined) means?.set(bucket, mean * refusalShare);
  }
}

/** Times are kept by length: the next power of two, at least 16. */
function bucketOf(length: number): number {
  return 2 ** Math.max(4, Math.ceil(Math.log2(Math.max(1, length))));
}

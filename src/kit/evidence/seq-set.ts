// Numbers of entries, a bit each, so that those of millions can be held.

/** A set of numbers of entries. */
export class SeqSet {
  #bits = new Uint8Array(1_024);

  /** Adds a number. */
  add(seq: number): void {
    const at = Math.floor(seq / 8);
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (seq % 8));
  }

  /** The numbers in their order, up to `most` at a time. */
  *inChunks(most: number): Generator<number[]> {
    let chunk: number[] = [];
    for (const [at, bits] of this.#bits.entries()) {
      if (bits === 0) continue;
      for (let bit = 0; bit < 8; bit++) if ((bits & (1 << bit)) !== 0) chunk.push(at * 8 + bit);
      if (chunk.length + 8 <= most) continue;
      yield chunk;
      chunk = [];
    }
    if (chunk.length > 0) yield chunk;
  }
}

// Sums the weights of a block's features by part.

import { BlockFeatures, featureOfToken } from "./feature.ts";
import { blockParts, tokenKinds } from "./token.ts";
import { WordWeights } from "./word-weight.ts";

/** Weighs one block after the other. */
export class Weigher {
  /** By part of the block: the sum of the features' weights, and their number. */
  readonly sums = new Int32Array(blockParts);
  readonly counts = new Int32Array(blockParts);
  readonly #weights: Int8Array;
  readonly #words: WordWeights;
  readonly #block = new BlockFeatures();

  constructor(weights: Int8Array) {
    this.#weights = weights;
    this.#words = new WordWeights(weights);
  }

  /**
   * Weighs a block of a text, given as code units, between two offsets; `isFirst` when it is at the beginning of the
   * text.
   */
  read(text: Uint16Array, from: number, to: number, isFirst: boolean): void {
    this.#block.read(text, from, to, isFirst);
    this.#weighFeatures();
    this.#weighTokens();
  }

  #weighFeatures(): void {
    const { features, ends } = this.#block;
    const weights = this.#weights;
    let at = 0;
    for (let part = 0; part < blockParts; part++) {
      const end = ends[part] ?? 0;
      this.counts[part] = end - at;
      let sum = 0;
      for (; at < end; at++) sum += weights[features[at] ?? 0] ?? 0;
      this.sums[part] = sum;
    }
  }

  #weighTokens(): void {
    const { firsts, firstCount, tokens } = this.#block;
    for (let i = 0; i < firstCount; i++) {
      const token = firsts[i] ?? 0;
      const part = tokens.parts[token] ?? 0;
      if (tokens.kinds[token] === tokenKinds.word) {
        this.#words.weigh(tokens, token);
        this.sums[part] = (this.sums[part] ?? 0) + this.#words.sum;
        this.counts[part] = (this.counts[part] ?? 0) + this.#words.count;
      } else {
        this.sums[part] = (this.sums[part] ?? 0) + (this.#weights[featureOfToken(tokens.hashes[token] ?? 0)] ?? 0);
        this.counts[part] = (this.counts[part] ?? 0) + 1;
      }
    }
  }
}

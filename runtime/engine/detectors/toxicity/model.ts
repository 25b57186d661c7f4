// How offensive words are together: logistic regression over words, their beginnings and pairs of them. A window is judged by its most
// offensive stretch of 24 words. Of the bytes, each is the signed weight of one feature.

import { type ModelForm, readModelFile, writeModelFile } from "../model-file.ts";
import { featureCount, featuresPerWord, WordReader } from "./word.ts";

/** What is kept beside the weights. */
export interface ToxicityHeader {
  readonly format: 1;
  readonly version: string;
  /** What a weight of 1 stands for. */
  readonly scale: number;
  readonly bias: number;
  /** Evidence from which a stretch is as likely as not toxic at the sensitivity "balanced". */
  readonly point: number;
}

/** The words of one stretch. */
export const stretchWords = 24;
const stride = 12;
/** What is added to the number of features before its root is taken. */
export const damping = 16;
const form: ModelForm<ToxicityHeader> = {
  detector: "toxicity",
  magic: "PGTX",
  fits: ({ format }, count) => format === 1 && count === featureCount,
};

/** A stretch that stands out. */
export interface Stretch {
  readonly evidence: number;
  readonly start: number;
  readonly end: number;
}

/** Weights, ready to judge. */
export class ToxicityModel {
  readonly header: ToxicityHeader;
  readonly #weights: Int8Array;
  readonly #words = new WordReader();

  constructor(header: ToxicityHeader, weights: Int8Array) {
    this.header = header;
    this.#weights = weights;
  }

  /** The most offensive stretch of a window, without the words at its ends that are not. Undefined where there are no words. */
  worst(text: string, from: number, to: number): Stretch | undefined {
    const count = this.#words.read(text, from, to);
    if (count === 0) return undefined;
    let best = Number.NEGATIVE_INFINITY;
    let first = 0;
    for (const begin of stretchesOf(count)) {
      const evidence = this.#evidence(begin, Math.min(count, begin + stretchWords));
      if (evidence <= best) continue;
      best = evidence;
      first = begin;
    }
    return { evidence: best, ...this.#span(first, Math.min(count, first + stretchWords)) };
  }

  #evidence(first: number, end: number): number {
    let sum = 0;
    for (let word = first; word < end; word++) sum += this.#weightOf(word);
    const { scale, bias } = this.header;
    return bias + (sum * scale) / Math.sqrt((end - first) * featuresPerWord + damping);
  }

  #weightOf(word: number): number {
    const { features } = this.#words;
    const place = word * featuresPerWord;
    return (
      (this.#weights[features[place] ?? 0] ?? 0) +
      (this.#weights[features[place + 1] ?? 0] ?? 0) +
      (this.#weights[features[place + 2] ?? 0] ?? 0)
    );
  }

  #span(first: number, end: number): { start: number; end: number } {
    let left = first;
    let right = end - 1;
    while (left < right && this.#weightOf(left) <= 0) left++;
    while (right > left && this.#weightOf(right) <= 0) right--;
    return { start: this.#words.starts[left] ?? 0, end: this.#words.ends[right] ?? 0 };
  }
}

/** Where the stretches of so many words begin. */
export function stretchesOf(count: number): number[] {
  const begins = [0];
  for (let begin = stride; begin + stretchWords - stride < count; begin += stride) begins.push(begin);
  return begins;
}

/** Reads a model. Throws when the bytes are none, or when they are for other features. */
export function readToxicityModel(bytes: Uint8Array): ToxicityModel {
  const { header, numbers } = readModelFile(bytes, form);
  return new ToxicityModel(header, new Int8Array(numbers));
}

/** The bytes of a model. */
export function writeToxicityModel(header: ToxicityHeader, weights: Int8Array): Uint8Array {
  return writeModelFile(form, header, weights);
}

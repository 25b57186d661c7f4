// A model of how offensive words are in combination: logistic regression over words, their beginnings and pairs of
// them. A window is judged by its most offensive span of 24 words. Each byte is the signed weight of one feature.

import { type ModelForm, readModelFile, writeModelFile } from "../model-file.ts";
import { featureCount, featuresPerWord, WordReader } from "./word.ts";

/** The header of the model file. */
export interface ToxicityHeader {
  readonly format: 1;
  readonly version: string;
  /** The value of a weight of 1. */
  readonly scale: number;
  readonly bias: number;
  /** Evidence at which a span is equally likely to be toxic, at the sensitivity "balanced". */
  readonly point: number;
}

/** Number of words in a span. */
export const spanWords = 24;
const stride = 12;
/** Constant that is added to the number of features before the square root. */
export const damping = 16;
const form: ModelForm<ToxicityHeader> = {
  detector: "toxicity",
  magic: "PGTX",
  fits: ({ format }, count) => format === 1 && count === featureCount,
};

/** A span with its evidence. */
export interface Span {
  readonly evidence: number;
  readonly start: number;
  readonly end: number;
}

/** The model, ready to judge. */
export class ToxicityModel {
  readonly header: ToxicityHeader;
  readonly #weights: Int8Array;
  readonly #words = new WordReader();

  constructor(header: ToxicityHeader, weights: Int8Array) {
    this.header = header;
    this.#weights = weights;
  }

  /**
   * The most offensive span of a window, without the inoffensive words at its ends. Undefined when there are no words.
   */
  worst(text: string, from: number, to: number): Span | undefined {
    const count = this.#words.read(text, from, to);
    if (count === 0) return undefined;
    let best = Number.NEGATIVE_INFINITY;
    let first = 0;
    for (const begin of spansOf(count)) {
      const evidence = this.#evidence(begin, Math.min(count, begin + spanWords));
      if (evidence <= best) continue;
      best = evidence;
      first = begin;
    }
    return { evidence: best, ...this.#span(first, Math.min(count, first + spanWords)) };
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

/** The starts of the spans in a text of so many words. */
export function spansOf(count: number): number[] {
  const begins = [0];
  for (let begin = stride; begin + spanWords - stride < count; begin += stride) begins.push(begin);
  return begins;
}

/** Reads a model. Throws when the bytes are not a model, or are for other features. */
export function readToxicityModel(bytes: Uint8Array): ToxicityModel {
  const { header, numbers } = readModelFile(bytes, form);
  return new ToxicityModel(header, new Int8Array(numbers));
}

/** The bytes of a model. */
export function writeToxicityModel(header: ToxicityHeader, weights: Int8Array): Uint8Array {
  return writeModelFile(form, header, weights);
}

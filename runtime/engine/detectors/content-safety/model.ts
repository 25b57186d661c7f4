// A model of wishes to do harm: logistic regression over words, pairs of words, and the concepts that they stand for,
// alone and in pairs. A window is judged by the span of 24 words that looks most harmful, all categories together. A
// second table names the category of that span; it has no say in whether anything was found. Each byte is the signed
// weight of one feature.

import { type ModelForm, readModelFile, writeModelFile } from "../model-file.ts";
import { spansOf, spanWords } from "../toxicity/model.ts";
import { featureCount, maxWords, WordReader } from "./word.ts";

/** The header of the model file. */
export interface ContentSafetyHeader {
  readonly format: 1;
  readonly version: string;
  /** The value of a weight of 1. */
  readonly scale: number;
  readonly bias: number;
  /** Evidence at which a span is equally likely to be harmful, at the sensitivity "balanced". */
  readonly point: number;
  /** What the second table tells apart. */
  readonly kinds: readonly { readonly name: string; readonly bias: number }[];
  /** The value of a weight of 1 in the second table. */
  readonly kindScale: number;
}

/** The number of features in the second table, by kind. */
export const kindFeatureCount = 1 << 13;
/** Constant that is added to the number of features before the square root. */
export const damping = 16;
const form: ModelForm<ContentSafetyHeader> = {
  detector: "content_safety",
  magic: "PGCS",
  fits: ({ format, kinds }, count) => format === 1 && count === featureCount + kinds.length * kindFeatureCount,
};

/** A span with its evidence. */
export interface Span {
  readonly evidence: number;
  readonly start: number;
  readonly end: number;
  /** What it looks like most. */
  readonly kind: string;
  /** Whether it speaks of children. */
  readonly isOfMinors: boolean;
}

/** The model, ready to judge. */
export class ContentSafetyModel {
  readonly header: ContentSafetyHeader;
  readonly #weights: Int8Array;
  readonly #words = new WordReader();
  /** The weights of a window's words up to each, added up. */
  readonly #sums = new Int32Array(maxWords);

  constructor(header: ContentSafetyHeader, weights: Int8Array) {
    this.header = header;
    this.#weights = weights;
  }

  /**
   * The most harmful span of a window, without the harmless words at its ends. Undefined when there are no words, or when
   * its evidence is not enough: hardly any is, and its kind is what costs most.
   */
  worst(
    text: string,
    from: number,
    to: number,
    isEnough: (evidence: number) => boolean = () => true,
  ): Span | undefined {
    const count = this.#words.read(text, from, to);
    if (count === 0) return undefined;
    this.#addUp(count);
    let best = Number.NEGATIVE_INFINITY;
    let first = 0;
    for (const begin of spansOf(count)) {
      const evidence = this.#evidence(begin, Math.min(count, begin + spanWords));
      if (evidence <= best) continue;
      best = evidence;
      first = begin;
    }
    if (!isEnough(best)) return undefined;
    const end = Math.min(count, first + spanWords);
    return {
      evidence: best,
      kind: this.#kind(first, end),
      isOfMinors: this.#words.isOfMinors(first, end),
      ...this.#span(first, end),
    };
  }

  // Spans overlap: each word is looked up once, and a span is the difference of two sums.
  #addUp(count: number): void {
    let sum = 0;
    for (let word = 0; word < count; word++) {
      sum += this.#weightOf(word);
      this.#sums[word] = sum;
    }
  }

  #evidence(first: number, end: number): number {
    const { featureEnds } = this.#words;
    const before = first - 1;
    const sum = (this.#sums[end - 1] ?? 0) - (first === 0 ? 0 : (this.#sums[before] ?? 0));
    const features = (featureEnds[end - 1] ?? 0) - (first === 0 ? 0 : (featureEnds[before] ?? 0));
    const { scale, bias } = this.header;
    return bias + (sum * scale) / Math.sqrt(features + damping);
  }

  #weightOf(word: number): number {
    const { features, featureEnds } = this.#words;
    let sum = 0;
    for (let at = word === 0 ? 0 : (featureEnds[word - 1] ?? 0); at < (featureEnds[word] ?? 0); at++)
      sum += this.#weights[features[at] ?? 0] ?? 0;
    return sum;
  }

  #span(first: number, end: number): { start: number; end: number } {
    let left = first;
    let right = end - 1;
    while (left < right && this.#weightOf(left) <= 0) left++;
    while (right > left && this.#weightOf(right) <= 0) right--;
    return { start: this.#words.starts[left] ?? 0, end: this.#words.ends[right] ?? 0 };
  }

  #kind(first: number, end: number): string {
    const features = this.#words.featuresIn(first, end);
    const share = this.header.kindScale / Math.sqrt(features.length + damping);
    let most = Number.NEGATIVE_INFINITY;
    let best = "";
    for (const [index, { name, bias }] of this.header.kinds.entries()) {
      let sum = 0;
      for (const feature of features)
        sum += this.#weights[featureCount + index * kindFeatureCount + kindFeatureOf(feature)] ?? 0;
      const score = bias + sum * share;
      if (score <= most) continue;
      most = score;
      best = name;
    }
    return best;
  }
}

/** The place of a feature in the second table. */
export function kindFeatureOf(feature: number): number {
  return feature & (kindFeatureCount - 1);
}

/** Reads a model. Throws when the bytes are not a model, or are for other features. */
export function readContentSafetyModel(bytes: Uint8Array): ContentSafetyModel {
  const { header, numbers } = readModelFile(bytes, form);
  return new ContentSafetyModel(header, new Int8Array(numbers));
}

/** The bytes of a model. `kindWeights` has the second table, kind by kind. */
export function writeContentSafetyModel(
  header: ContentSafetyHeader,
  weights: Int8Array,
  kindWeights: Int8Array,
): Uint8Array {
  const numbers = new Int8Array(weights.length + kindWeights.length);
  numbers.set(weights);
  numbers.set(kindWeights, weights.length);
  return writeModelFile(form, header, numbers);
}

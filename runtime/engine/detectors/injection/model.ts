// The linear model of "injection", stored as a model file: one signed byte per feature, and per attack family one for
// each prefix of a feature's bits. The evidence of a span, in logits, is the sum of its features' weights divided by
// the square root of their number plus a constant; the constant limits the weight of the few words of short texts. A
// window has the evidence of its strongest span of at least two parts, since the text around an order in a document
// says nothing about it. Families only name the most similar attack, never whether there is one.

import { lentUnits, lentUnitsOf } from "../../text/code-units.ts";
import { type ModelForm, readModelFile, writeModelFile } from "../model-file.ts";
import { featureCount, windowParts, windowReach } from "./feature.ts";
import { FeatureList } from "./feature-list.ts";
import { createSpan, strongestSpan, type WindowParts } from "./span.ts";
import { blockLength, blockParts, partLength } from "./token.ts";
import { Weigher } from "./weigher.ts";

/** The evidence at which each sensitivity reports a finding, in logits. */
export interface TurningPoints {
  readonly strict: number;
  readonly balanced: number;
  readonly permissive: number;
}

/** The header of the model file. */
export interface ModelHeader {
  readonly format: 3;
  readonly version: string;
  readonly features: number;
  /** The value of a weight of one. */
  readonly scale: number;
  readonly bias: number;
  /** Constant that is added to the number of features before the square root. */
  readonly damping: number;
  /** Weight of the patterns' evidence relative to the model's. */
  readonly patternShare: number;
  /** For texts of a conversation, and for texts from documents and tools. */
  readonly points: { readonly chat: TurningPoints; readonly document: TurningPoints };
  /** Names of the families, in the order of their weights. */
  readonly families: readonly string[];
  readonly familyBiases: readonly number[];
  readonly familyScale: number;
}

/** Number of weights of a family. */
export const familyFeatureCount = 2 ** 13;

const form: ModelForm<ModelHeader> = {
  detector: "injection",
  magic: "PGIM",
  fits: ({ format, features, families }, count) =>
    format === 3 && features === featureCount && count === featureCount + families.length * familyFeatureCount,
};

/** The model, ready to score. */
export class InjectionModel {
  readonly header: ModelHeader;
  /** Ordered by feature, so that the weights of one feature are adjacent. */
  readonly #familyWeights: Int8Array;
  readonly #weigher: Weigher;
  readonly #stretch = createSpan();
  readonly #list = new FeatureList();

  constructor(header: ModelHeader, weights: Int8Array, familyWeights: Int8Array) {
    this.header = header;
    this.#weigher = new Weigher(weights);
    this.#familyWeights = byFeature(familyWeights, header.families.length);
  }

  /**
   * The evidence of an attack in windows of one text, in logits: about 0 where the training data has as many attacks as
   * benign texts. When windows are read from front to back, each block is read once. `offset` is the start of the text
   * in a longer text, of which it contains at least the `windowReach` of feature.ts before the window.
   */
  open(): (text: string, from: number, to: number, offset?: number) => number {
    const sums = new Int32Array(windowParts);
    const counts = new Int32Array(windowParts);
    // The start of the block that was read last as the second of its window.
    let readAt = -1;
    return (text, from, to, offset = 0) => {
      const isLent = text.length <= lentUnits;
      const start = isLent ? 0 : Math.max(0, from - windowReach);
      const units = lentUnitsOf(isLent ? text : text.slice(start, to + 1));
      const read = (place: number, at: number): void => {
        this.#weigher.read(units, at - start, Math.min(to, at + blockLength) - start, at + offset === 0);
        sums.set(this.#weigher.sums, place);
        counts.set(this.#weigher.counts, place);
      };
      if (readAt === from + offset) {
        sums.copyWithin(0, blockParts);
        counts.copyWithin(0, blockParts);
      } else read(0, from);
      const second = from + blockLength;
      readAt = second < to ? second + offset : -1;
      if (second < to) read(blockParts, second);
      return this.#evidence({ sums, counts, parts: partsOf(to - from) });
    };
  }

  #evidence(parts: WindowParts): number {
    const { scale, bias, damping } = this.header;
    strongestSpan(this.#stretch, parts, damping);
    return bias + this.#stretch.evidence * scale;
  }

  /** The attack family that a window is most similar to; undefined for a model without families. */
  family(text: string, from: number, to: number, isFirst = from === 0): string | undefined {
    const { families, familyBiases, familyScale, damping } = this.header;
    this.#list.read(text, from, to, isFirst);
    const root = Math.sqrt(this.#list.features.length + damping);
    const sums = this.#familySums();
    let best = Number.NEGATIVE_INFINITY;
    let found: string | undefined;
    for (const [family, name] of families.entries()) {
      const score = (familyBiases[family] ?? 0) + ((sums[family] ?? 0) * familyScale) / root;
      if (score <= best) continue;
      best = score;
      found = name;
    }
    return found;
  }

  #familySums(): Int32Array {
    const count = this.header.families.length;
    const sums = new Int32Array(count);
    for (const feature of this.#list.features) {
      const first = familyFeatureOf(feature) * count;
      for (let family = 0; family < count; family++)
        sums[family] = (sums[family] ?? 0) + (this.#familyWeights[first + family] ?? 0);
    }
    return sums;
  }
}

/** Number of parts of a window of this length. */
export function partsOf(length: number): number {
  return Math.max(1, Math.ceil(length / partLength));
}

function byFeature(weights: Int8Array, families: number): Int8Array {
  const turned = new Int8Array(weights.length);
  for (let family = 0; family < families; family++)
    for (let feature = 0; feature < familyFeatureCount; feature++)
      turned[feature * families + family] = weights[family * familyFeatureCount + feature] ?? 0;
  return turned;
}

/** The family feature for a feature. */
export function familyFeatureOf(feature: number): number {
  return feature & (familyFeatureCount - 1);
}

/** Reads a model. Throws when the bytes are not a model, or are for other features. */
export function readModel(bytes: Uint8Array): InjectionModel {
  const { header, numbers } = readModelFile(bytes, form);
  return new InjectionModel(
    header,
    new Int8Array(numbers.subarray(0, featureCount)),
    new Int8Array(numbers.subarray(featureCount)),
  );
}

/** The bytes of a model. */
export function writeModel(
  header: ModelHeader,
  weights: Int8Array,
  familyWeights: Int8Array = new Int8Array(0),
): Uint8Array {
  const numbers = new Int8Array(weights.length + familyWeights.length);
  numbers.set(weights);
  numbers.set(familyWeights, weights.length);
  return writeModelFile(form, header, numbers);
}

// The linear model of "injection", kept in the form of model-file.ts: one signed byte for each feature, and, for each family of attacks,
// one for each of the features' first bits. The evidence of a stretch is the sum of its features' weights over the square root of their
// number and a constant, in logits; the constant keeps the few words of short texts from weighing too much. A window has the evidence of
// its strongest stretch of two parts or more, since what stands around an order in a document says nothing about it. Families only say
// what an attack looks like most, never whether it is one.

import { unitsOf } from "../../unit.ts";
import { type ModelForm, readModelFile, writeModelFile } from "../model-file.ts";
import { featureCount, windowParts, windowReach } from "./feature.ts";
import { FeatureList } from "./feature-list.ts";
import { createStretch, strongestStretch, type WindowParts } from "./stretch.ts";
import { blockLength, blockParts, partLength } from "./token.ts";
import { Weigher } from "./weigher.ts";

/** Where evidence turns into a finding, for each sensitivity, in logits. */
export interface TurningPoints {
  readonly strict: number;
  readonly balanced: number;
  readonly permissive: number;
}

/** What is kept beside the weights. */
export interface ModelHeader {
  readonly format: 3;
  readonly version: string;
  readonly features: number;
  /** What a weight of one byte stands for. */
  readonly scale: number;
  readonly bias: number;
  /** What is added to the number of features before its root is taken. */
  readonly damping: number;
  /** How much a unit of the patterns' evidence adds to the model's. */
  readonly patternShare: number;
  /** For what people write in a conversation, and for what comes from documents and tools. */
  readonly points: { readonly chat: TurningPoints; readonly document: TurningPoints };
  /** Names of the families, in the order of their weights. */
  readonly families: readonly string[];
  readonly familyBiases: readonly number[];
  readonly familyScale: number;
}

/** How many weights a family has. */
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
  /** Feature by feature, so that those of one lie together. */
  readonly #familyWeights: Int8Array;
  readonly #weigher: Weigher;
  readonly #stretch = createStretch();
  readonly #list = new FeatureList();

  constructor(header: ModelHeader, weights: Int8Array, familyWeights: Int8Array) {
    this.header = header;
    this.#weigher = new Weigher(weights);
    this.#familyWeights = byFeature(familyWeights, header.families.length);
  }

  /**
   * The evidence of an attack in windows of one text, in logits: about 0 where it is as likely as not in the training data. Asked for
   * windows from front to back, each block is read once. `offset` is where the text begins in a longer one, of which it has at least
   * the `windowReach` of feature.ts before a window.
   */
  open(): (text: string, from: number, to: number, offset?: number) => number {
    const sums = new Int32Array(windowParts);
    const counts = new Int32Array(windowParts);
    // Where the block begins that was read last, as the second of its window.
    let readAt = -1;
    return (text, from, to, offset = 0) => {
      const start = Math.max(0, from - windowReach);
      const units = unitsOf(text.slice(start, to + 1));
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
    strongestStretch(this.#stretch, parts, damping);
    return bias + this.#stretch.evidence * scale;
  }

  /** The family of attacks that a window looks like most; undefined for a model without families. */
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

/** How many parts a window of this length has. */
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

/** The feature of a family that stands for a feature. */
export function familyFeatureOf(feature: number): number {
  return feature & (familyFeatureCount - 1);
}

/** Reads a model. Throws when the bytes are none, or when they are for other features. */
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

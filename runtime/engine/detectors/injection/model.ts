// The linear model of "injection" and the form in which it is kept: "PGIM", the length of a header (32 bits, little endian), the header
// as JSON, and one signed byte for each feature. A window's evidence is the sum of its features' weights over the square root of
// their number, in logits.

import { FeatureReader, featureCount } from "./feature.ts";

/** Where evidence turns into a finding, for each sensitivity, in logits. */
export interface TurningPoints {
  readonly strict: number;
  readonly balanced: number;
  readonly permissive: number;
}

/** What is kept beside the weights. */
export interface ModelHeader {
  readonly format: 1;
  readonly version: string;
  readonly features: number;
  /** What a weight of one byte stands for. */
  readonly scale: number;
  readonly bias: number;
  /** How much a unit of the patterns' evidence adds to the model's. */
  readonly patternShare: number;
  /** For what people write in a conversation, and for what comes from documents and tools. */
  readonly points: { readonly chat: TurningPoints; readonly document: TurningPoints };
}

const magic = "PGIM";
const headerAt = 8;

/** The model, ready to score. */
export class InjectionModel {
  readonly header: ModelHeader;
  readonly #weights: Int8Array;
  readonly #reader = new FeatureReader();

  constructor(header: ModelHeader, weights: Int8Array) {
    this.header = header;
    this.#weights = weights;
  }

  /** Evidence of an attack in a window, in logits: about 0 where it is as likely as not in the training data. */
  evidence(text: string, from: number, to: number, isFirst = from === 0): number {
    const count = this.#reader.read(text, from, to, isFirst);
    const { features } = this.#reader;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += this.#weights[features[i] ?? 0] ?? 0;
    return this.header.bias + (count === 0 ? 0 : (sum * this.header.scale) / Math.sqrt(count));
  }
}

/** Reads a model. Throws when the bytes are none, or when they are for other features. */
export function readModel(bytes: Uint8Array): InjectionModel {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < headerAt || buffer.toString("latin1", 0, magic.length) !== magic)
    throw new Error("these bytes are no model of the detector injection");
  const weightsAt = headerAt + buffer.readUInt32LE(magic.length);
  // What the training script wrote; the signature of the bundle vouches for it.
  const header = JSON.parse(buffer.toString("utf8", headerAt, weightsAt)) as ModelHeader;
  if (header.format !== 1 || header.features !== featureCount || buffer.length !== weightsAt + featureCount)
    throw new Error(`the model ${header.version} of the detector injection is for another version of it`);
  return new InjectionModel(header, new Int8Array(buffer.subarray(weightsAt)));
}

/** The bytes of a model. */
export function writeModel(header: ModelHeader, weights: Int8Array): Uint8Array {
  const json = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(headerAt);
  start.write(magic, "latin1");
  start.writeUInt32LE(json.length, magic.length);
  return Buffer.concat([start, json, new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength)]);
}

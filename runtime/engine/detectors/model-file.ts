// The file format of the detectors' models: four letters that name the format, the length of a header (32 bits, little
// endian), the header as JSON, and numbers of one byte each.

import type { Models } from "./detector-plan.ts";

/** The format of one detector's models. */
export interface ModelForm<Header> {
  readonly detector: string;
  /** The four letters. */
  readonly magic: string;
  /** Whether the current detector can use a model with this header and this count of numbers. */
  readonly fits: (header: Header, count: number) => boolean;
}

/** The parts of a model file. */
export interface ModelFile<Header> {
  readonly header: Header;
  /** A view of the bytes that were read. */
  readonly numbers: Uint8Array;
}

const headerAt = 8;

/** Parses a model file. Throws when it is not a model of the detector, or is for another version of it. */
export function readModelFile<Header extends { readonly version: string }>(
  bytes: Uint8Array,
  { detector, magic, fits }: ModelForm<Header>,
): ModelFile<Header> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length < headerAt || data.toString("latin1", 0, magic.length) !== magic)
    throw new Error(`these bytes are no model of the detector ${detector}`);
  const numbersAt = headerAt + data.readUInt32LE(magic.length);
  // The training script wrote it, and the signature of the bundle covers it.
  const header = JSON.parse(data.toString("utf8", headerAt, numbersAt)) as Header;
  if (!fits(header, data.length - numbersAt))
    throw new Error(`the model ${header.version} of the detector ${detector} is for another version of it`);
  return { header, numbers: data.subarray(numbersAt) };
}

/** The bytes of a model. */
export function writeModelFile<Header>(
  { magic }: ModelForm<Header>,
  header: Header,
  numbers: Uint8Array | Int8Array,
): Uint8Array {
  const json = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(headerAt);
  start.write(magic, "latin1");
  start.writeUInt32LE(json.length, magic.length);
  return Buffer.concat([start, json, Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)]);
}

/**
 * Finds the model of a detector among the given ones, and parses the same bytes only once. Undefined when it is
 * missing; throws what `read` throws.
 */
export function createModelFinder<Model>(
  detector: string,
  read: (bytes: Uint8Array) => Model,
): (models: Models) => Model | undefined {
  const known = new WeakMap<Uint8Array, Model>();
  return (models) => {
    const bytes = models.get(detector);
    if (bytes === undefined) return undefined;
    const model = known.get(bytes) ?? read(bytes);
    known.set(bytes, model);
    return model;
  };
}

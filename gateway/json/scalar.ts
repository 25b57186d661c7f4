// Scalar values: JSON to Protobuf and back, and from the text of paths, queries and headers to JSON.

import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import type { Problems } from "./problems.ts";

type ScalarDecoder = (json: JsonValue, path: string, problems: Problems) => unknown;

/** The decoder of a scalar type. Numbers have to be JSON numbers; integers have to be whole and in range. */
export function createScalarDecoder(type: ScalarType): ScalarDecoder {
  switch (type) {
    case ScalarType.STRING:
      return (json, path, problems) =>
        typeof json === "string" ? json : problems.add(path, `expected a string, got ${kindOf(json)}`);
    case ScalarType.BOOL:
      return (json, path, problems) =>
        typeof json === "boolean" ? json : problems.add(path, `expected true or false, got ${kindOf(json)}`);
    case ScalarType.BYTES:
      return readBytes;
    case ScalarType.DOUBLE:
      return createNumberDecoder(-Number.MAX_VALUE, Number.MAX_VALUE);
    case ScalarType.FLOAT:
      return createNumberDecoder(-maxFloat, maxFloat);
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return createIntegerDecoder(-(2 ** 31), 2 ** 31 - 1, Number);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return createIntegerDecoder(0, 2 ** 32 - 1, Number);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      // JSON numbers are exact up to 2^53 only; the contracts use double or int32 instead of 64-bit integers.
      return createIntegerDecoder(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, BigInt);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return createIntegerDecoder(0, Number.MAX_SAFE_INTEGER, BigInt);
  }
}

const maxFloat = (2 - 2 ** -23) * 2 ** 127;

function createIntegerDecoder(min: number, max: number, convert: (value: number) => number | bigint): ScalarDecoder {
  return (json, path, problems) => {
    if (typeof json !== "number") return problems.add(path, `expected an integer, got ${kindOf(json)}`);
    if (!Number.isInteger(json) && Number.isFinite(json))
      return problems.add(path, "expected an integer, got a fraction");
    if (json < min || json > max) return problems.add(path, `expected an integer from ${min} to ${max}`);
    return convert(json === 0 ? 0 : json); // -0 is 0
  };
}

function createNumberDecoder(min: number, max: number): ScalarDecoder {
  return (json, path, problems) => {
    if (typeof json !== "number") return problems.add(path, `expected a number, got ${kindOf(json)}`);
    return json >= min && json <= max ? json : problems.add(path, "the number is out of range");
  };
}

const readBytes: ScalarDecoder = (json, path, problems) => {
  if (typeof json !== "string") return problems.add(path, `expected a base64 string, got ${kindOf(json)}`);
  try {
    return base64Decode(json);
  } catch {
    return problems.add(path, "expected base64");
  }
};

/** Encodes a scalar: numbers as JSON numbers, 64-bit ones too; bytes as base64; NaN and infinities as null. */
export function createScalarEncoder(type: ScalarType): (value: unknown) => JsonValue {
  switch (type) {
    case ScalarType.BYTES:
      return (value) => Buffer.from(value as Uint8Array).toString("base64");
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return Number;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return (value) => (Number.isFinite(value) ? (value as number) : null);
    default:
      return (value) => value as JsonValue;
  }
}

/** The JSON value of a text from a path, query or header; undefined when the text is no value of the type. */
export function scalarText(type: ScalarType, text: string): JsonValue | undefined {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return text;
    case ScalarType.BOOL:
      return text === "true" ? true : text === "false" ? false : undefined;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return /^-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?$/.test(text) ? Number(text) : undefined;
    default:
      return /^-?\d{1,20}$/.test(text) ? Number(text) : undefined;
  }
}

const expectations = new Map<ScalarType, string>([
  [ScalarType.BOOL, "true or false"],
  [ScalarType.DOUBLE, "a number"],
  [ScalarType.FLOAT, "a number"],
]);

/** The expected form of such a text, in words. */
export function expectedText(type: ScalarType): string {
  return expectations.get(type) ?? "an integer";
}

/** The kind of a JSON value in words, for messages to callers. */
export function kindOf(json: JsonValue): string {
  if (json === null) return "null";
  if (Array.isArray(json)) return "an array";
  return typeof json === "object" ? "an object" : `a ${typeof json}`;
}

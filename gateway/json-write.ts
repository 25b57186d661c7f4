// Protobuf messages into JSON as documented: snake_case names, every field present, null for what is unset, (wire) spellings,
// whole-second times, JSON numbers. Writers are made once a message type and hold no reflection.

import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import {
  type ListValue,
  ListValueSchema,
  StructSchema,
  type Timestamp,
  type Value,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { createScalarWriter } from "./scalar.ts";
import { formatTimestamp } from "./timestamp.ts";
import { headerName, statusWhenTrue, wireNames } from "./wire.ts";

/** Messages are read by field name, which only a cast can express. */
type Fields = Record<string, unknown>;

type ValueWriter = (value: unknown) => JsonValue;

/** Writes one field of a message: the field's value, or null. */
export type FieldWriter = (message: Message) => JsonValue;

const writers = new WeakMap<DescMessage, (message: Message) => JsonObject>();

/** The writer of a message type. Throws when a field has a type without a JSON form here. */
export function messageWriter(desc: DescMessage): (message: Message) => JsonObject {
  const cached = writers.get(desc);
  if (cached !== undefined) return cached;
  const members: (readonly [string, FieldWriter])[] = [];
  const write = (message: Message): JsonObject => {
    const json: JsonObject = {};
    for (const [name, writeField] of members) json[name] = writeField(message);
    return json;
  };
  writers.set(desc, write); // before its fields, which may refer back to it
  for (const field of desc.fields) {
    if (headerName(field) === "" && statusWhenTrue(field) === 0) members.push([field.name, createFieldWriter(field)]);
  }
  return write;
}

/** The writer of one field. */
export function createFieldWriter(field: DescField): FieldWriter {
  const write = createValueWriter(field);
  const get = createGetter(field);
  return (message) => {
    const value = get(message);
    return value === undefined ? null : write(value);
  };
}

/** Reads the field from a message: undefined when it is unset. */
export function createGetter(field: DescField): (message: Message) => unknown {
  const { oneof, localName } = field;
  if (oneof === undefined) return (message) => (message as unknown as Fields)[localName];
  return (message) => {
    const group = (message as unknown as Fields)[oneof.localName] as {
      readonly case?: string;
      readonly value?: unknown;
    };
    return group.case === localName ? group.value : undefined;
  };
}

function createValueWriter(field: DescField): ValueWriter {
  const item = createItemWriter(field);
  switch (field.fieldKind) {
    case "list":
      return (value) => (value as unknown[]).map(item);
    case "map":
      return (value) => Object.fromEntries(Object.entries(value as Fields).map(([key, entry]) => [key, item(entry)]));
    default:
      return item;
  }
}

function createItemWriter(field: DescField): ValueWriter {
  if (field.message !== undefined) return createMessageValueWriter(field.message, field);
  if (field.enum !== undefined) {
    const { nameOf } = wireNames(field.enum);
    return (value) => nameOf.get(value as number) ?? null;
  }
  return createScalarWriter(field.scalar as ScalarType);
}

function createMessageValueWriter(desc: DescMessage, field: DescField): ValueWriter {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return (value) => formatTimestamp(value as Timestamp);
    case StructSchema.typeName:
      return (value) => value as JsonObject; // generated types hold a Struct as the JSON object itself
    case ValueSchema.typeName:
      return (value) => toJson(ValueSchema, value as Value);
    case ListValueSchema.typeName:
      return (value) => toJson(ListValueSchema, value as ListValue);
  }
  if (desc.typeName.startsWith("google.")) {
    throw new Error(`${field.parent.typeName}.${field.name}: ${desc.typeName} has no JSON form here`);
  }
  const write = messageWriter(desc);
  return (value) => write(value as Message);
}

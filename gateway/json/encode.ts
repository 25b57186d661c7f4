// Encodes Protobuf messages as JSON values, as documented: names are in snake_case, every field is present, an unset
// field is null, enums have their (wire) spellings, times have whole seconds, numbers are JSON numbers. There is one
// encoder for each message type; it uses no reflection.

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
import { headerName, statusWhenTrue, wireNames } from "./enum-names.ts";
import { createScalarEncoder } from "./scalar.ts";
import { formatTimestamp } from "./timestamp.ts";

/** Messages are read by field name, which only a cast can express. */
type Fields = Record<string, unknown>;

type ValueEncoder = (value: unknown) => JsonValue;

/** Encodes one field of a message: its value, or null. */
export type FieldEncoder = (message: Message) => JsonValue;

/** Encodes a message, except for the fields that are `left` out. */
export type MessageEncoder = (message: Message, left?: ReadonlySet<DescField>) => JsonObject;

const encoders = new WeakMap<DescMessage, MessageEncoder>();

/** The encoder of a message type. Throws when a field has a type without a JSON form here. */
export function messageEncoder(desc: DescMessage): MessageEncoder {
  const cached = encoders.get(desc);
  if (cached !== undefined) return cached;
  const members: (readonly [DescField, FieldEncoder])[] = [];
  const write: MessageEncoder = (message, left) => {
    const json: JsonObject = {};
    for (const [field, writeField] of members) {
      if (left?.has(field) !== true) json[field.name] = writeField(message);
    }
    return json;
  };
  encoders.set(desc, write); // before its fields, which may refer back to it
  for (const field of desc.fields) {
    if (isInBody(field)) members.push([field, createFieldEncoder(field)]);
  }
  return write;
}

/** Whether the field travels in the body of an answer, and not in a header or as its status. */
export function isInBody(field: DescField): boolean {
  return headerName(field) === "" && statusWhenTrue(field) === 0;
}

/** The encoder of one field. */
export function createFieldEncoder(field: DescField): FieldEncoder {
  const write = createValueEncoder(field);
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

function createValueEncoder(field: DescField): ValueEncoder {
  const item = createItemEncoder(field);
  switch (field.fieldKind) {
    case "list":
      return (value) => (value as unknown[]).map(item);
    case "map":
      return (value) => Object.fromEntries(Object.entries(value as Fields).map(([key, entry]) => [key, item(entry)]));
    default:
      return item;
  }
}

function createItemEncoder(field: DescField): ValueEncoder {
  if (field.message !== undefined) return createMessageValueEncoder(field.message, field);
  if (field.enum !== undefined) {
    const { nameOf } = wireNames(field.enum);
    return (value) => nameOf.get(value as number) ?? null;
  }
  return createScalarEncoder(field.scalar as ScalarType);
}

function createMessageValueEncoder(desc: DescMessage, field: DescField): ValueEncoder {
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
  const write = messageEncoder(desc);
  return (value) => write(value as Message);
}

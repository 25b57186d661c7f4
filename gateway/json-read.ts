// JSON values into Protobuf messages, by the documented names and spellings only. Differs from ProtoJSON on purpose:
// snake_case names, (wire) spellings of enums, no numbers in strings, every mistake told with its path. Readers are made once
// a message type and hold no reflection.

import {
  create,
  type DescField,
  type DescMessage,
  type DescOneof,
  fromJson,
  getOption,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { ListValueSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { not_empty_when_given as notEmptyWhenGiven } from "../gen/policyguard/options/v1/options_pb.ts";
import { createFieldAssigner } from "./assign.ts";
import type { Problems } from "./problem.ts";
import { createScalarReader, kindOf } from "./scalar.ts";
import { parseTimestamp } from "./timestamp.ts";
import { headerName, wireNames } from "./wire.ts";

/** Reads one value. Returns undefined after noting a problem, and for null where null means "unset". */
export type ValueReader = (json: JsonValue, path: string, problems: Problems) => unknown;

/** Reads the members of a JSON object into a message. */
export interface MessageReader {
  /** Members named in `skip` are passed over unread. */
  into(message: Message, json: JsonValue, path: string, problems: Problems, skip?: ReadonlySet<string>): void;
}

const readers = new WeakMap<DescMessage, MessageReader>();

/** The reader of a message type. Throws when a field has a type without a JSON form here. */
export function messageReader(desc: DescMessage): MessageReader {
  const cached = readers.get(desc);
  if (cached !== undefined) return cached;
  const members = new Map<string, FieldReader>();
  const suggestions = new Map<string, string>();
  const reader: MessageReader = {
    into(message, json, path, problems, skip) {
      if (!isObject(json)) {
        problems.add(path === "" ? "body" : path, `expected an object, got ${kindOf(json)}`);
        return;
      }
      for (const [name, value] of Object.entries(json)) {
        if (skip?.has(name)) continue;
        const member = members.get(name);
        const at = path === "" ? name : `${path}.${name}`;
        if (member === undefined) problems.add(at, unknownField(name, suggestions));
        else member(message, value, at, problems);
      }
    },
  };
  readers.set(desc, reader); // before its fields, which may refer back to it
  for (const field of desc.fields) {
    if (headerName(field) !== "") continue;
    members.set(field.name, createFieldReader(field));
    suggestions.set(folded(field.name), field.name);
  }
  return reader;
}

type FieldReader = (message: Message, json: JsonValue, path: string, problems: Problems) => void;

function createFieldReader(field: DescField): FieldReader {
  const read = createValueReader(field);
  const assign = createFieldAssigner(field);
  const { oneof } = field;
  if (oneof === undefined) return (message, json, path, problems) => assign(message, read(json, path, problems));
  const twice = `only one of ${oneof.fields.map((member) => member.name).join(", ")} can be set`;
  return (message, json, path, problems) => {
    const value = read(json, path, problems);
    if (value !== undefined && isOneofSet(message, oneof)) problems.add(path, twice);
    assign(message, value);
  };
}

function isOneofSet(message: Message, oneof: DescOneof): boolean {
  return reflect(oneof.parent, message).oneofCase(oneof) !== undefined;
}

/** The reader of one field's value: list, map, message, enum or scalar. */
export function createValueReader(field: DescField): ValueReader {
  switch (field.fieldKind) {
    case "list":
      return listOf(createItemReader(field), { mayBeEmpty: !getOption(field, notEmptyWhenGiven) });
    case "map":
      return mapOf(createItemReader(field), field);
    case "message":
      if (field.message.typeName === ValueSchema.typeName) return createItemReader(field);
      return orUnset(createItemReader(field));
    case "enum":
      return orUnset(createItemReader(field)); // an unset enum is written as null, so null reads as unset
    case "scalar":
      return field.oneof === undefined && !isOptional(field)
        ? createItemReader(field)
        : orUnset(createItemReader(field));
  }
}

/** The reader of a single value of the field's type: of an item, for lists and maps. */
export function createItemReader(field: DescField): ValueReader {
  if (field.message !== undefined) return createMessageValueReader(field.message, field);
  if (field.enum !== undefined) {
    const names = wireNames(field.enum);
    const expected = `expected one of ${names.names.join(", ")}`;
    return (json, path, problems) => {
      if (typeof json !== "string") return problems.add(path, `expected a string, got ${kindOf(json)}`);
      return names.numberOf.get(json) ?? problems.add(path, expected);
    };
  }
  return createScalarReader(field.scalar);
}

function createMessageValueReader(desc: DescMessage, field: DescField): ValueReader {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return readTimestamp;
    case "google.protobuf.Struct":
      return readStruct;
    case ValueSchema.typeName:
      return (json) => fromJson(ValueSchema, json);
    case ListValueSchema.typeName:
      return (json, path, problems) =>
        Array.isArray(json)
          ? fromJson(ListValueSchema, json)
          : problems.add(path, `expected an array, got ${kindOf(json)}`);
  }
  if (desc.typeName.startsWith("google.")) {
    throw new Error(`${field.parent.typeName}.${field.name}: ${desc.typeName} has no JSON form here`);
  }
  const reader = messageReader(desc);
  return (json, path, problems) => {
    const message = create(desc);
    reader.into(message, json, path, problems);
    return message;
  };
}

const readTimestamp: ValueReader = (json, path, problems) => {
  const time = typeof json === "string" ? parseTimestamp(json) : undefined;
  return time ?? problems.add(path, "expected a time in RFC 3339 form, such as 2026-11-20T09:00:00Z");
};

/** Generated types hold a Struct as the JSON object itself. */
const readStruct: ValueReader = (json, path, problems) =>
  isObject(json) ? json : problems.add(path, `expected an object, got ${kindOf(json)}`);

function orUnset(read: ValueReader): ValueReader {
  return (json, path, problems) => (json === null ? undefined : read(json, path, problems));
}

function listOf(read: ValueReader, { mayBeEmpty }: { readonly mayBeEmpty: boolean }): ValueReader {
  return (json, path, problems) => {
    if (!Array.isArray(json)) return problems.add(path, `expected an array, got ${kindOf(json)}`);
    if (json.length === 0 && !mayBeEmpty)
      return problems.add(path, "expected at least one entry; leave it out for no change");
    return json.map((item, index) => read(item, `${path}[${index}]`, problems)).filter((item) => item !== undefined);
  };
}

function mapOf(read: ValueReader, field: DescField & { readonly fieldKind: "map" }): ValueReader {
  if (field.mapKey !== ScalarType.STRING)
    throw new Error(`${field.parent.typeName}.${field.name}: only string keys have a JSON form here`);
  return (json, path, problems) => {
    if (!isObject(json)) return problems.add(path, `expected an object, got ${kindOf(json)}`);
    const entries = Object.entries(json).map(([key, item]) => [
      key,
      read(item, `${path}[${JSON.stringify(key)}]`, problems),
    ]);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  };
}

/** Whether the field is declared `optional`, so that null says "unset". */
function isOptional(field: DescField): boolean {
  return field.proto.proto3Optional;
}

function isObject(json: JsonValue): json is { [key: string]: JsonValue } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function unknownField(name: string, suggestions: ReadonlyMap<string, string>): string {
  const meant = suggestions.get(folded(name));
  return meant === undefined ? "unknown field" : `unknown field; did you mean ${meant}?`;
}

/** camelCase, kebab-case and snake_case of a name fold to the same text. */
function folded(name: string): string {
  return name.replace(/[-_]/g, "").toLowerCase();
}

// Decodes JSON values into Protobuf messages, by the documented names and spellings only. It differs from ProtoJSON on
// purpose: names are in snake_case, enums have their (wire) spellings, strings are no numbers, and each mistake is
// reported with its path. There is one decoder for each message type; it uses no reflection.

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
import {
  must_be_given as mustBeGiven,
  not_empty_when_given as notEmptyWhenGiven,
} from "../../gen/policyguard/options/v1/options_pb.ts";
import { createFieldAssigner } from "./assign.ts";
import { headerName, wireNames } from "./enum-names.ts";
import type { Problems } from "./problems.ts";
import { createScalarDecoder, kindOf } from "./scalar.ts";
import { parseTimestamp } from "./timestamp.ts";

/** Decodes one value. Returns undefined after noting a problem, and for null where null means "unset". */
export type ValueDecoder = (json: JsonValue, path: string, problems: Problems) => unknown;

/** Decodes the members of a JSON object into a message. */
export interface MessageDecoder {
  /** Ignores the members that `skip` names. */
  into(message: Message, json: JsonValue, path: string, problems: Problems, skip?: ReadonlySet<string>): void;
}

const decoders = new WeakMap<DescMessage, MessageDecoder>();

/** The decoder of a message type. Throws when a field has a type without a JSON form here. */
export function messageDecoder(desc: DescMessage): MessageDecoder {
  const cached = decoders.get(desc);
  if (cached !== undefined) return cached;
  const members = new Map<string, FieldDecoder>();
  const suggestions = new Map<string, string>();
  const needed: string[] = [];
  const reader: MessageDecoder = {
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
      for (const name of needed)
        if (!Object.hasOwn(json, name) && skip?.has(name) !== true)
          problems.add(path === "" ? name : `${path}.${name}`, "is required; an empty list removes all");
    },
  };
  decoders.set(desc, reader); // before its fields, which may refer back to it
  for (const field of desc.fields) {
    if (headerName(field) !== "") continue;
    members.set(field.name, createFieldDecoder(field));
    suggestions.set(folded(field.name), field.name);
    if (getOption(field, mustBeGiven)) needed.push(field.name);
  }
  return reader;
}

type FieldDecoder = (message: Message, json: JsonValue, path: string, problems: Problems) => void;

function createFieldDecoder(field: DescField): FieldDecoder {
  const read = createValueDecoder(field);
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

/** The decoder of one field's value: list, map, message, enum or scalar. */
export function createValueDecoder(field: DescField): ValueDecoder {
  switch (field.fieldKind) {
    case "list":
      return listOf(createItemDecoder(field), { mayBeEmpty: !getOption(field, notEmptyWhenGiven) });
    case "map":
      return mapOf(createItemDecoder(field), field);
    case "message":
      if (field.message.typeName === ValueSchema.typeName) return createItemDecoder(field);
      return orUnset(createItemDecoder(field));
    case "enum":
      return orUnset(createItemDecoder(field)); // an unset enum is written as null, so null reads as unset
    case "scalar":
      return field.oneof === undefined && !isOptional(field)
        ? createItemDecoder(field)
        : orUnset(createItemDecoder(field));
  }
}

/** The decoder of a single value of the field's type; for lists and maps, of an item. */
export function createItemDecoder(field: DescField): ValueDecoder {
  if (field.message !== undefined) return createMessageValueDecoder(field.message, field);
  if (field.enum !== undefined) {
    const names = wireNames(field.enum);
    const expected = `expected one of ${names.names.join(", ")}`;
    return (json, path, problems) => {
      if (typeof json !== "string") return problems.add(path, `expected a string, got ${kindOf(json)}`);
      return names.numberOf.get(json) ?? problems.add(path, expected);
    };
  }
  return createScalarDecoder(field.scalar);
}

function createMessageValueDecoder(desc: DescMessage, field: DescField): ValueDecoder {
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
  const reader = messageDecoder(desc);
  return (json, path, problems) => {
    const message = create(desc);
    reader.into(message, json, path, problems);
    return message;
  };
}

const readTimestamp: ValueDecoder = (json, path, problems) => {
  const time = typeof json === "string" ? parseTimestamp(json) : undefined;
  return time ?? problems.add(path, "expected a time in RFC 3339 form, such as 2026-11-20T09:00:00Z");
};

/** Generated types hold a Struct as the JSON object itself. */
const readStruct: ValueDecoder = (json, path, problems) =>
  isObject(json) ? json : problems.add(path, `expected an object, got ${kindOf(json)}`);

function orUnset(read: ValueDecoder): ValueDecoder {
  return (json, path, problems) => (json === null ? undefined : read(json, path, problems));
}

function listOf(read: ValueDecoder, { mayBeEmpty }: { readonly mayBeEmpty: boolean }): ValueDecoder {
  return (json, path, problems) => {
    if (!Array.isArray(json)) return problems.add(path, `expected an array, got ${kindOf(json)}`);
    if (json.length === 0 && !mayBeEmpty)
      return problems.add(path, "expected at least one entry; leave it out for no change");
    return json.map((item, index) => read(item, `${path}[${index}]`, problems)).filter((item) => item !== undefined);
  };
}

function mapOf(read: ValueDecoder, field: DescField & { readonly fieldKind: "map" }): ValueDecoder {
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

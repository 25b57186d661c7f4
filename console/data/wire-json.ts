// JSON as REST takes it. It differs from the JSON of the messages themselves in how it names enum values: "untrusted"
// in place of "TRUST_UNTRUSTED".

import {
  type DescField,
  type DescMessage,
  fromJson,
  getOption,
  type JsonValue,
  type MessageShape,
} from "@bufbuild/protobuf";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";

/** Reads a message. Throws when the JSON is none of it. */
export function fromWireJson<Schema extends DescMessage>(schema: Schema, json: JsonValue): MessageShape<Schema> {
  return fromJson(schema, renamed(schema, json));
}

function renamed(schema: DescMessage, json: JsonValue): JsonValue {
  // A Struct and its like hold the author's own names.
  if (schema.typeName.startsWith("google.protobuf.")) return json;
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const members = Object.entries(json).map(([name, value]) => {
    const field = schema.fields.find((each) => each.name === name || each.jsonName === name);
    return [name, field === undefined ? value : renamedValue(field, value)] as const;
  });
  return Object.fromEntries(members);
}

function renamedValue(field: DescField, value: JsonValue): JsonValue {
  if (field.fieldKind === "list" && Array.isArray(value)) return value.map((each) => oneOf(field, each));
  return field.fieldKind === "map" ? value : oneOf(field, value);
}

function oneOf({ enum: names, message }: DescField, value: JsonValue): JsonValue {
  if (names !== undefined) return names.values.find((each) => getOption(each, wire) === value)?.name ?? value;
  return message === undefined ? value : renamed(message, value);
}

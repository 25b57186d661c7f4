// Example bodies: put together from the (example) options of fields, and from their types and rules where there is
// none.

import { type DescField, type DescMessage, type JsonObject, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { wireNames } from "../json/enum-names.ts";
import { isRequired, ruleKeywords } from "./rule.ts";
import { type Direction, exampleOf, type SchemaBook } from "./schema.ts";

const sampleId = "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11";
const sampleTime = "2026-11-20T09:00:00Z";
/** Tried in order against the rules of a text. */
const sampleTexts = ["example", "en", "*", sampleId];
const maxDepth = 5;

/** Makes example bodies. */
export interface Sampler {
  /** An example of a message's JSON body. Requests get what is required, and what has an example of its own. */
  message(desc: DescMessage, direction: Direction): JsonObject;
  /** An example of a field's value. */
  field(field: DescField, direction: Direction): JsonValue;
}

/** A sampler over all messages of a schema book. `messages` lend their examples to fields of the same name. */
export function createSampler(book: SchemaBook, messages: Iterable<DescMessage>): Sampler {
  const byName = new Map<string, JsonValue>();
  for (const field of [...messages].flatMap((message) => message.fields)) {
    const example = exampleOf(field);
    // An id is of its own kind of thing.
    if (example === undefined || field.name === "id" || byName.has(lendingKey(field))) continue;
    byName.set(lendingKey(field), example);
  }
  const sampleMessage = (desc: DescMessage, direction: Direction, depth: number): JsonObject => {
    const wanted = (field: DescField) => direction === "out" || isRequired(field) || exampleOf(field) !== undefined;
    const fields = book.bodyFields(desc).filter(wanted);
    return Object.fromEntries(fields.map((field) => [field.name, sampleField(field, direction, depth)]));
  };
  const sampleField = (field: DescField, direction: Direction, depth: number): JsonValue => {
    const example = exampleOf(field) ?? byName.get(lendingKey(field));
    if (example !== undefined) return example;
    const item = sampleItem(field, direction, depth);
    if (field.fieldKind === "list") return item === undefined ? [] : [item];
    return field.fieldKind === "map" ? {} : (item ?? null);
  };
  const sampleItem = (field: DescField, direction: Direction, depth: number): JsonValue | undefined => {
    if (field.enum !== undefined) return wireNames(field.enum).names[0];
    if (field.message === undefined) return sampleScalar(field);
    if (field.message.typeName === "google.protobuf.Timestamp") return sampleTime;
    if (field.message.typeName.startsWith("google.protobuf.")) return {};
    return depth >= maxDepth ? undefined : sampleMessage(field.message, direction, depth + 1);
  };
  return {
    message: (desc, direction) => sampleMessage(desc, direction, 1),
    field: (field, direction) => sampleField(field, direction, 1),
  };
}

/** What fields have in common that may share an example: their name, kind and type. */
function lendingKey(field: DescField): string {
  const type = field.message?.typeName ?? field.enum?.typeName ?? field.scalar;
  return `${field.name}:${field.fieldKind}:${type}`;
}

function sampleScalar(field: DescField): JsonValue {
  const { value, items } = ruleKeywords(field);
  const rules = field.fieldKind === "list" ? items : value;
  switch (field.scalar) {
    case ScalarType.BOOL:
      return true;
    case ScalarType.STRING:
      return sampleText(field.name, rules);
    case ScalarType.BYTES:
      return "AAEC";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return 0.5;
    default:
      return typeof rules.minimum === "number" ? Math.max(rules.minimum, 1) : 1;
  }
}

function sampleText(name: string, { format, enum: values, pattern }: JsonObject): string {
  if (format === "uuid" || name === "id" || name.endsWith("_id")) return sampleId;
  if (name.endsWith("_at")) return sampleTime;
  if (name === "environment" || name.startsWith("env")) return "prod";
  const [first] = Array.isArray(values) ? values : [];
  if (typeof first === "string") return first;
  const expression = new RegExp(typeof pattern === "string" ? pattern : "");
  return sampleTexts.find((text) => expression.test(text)) ?? "";
}

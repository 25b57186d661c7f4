// Prepares a JSON Schema before it is compiled: one walk refuses what could cost without bound or refer elsewhere, and
// marks each subschema, so that every application of it is counted.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { depthOf } from "../segment/argument.ts";

/** Maximum size of a schema, as JSON, in bytes. */
const maxSchemaBytes = 64 * 1024;
const maxSchemaDepth = 36;
const maxParts = 4_000;

/** The keyword that marks a subschema with its weight. */
export const stepKeyword = "x-policy-guard-step";

/** Keywords whose value is one schema, a list of them, or a map of them (JSON Schema 2020-12). */
const single = new Set(
  "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);
const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Further identifiers would let references leave the schema, or reach a subschema by two names. */
const refused = new Set([
  "$id",
  "id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
  "$recursiveRef",
  "$vocabulary",
  "$async",
]);

/** The schema with its subschemas marked. Throws the error that `refuse` makes of a reason. */
export function measuredSchema(schema: JsonObject, refuse: (message: string) => Error): JsonObject {
  if (depthOf(schema, maxSchemaDepth) > maxSchemaDepth)
    throw refuse(`it is nested deeper than ${maxSchemaDepth} levels`);
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > maxSchemaBytes) throw refuse(`it has ${bytes} bytes; at most ${maxSchemaBytes} are allowed`);
  let parts = 0;
  const mark = (part: JsonValue, at: string): JsonValue => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    if (++parts > maxParts) throw refuse(`it has more than ${maxParts} parts`);
    const members = Object.entries(part).map(([keyword, value]): [string, JsonValue] => {
      checkKeyword(keyword, value, at, refuse);
      return [keyword, markWithin(keyword, value, `${at}/${keyword}`, mark)];
    });
    return Object.fromEntries([...members, [stepKeyword, weightOf(part)]]);
  };
  return mark(schema, "#") as JsonObject; // an object stays one
}

/** Applying a subschema costs more when it lists many names or values. */
function weightOf(part: JsonObject): number {
  const lengths = Object.values(part).map((value) =>
    typeof value === "object" && value !== null ? Object.keys(value).length : 0,
  );
  return 1 + Math.floor(lengths.reduce((sum, length) => sum + length, 0) / 2);
}

function markWithin(
  keyword: string,
  value: JsonValue,
  at: string,
  mark: (part: JsonValue, at: string) => JsonValue,
): JsonValue {
  if (single.has(keyword)) return mark(value, at);
  if (lists.has(keyword) && Array.isArray(value)) return value.map((part, index) => mark(part, `${at}/${index}`));
  if (!maps.has(keyword) || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mark(part, `${at}/${name}`)]));
}

function checkKeyword(keyword: string, value: JsonValue, at: string, refuse: (message: string) => Error): void {
  if (refused.has(keyword)) throw refuse(`${at} has ${keyword}, which output schemas do not support`);
  if (keyword === "$schema" && !isSupportedDialect(value)) {
    throw refuse(`${at} has another $schema than https://json-schema.org/draft/2020-12/schema`);
  }
  if (keyword === "$ref" && !(typeof value === "string" && (value === "#" || value.startsWith("#/")))) {
    throw refuse(
      `${at} refers to something outside of the schema; only references such as "#/$defs/item" are followed`,
    );
  }
}

function isSupportedDialect(value: JsonValue): boolean {
  return typeof value === "string" && /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(value);
}

/** JSON text that is equal for equal values: members are sorted by name. */
export function canonicalText(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}

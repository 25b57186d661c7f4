// The parameters of a detector, as a table shows them.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { en } from "../../text/en.ts";

const texts = en.detectors;

/** One parameter: its name, what it takes, what it means. */
export interface ParameterRow {
  readonly name: string;
  readonly takes: string;
  readonly description: string;
}

/** The parameters that a JSON Schema names. */
export function parameterRows(schema: JsonObject | undefined): ParameterRow[] {
  return Object.entries(objectOf(schema?.properties)).map(([name, value]) => {
    const property = objectOf(value);
    return { name, takes: takesOf(property), description: textOf(property.description) };
  });
}

function takesOf(property: JsonObject): string {
  const kinds = property.enum === undefined ? kindOf(property) : listOf(property.enum).map(String).join(" | ");
  return property.default === undefined ? kinds : texts.byDefault(kinds, JSON.stringify(property.default));
}

function kindOf(property: JsonObject): string {
  const items = objectOf(property.items);
  if (property.type === "array") {
    const of = items.enum === undefined ? textOf(items.type) : listOf(items.enum).map(String).join(" | ");
    return texts.listOf(of === "" ? texts.anything : of);
  }
  const { minimum, maximum } = property;
  const kind = listOf(property.type ?? []).join(" | ") || textOf(property.type) || texts.anything;
  return minimum === undefined || maximum === undefined ? kind : texts.between(kind, String(minimum), String(maximum));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

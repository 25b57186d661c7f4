// The parameters of a pack as fields of a form, by the JSON Schema that the pack has for them.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A parameter as a field. `lines` are texts, one a line. */
export interface ParameterField {
  readonly name: string;
  /** The name in words. */
  readonly title: string;
  readonly description: string;
  readonly kind: "flag" | "choice" | "choices" | "number" | "lines" | "text";
  /** What can be chosen; empty for fields that are typed. */
  readonly options: readonly string[];
  readonly initial: JsonValue;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** The fields of a pack's schema. */
export function parameterFields(schema: JsonObject | undefined): ParameterField[] {
  return Object.entries(objectOf(schema?.properties)).map(([name, value]) => {
    const property = objectOf(value);
    const options = textsOf(property.enum ?? objectOf(property.items).enum);
    return {
      name,
      title: inWords(name),
      description: typeof property.description === "string" ? property.description : "",
      kind: kindOf(property, options),
      options,
      initial: property.default ?? "",
      min: numberOf(property.minimum),
      max: numberOf(property.maximum),
    };
  });
}

/** Names that are no words. */
const abbreviations: Readonly<Record<string, string>> = { ssn: "SSN", ids: "IDs" };

/** "Own domains" for "own_domains". */
export function inWords(name: string): string {
  const text = name
    .split("_")
    .map((word) => abbreviations[word] ?? word)
    .join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function kindOf(property: JsonObject, options: readonly string[]): ParameterField["kind"] {
  if (property.type === "array") return options.length > 0 ? "choices" : "lines";
  if (options.length > 0) return "choice";
  if (property.type === "boolean") return "flag";
  return property.type === "number" || property.type === "integer" ? "number" : "text";
}

/** What a call sends: the values that differ from the defaults, so that later defaults of the pack reach the rest. */
export function changedValues(
  fields: readonly ParameterField[],
  values: Readonly<Record<string, JsonValue>>,
): JsonObject {
  const changed = fields.flatMap(({ name, initial }) => {
    const value = values[name];
    return value === undefined || JSON.stringify(value) === JSON.stringify(initial) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(changed);
}

/** The texts of a list; nothing of what is none. */
export function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

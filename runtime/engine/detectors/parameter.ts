// Reads the parameters that a policy gives to a detector. Their shape was checked against the detector's schema;
// malformed values are treated as absent.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A text, or the default. */
export function textParameter(parameters: JsonObject, name: string, fallback: string): string {
  const value = parameters[name];
  return typeof value === "string" ? value : fallback;
}

/** A boolean, or the default. */
export function flagParameter(parameters: JsonObject, name: string, fallback: boolean): boolean {
  const value = parameters[name];
  return typeof value === "boolean" ? value : fallback;
}

/** The elements of a list. */
export function listParameter(parameters: JsonObject, name: string): readonly JsonValue[] {
  const value = parameters[name];
  return Array.isArray(value) ? value : [];
}

/** The texts of a list; undefined when the parameter is absent. */
export function textsParameter(parameters: JsonObject, name: string): readonly string[] | undefined {
  if (!Array.isArray(parameters[name])) return undefined;
  return listParameter(parameters, name).filter((value) => typeof value === "string");
}

/** The schema of a category that an author may choose: the category of findings in rules and reports. */
export function categorySchema(fallback: string): JsonObject {
  return {
    type: "string",
    description: "Category of the findings, by which rules and reports call them.",
    pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$",
    maxLength: 64,
    default: fallback,
  };
}

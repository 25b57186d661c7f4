// The names of the fields of an operation, for the search.

import type { JsonValue } from "@bufbuild/protobuf";
import type { Document, Operation } from "../openapi/model.ts";

/** The names of the operation's parameters, and of all fields of its bodies. */
export function fieldNames({ components }: Document, { parameters, requestBody, responses }: Operation): Set<string> {
  const names = new Set(parameters.map(({ name }) => name));
  const known = new Set<string>();
  const visit = (value: JsonValue | undefined): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    const { $ref: reference, properties, example: _, examples: __, ...others } = value;
    if (typeof reference === "string") {
      const name = reference.split("/").at(-1) ?? "";
      if (known.has(name)) return;
      known.add(name);
      visit(components.schemas[name]);
    }
    if (typeof properties === "object" && properties !== null && !Array.isArray(properties)) {
      for (const [name, field] of Object.entries(properties)) {
        names.add(name);
        visit(field);
      }
    }
    visit(Object.values(others));
  };
  for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema);
  for (const response of Object.values(responses)) {
    if ("content" in response) for (const { schema } of Object.values(response.content ?? {})) visit(schema);
  }
  return names;
}

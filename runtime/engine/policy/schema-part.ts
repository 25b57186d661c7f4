// Building blocks of the JSON Schemas of policies and tests.

import type { JsonObject } from "@bufbuild/protobuf";

/** A text of a request. */
export const text = { type: "string", maxLength: 131072 };

/** A point in time: RFC 3339. */
export const time = {
  type: "string",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$",
};

/** An object with these keys and no others. */
export function record(properties: JsonObject, required: string[] = []): JsonObject {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

/** An array. */
export function list(items: JsonObject, bounds: { min?: number; max: number; unique?: boolean }): JsonObject {
  const { min = 0, max, unique = false } = bounds;
  return { type: "array", items, minItems: min, maxItems: max, ...(unique ? { uniqueItems: true } : {}) };
}

/** A schema with a description. */
export function described(description: string, schema: JsonObject): JsonObject {
  return { description, ...schema };
}

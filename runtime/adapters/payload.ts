// Reads the payload of another product's contract. Members that are needed must have their type; all others are
// ignored.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { validationFailed } from "../../src/kit/fault/fault.ts";

/** The text of a member; undefined when it is missing or null. Throws validation_failed for anything else. */
export function textMember(payload: JsonObject, name: string): string | undefined {
  const value = payload[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw invalid(name, "expected a string");
}

/** The items of a member; none when it is missing or null. Throws validation_failed for anything but a list. */
export function listMember(payload: JsonObject, name: string): readonly JsonValue[] {
  const value = payload[name] ?? [];
  if (Array.isArray(value)) return value;
  throw invalid(name, "expected an array");
}

/** The object of a member; empty when it is missing or null. Throws validation_failed for anything else. */
export function objectMember(payload: JsonObject, name: string): JsonObject {
  const value = payload[name] ?? {};
  if (isObject(value)) return value;
  throw invalid(name, "expected an object");
}

/** Whether a value is a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of the payload that fails its rules. */
export function invalid(field: string, message: string): Error {
  return validationFailed([{ field, message }]);
}

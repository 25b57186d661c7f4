import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { parseJson } from "../../gateway/json/parse.ts";
import { isObject } from "./payload.ts";

/** The arguments of a call in the form of the chat APIs: an object, or its JSON as a string. */
export function callArguments(value: JsonValue | undefined): JsonObject {
  if (isObject(value)) return value;
  if (typeof value !== "string") return {};
  try {
    const parsed = parseJson(value);
    return isObject(parsed) ? parsed : { arguments: parsed };
  } catch {
    // Not JSON, or not complete yet: the text is judged as it is.
    return { arguments: value };
  }
}

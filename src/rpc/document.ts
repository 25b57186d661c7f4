import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";

/** A policy's document as it was sent; null for one that is missing. */
export function documentOf(value: Value | undefined) {
  return value === undefined ? null : toJson(ValueSchema, value);
}

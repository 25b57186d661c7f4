import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";

/** A change of a policy as a message. */
export function changeMessage<Change extends { readonly before?: JsonValue; readonly after?: JsonValue }>({
  before,
  after,
  ...change
}: Change) {
  return {
    ...change,
    before: before === undefined ? undefined : fromJson(ValueSchema, before),
    after: after === undefined ? undefined : fromJson(ValueSchema, after),
  };
}

import { create } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";

/** A document as requests carry it: its text. */
export function documentOf(text: string): Value {
  return create(ValueSchema, { kind: { case: "stringValue", value: text } });
}

/** A stored policy as text: as it was written, else its document as JSON, which is YAML as well. */
export function sourceOf({ source, document }: { readonly source?: string; readonly document?: unknown }): string {
  return source ?? `${JSON.stringify(document, null, 2)}\n`;
}

// Fields that travel as text: in the path, the query, or a header.

import type { DescField, ScalarType } from "@bufbuild/protobuf";
import { createItemDecoder, type ValueDecoder } from "./decode.ts";
import type { Problems } from "./problems.ts";
import { expectedText, scalarText } from "./scalar.ts";

/** Decodes a field from its texts. Returns undefined after noting a problem. */
export type TextValueDecoder = (texts: readonly string[], path: string, problems: Problems) => unknown;

/** The decoder of a field that travels as text. Throws for a field whose type cannot. */
export function createTextValueDecoder(field: DescField): TextValueDecoder {
  const read = createSingleDecoder(field);
  if (field.fieldKind === "list") {
    return (texts, path, problems) =>
      texts.map((text, index) => read(text, `${path}[${index}]`, problems)).filter((item) => item !== undefined);
  }
  return ([first = "", ...others], path, problems) =>
    others.length > 0 ? problems.add(path, "given more than once") : read(first, path, problems);
}

function createSingleDecoder(field: DescField): (text: string, path: string, problems: Problems) => unknown {
  const isTime = field.message?.typeName === "google.protobuf.Timestamp";
  if (field.fieldKind === "map" || (field.message !== undefined && !isTime)) {
    throw new Error(`${field.parent.typeName}.${field.name} cannot travel in a path, query or header`);
  }
  const read: ValueDecoder = createItemDecoder(field);
  if (field.message !== undefined || field.enum !== undefined) return read;
  const type = field.scalar as ScalarType;
  return (text, path, problems) => {
    const json = scalarText(type, text);
    return json === undefined ? problems.add(path, `expected ${expectedText(type)}`) : read(json, path, problems);
  };
}

// Placeholders of evaluate vectors, so that no file has a made-up secret whole, or a megabyte of text.

import type { JsonValue } from "@bufbuild/protobuf";
import { tokenChecksum } from "../../../runtime/engine/detectors/secrets/checksum.ts";

const makers: Readonly<Record<string, (...values: string[]) => string>> = {
  join: (...values) => values.join(""),
  checked: (prefix = "", body = "") => prefix + body + tokenChecksum(body),
  repeat: (text = "", count = "0") => text.repeat(Number(count)),
  newline: () => "\n",
};

/** The value with "${join:a,b}", "${checked:prefix,body}", "${repeat:text,count}" and "${newline}" replaced. */
export function expanded<T extends JsonValue>(value: T): T {
  return expand(value) as T; // the same shape, texts replaced
}

function expand(item: JsonValue): JsonValue {
  if (typeof item === "string") return item.replace(/\$\{(join|checked|repeat|newline)(?::([^}]*))?\}/g, made);
  if (Array.isArray(item)) return item.map(expand);
  if (typeof item !== "object" || item === null) return item;
  return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, expand(member)]));
}

function made(_: string, name: string, list = ""): string {
  return makers[name]?.(...list.split(",")) ?? "";
}

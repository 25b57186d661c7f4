// Messages and enums as schemas. Requests and answers differ: an answer has every field, a request may leave out what
// it likes; so a message that occurs in both has two schemas, the one for requests with the suffix "Input".

import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { example as exampleOption, sensitive } from "../../gen/policyguard/options/v1/options_pb.ts";
import { headerName, statusWhenTrue, wireNames } from "../json/enum-names.ts";
import type { Route } from "../route/route.ts";
import type { Comments } from "./comment.ts";
import { refTo, type Schema } from "./model.ts";
import { isRequired, ruleKeywords } from "./rule.ts";

/** Whether a value travels to the server or from it. */
export type Direction = "in" | "out";

/** Makes schemas, and collects those that others refer to. */
export class SchemaBook {
  readonly #comments: Comments;
  readonly #names: ReadonlyMap<DescMessage | DescEnum, string>;
  readonly #both: ReadonlySet<DescMessage>;
  readonly #pathFields: ReadonlySet<DescField>;
  readonly #schemas = new Map<string, Schema>();

  /** `sent` are messages that the server sends of its own accord. */
  constructor(routes: readonly Route[], comments: Comments, sent: readonly DescMessage[] = []) {
    this.#comments = comments;
    const inputs = reachable(routes.map((route) => route.method.input));
    const outputs = reachable([...routes.map((route) => route.method.output), ...sent]);
    this.#both = new Set([...inputs].filter((desc) => desc.kind === "message" && outputs.has(desc)) as DescMessage[]);
    this.#names = shortNames(new Set([...inputs, ...outputs]));
    this.#pathFields = new Set(routes.flatMap((route) => route.pathFields));
  }

  /** All schemas that were referred to, by name. */
  all(): Record<string, Schema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The fields of a message that travel in a JSON body. */
  bodyFields(desc: DescMessage): DescField[] {
    return desc.fields.filter(
      (field) => headerName(field) === "" && statusWhenTrue(field) === 0 && !this.#pathFields.has(field),
    );
  }

  /** A reference to the schema of a message. */
  message(desc: DescMessage, direction: Direction): Schema {
    const wellKnown = wellKnownSchema(desc);
    if (wellKnown !== undefined) return wellKnown;
    const name = `${this.#nameOf(desc)}${direction === "in" && this.#both.has(desc) ? "Input" : ""}`;
    if (!this.#schemas.has(name)) {
      this.#schemas.set(name, {}); // before its fields, which may refer back to it
      this.#schemas.set(name, this.#messageSchema(desc, direction));
    }
    return { ...refTo("schemas", name) };
  }

  #messageSchema(desc: DescMessage, direction: Direction): Schema {
    const fields = this.bodyFields(desc);
    // An answer has all of its fields, but one of a oneof.
    const isThere = (field: DescField) => (direction === "out" ? field.oneof === undefined : isRequired(field));
    const required = fields.filter(isThere).map((field) => field.name);
    return {
      type: "object",
      ...described(this.#comments.of(desc)),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.field(field, direction)])),
      ...(required.length === 0 ? {} : { required }),
      ...(direction === "in" ? { additionalProperties: false } : {}),
    };
  }

  /** The schema of a field, with its comment, rules, example, and null where it may be null. */
  field(field: DescField, direction: Direction): Schema {
    const { value, items } = ruleKeywords(field);
    const notes = { ...described(this.#comments.of(field)), ...examples(field), ...writeOnly(field, direction) };
    const item = this.item(field, direction);
    if (field.fieldKind === "list") return { type: "array", items: { ...item, ...items }, ...value, ...notes };
    if (field.fieldKind === "map") return { type: "object", additionalProperties: item, ...value, ...notes };
    const schema: Schema = { ...item, ...value };
    return { ...(mayBeNull(field) ? nullable(schema) : schema), ...notes };
  }

  /** The schema of a single value of the field, bare. */
  item(field: DescField, direction: Direction): Schema {
    if (field.message !== undefined) return this.message(field.message, direction);
    if (field.enum !== undefined) return this.#enum(field.enum);
    return scalarSchema(field.scalar);
  }

  #enum(desc: DescEnum): Schema {
    const name = this.#nameOf(desc);
    const { names, nameOf } = wireNames(desc);
    const values = desc.values
      .filter((value) => nameOf.get(value.number) !== null)
      .map((value) => `- \`${nameOf.get(value.number)}\`: ${this.#comments.of(value)}`);
    const description = [this.#comments.of(desc), values.join("\n")].filter((text) => text !== "").join("\n\n");
    this.#schemas.set(name, { type: "string", enum: [...names], ...described(description) });
    return { ...refTo("schemas", name) };
  }

  #nameOf(desc: DescMessage | DescEnum): string {
    return this.#names.get(desc) ?? desc.typeName;
  }
}

/** Everything that messages lead to, in a fixed order. */
function reachable(roots: readonly DescMessage[]): Set<DescMessage | DescEnum> {
  const found = new Set<DescMessage | DescEnum>();
  const visit = (desc: DescMessage): void => {
    if (found.has(desc) || wellKnownSchema(desc) !== undefined) return;
    found.add(desc);
    for (const field of desc.fields) {
      if (field.message !== undefined) visit(field.message);
      if (field.enum !== undefined) found.add(field.enum);
    }
  };
  roots.forEach(visit);
  return found;
}

/** Type names without their package; with its noun where two types share a name. */
function shortNames(descs: Iterable<DescMessage | DescEnum>): Map<DescMessage | DescEnum, string> {
  const byName = Map.groupBy(descs, (desc) => desc.name);
  const names = new Map<DescMessage | DescEnum, string>();
  for (const [name, sharing] of byName) {
    for (const desc of sharing) {
      const noun = desc.file.proto.package.split(".").at(-2) ?? "";
      names.set(desc, sharing.length === 1 ? name : `${noun.charAt(0).toUpperCase()}${noun.slice(1)}.${name}`);
    }
  }
  return names;
}

function wellKnownSchema(desc: DescMessage): Schema | undefined {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return { type: "string", format: "date-time" };
    case "google.protobuf.Struct":
      return { type: "object", additionalProperties: true };
    case "google.protobuf.Value":
      return { description: "Any JSON value." };
    case "google.protobuf.ListValue":
      return { type: "array", items: {} };
    case "google.api.HttpBody":
      return {};
    default:
      return undefined;
  }
}

function scalarSchema(type: ScalarType | undefined): Schema {
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "integer", minimum: 0 };
    default:
      return { type: "integer" };
  }
}

function mayBeNull(field: DescField): boolean {
  return field.proto.proto3Optional || field.oneof !== undefined;
}

function nullable(schema: Schema): Schema {
  if (typeof schema.type === "string") {
    const type = [schema.type, "null"];
    return Array.isArray(schema.enum) ? { ...schema, type, enum: [...schema.enum, null] } : { ...schema, type };
  }
  return "$ref" in schema ? { anyOf: [schema, { type: "null" }] } : schema;
}

function described(description: string): Schema {
  return description === "" ? {} : { description };
}

function examples(field: DescField): Schema {
  const example = exampleOf(field);
  return example === undefined ? {} : { examples: [example] };
}

/** The value of the field's (example) option. That of a list may also be one of its items. */
export function exampleOf(field: DescField): JsonValue | undefined {
  const text = getOption(field, exampleOption);
  if (text === "") return undefined;
  const value: JsonValue = JSON.parse(text);
  return field.fieldKind === "list" && !Array.isArray(value) ? [value] : value;
}

function writeOnly(field: DescField, direction: Direction): Schema {
  return direction === "in" && getOption(field, sensitive) ? { writeOnly: true } : {};
}

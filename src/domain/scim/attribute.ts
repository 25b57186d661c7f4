// Attributes of SCIM resources: what there is (RFC 7643), how a name in a request leads to one, and how values are
// read. Names come from the tables alone: whatever else a request says is dropped, so no name of a request ever becomes
// the name of a member here.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { scimInvalid } from "./fault.ts";

/** One attribute, or a sub-attribute of one. */
export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "complex" | "reference" | "dateTime" | "binary";
  readonly description: string;
  readonly isMulti?: boolean;
  readonly isRequired?: boolean;
  /** Whether upper and lower case differ. */
  readonly isExact?: boolean;
  /** Default: it can be read and written. */
  readonly mutability?: "readOnly" | "writeOnly";
  readonly uniqueness?: "server";
  readonly referenceTypes?: readonly string[];
  readonly sub?: readonly Attribute[];
}

/** A schema: the attributes of a resource, or an extension of one. */
export interface Schema {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** A resource with its extensions, ready for look-ups. */
export interface ResourceShape {
  readonly core: Schema;
  readonly extensions: readonly Schema[];
  /** Attributes that every resource has and no schema lists. */
  readonly common: readonly Attribute[];
}

/** Where a name of a request leads. */
export interface Place {
  /** The extension that the attribute belongs to; undefined for the resource's own. */
  readonly extension?: Schema;
  /** Undefined: the extension as a whole. */
  readonly attribute?: Attribute;
  readonly sub?: Attribute;
}

/** The place that a name leads to, such as `name.givenName` or one with its URN; undefined for an unknown one. */
export function placeOf(shape: ResourceShape, text: string): Place | undefined {
  const { schema, rest } = withoutUrn(shape, text);
  if (rest === "") return schema === undefined || schema === shape.core ? undefined : { extension: schema };
  const own = schema === undefined || schema === shape.core;
  const [first = "", second, ...more] = rest.split(".");
  if (more.length > 0) return undefined;
  const attribute = named(own ? [...shape.core.attributes, ...shape.common] : schema.attributes, first);
  if (attribute === undefined) return undefined;
  const extension = own ? {} : { extension: schema };
  if (second === undefined) return { ...extension, attribute };
  const sub = named(attribute.sub ?? [], second);
  return sub && { ...extension, attribute, sub };
}

function withoutUrn(shape: ResourceShape, text: string): { readonly schema?: Schema; readonly rest: string } {
  const folded = text.toLowerCase();
  for (const schema of [shape.core, ...shape.extensions]) {
    const uri = schema.uri.toLowerCase();
    if (folded === uri) return { schema, rest: "" };
    if (folded.startsWith(`${uri}:`)) return { schema, rest: text.slice(uri.length + 1) };
  }
  return { rest: text };
}

/** The attribute of this name, in any case. */
export function named(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const folded = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === folded);
}

/** A place as messages name it. */
export function placeName({ extension, attribute, sub }: Place): string {
  const own = [attribute?.name, sub?.name].filter((name) => name !== undefined).join(".");
  return [extension?.uri, own].filter((name) => name !== undefined && name !== "").join(":");
}

/** Reads a value of an attribute. Undefined for null: it has no value. Throws invalidValue for another type. */
export function readValue(attribute: Attribute, value: JsonValue, at: string): JsonValue | undefined {
  if (value === null) return undefined;
  if (attribute.isMulti !== true) return readOne(attribute, value, at);
  const items = Array.isArray(value) ? value : [value];
  const read = items.flatMap((item, index) => readOne(attribute, item, `${at}[${index}]`) ?? []);
  if (read.filter(isPrimary).length > 1) throw scimInvalid("invalidValue", `${at} has more than one primary value`);
  return read.length === 0 ? undefined : read;
}

/** Reads one value of an attribute that may have several. */
export function readOne(attribute: Attribute, value: JsonValue, at: string): JsonValue | undefined {
  if (value === null) return undefined;
  switch (attribute.type) {
    case "complex":
      return readComplex(attribute, value, at);
    case "boolean":
      return readBoolean(value, at);
    default:
      return readText(value, at);
  }
}

function readComplex({ sub = [] }: Attribute, value: JsonValue, at: string): JsonObject | undefined {
  const simple = named(sub, "value");
  // A provider may write {"manager": "42"} and ["ada@example.com"], which has one meaning. Entra ID writes a manager as
  // a list of one.
  const alone = simple !== undefined && Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value;
  if (alone === null) return undefined;
  const members = typeof alone === "string" && simple !== undefined ? { value: alone } : alone;
  if (!isObject(members)) throw scimInvalid("invalidValue", `${at} has to be an object`);
  const read = readMembers(sub, members, at);
  return Object.keys(read).length === 0 ? undefined : read;
}

/** Reads the members of an object that are among the attributes, under their own names. Others are dropped. */
export function readMembers(attributes: readonly Attribute[], members: JsonObject, at: string): JsonObject {
  const read: JsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    const attribute = named(attributes, name);
    if (attribute === undefined || attribute.mutability !== undefined) continue;
    const found = readValue(attribute, value, `${at}.${attribute.name}`);
    if (found !== undefined) read[attribute.name] = found;
  }
  return read;
}

/** "True" and "False" in any case are what Entra ID sends for booleans. */
export function readBoolean(value: JsonValue, at: string): boolean {
  if (typeof value === "boolean") return value;
  const folded = typeof value === "string" ? value.toLowerCase() : "";
  if (folded !== "true" && folded !== "false") throw scimInvalid("invalidValue", `${at} has to be true or false`);
  return folded === "true";
}

function readText(value: JsonValue, at: string): string | undefined {
  if (typeof value !== "string") throw scimInvalid("invalidValue", `${at} has to be a string`);
  if (value.includes("\0")) throw scimInvalid("invalidValue", `${at} has the character U+0000`);
  return value === "" ? undefined : value;
}

/** Whether it is the one of several values that counts most. */
export function isPrimary(item: JsonValue): boolean {
  return isObject(item) && item.primary === true;
}

/** Whether it is an object of JSON. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads members of a body by their names, in any case and with their URN. */
export function namedReader(shape: ResourceShape, body: JsonObject): (name: string) => JsonValue | undefined {
  const found = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(body)) {
    const place = placeOf(shape, name);
    if (place?.attribute !== undefined && place.sub === undefined) found.set(place.attribute.name, value);
  }
  return (name) => found.get(name);
}

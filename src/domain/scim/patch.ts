// PATCH of a resource (RFC 7644, section 3.5.2), with the forms that Okta and Entra ID really send: operations in any
// case, paths as keys of a value, booleans as text, and a work address that is set where none is yet.
//
// Operations work on a copy of what the caller may write; whoever stores it checks the outcome as for a PUT. So a PATCH
// is carried out as a whole or not at all.

import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import {
  type Attribute,
  isObject,
  isPrimary,
  named,
  placeName,
  placeOf,
  type ResourceShape,
  readOne,
  readValue,
  type Schema,
} from "./attribute.ts";
import { scimInvalid } from "./fault.ts";
import { type Path, parsePath } from "./filter.ts";
import { describedBy, matches } from "./match.ts";

/** Operations of one request. */
export const maxOperations = 100;

/** One operation, its parts read. */
export interface Operation {
  readonly op: "add" | "remove" | "replace";
  readonly path: string | undefined;
  readonly value: JsonValue | undefined;
}

/** Reads the operations of a body. Throws invalidSyntax. */
export function readOperations(body: JsonObject): Operation[] {
  const [, operations] = Object.entries(body).find(([name]) => name.toLowerCase() === "operations") ?? [];
  if (!Array.isArray(operations) || operations.length === 0) {
    throw scimInvalid("invalidSyntax", "Operations has to be a list with at least one operation");
  }
  if (operations.length > maxOperations) {
    throw scimInvalid("invalidValue", `a request has at most ${maxOperations} operations`);
  }
  return operations.map(readOperation);
}

function readOperation(operation: JsonValue, index: number): Operation {
  if (!isObject(operation)) throw scimInvalid("invalidSyntax", `Operations[${index}] has to be an object`);
  const member = (name: string) => Object.entries(operation).find(([key]) => key.toLowerCase() === name)?.[1];
  const { op, path, value } = { op: member("op"), path: member("path"), value: member("value") };
  const folded = typeof op === "string" ? op.toLowerCase() : "";
  if (folded !== "add" && folded !== "remove" && folded !== "replace") {
    throw scimInvalid("invalidSyntax", `Operations[${index}].op has to be add, remove or replace`);
  }
  if (path != null && typeof path !== "string") {
    throw scimInvalid("invalidPath", `Operations[${index}].path has to be a string`);
  }
  // An empty path is none.
  return { op: folded, path: path == null || path.trim() === "" ? undefined : path, value };
}

/** A copy of the resource with the operations carried out. `id` is that of the resource. */
export function patched(
  shape: ResourceShape,
  resource: JsonObject,
  operations: readonly Operation[],
  { id }: { readonly id: string },
): JsonObject {
  const copy = structuredClone(resource);
  for (const { op, path, value } of operations) {
    for (const [text, part] of partsOf(op, path, value)) {
      if (isHarmless(shape, text, part, { id, isNamed: path !== undefined })) continue;
      apply(copy, op, parsePath(shape, text), part);
    }
  }
  return copy;
}

/** An operation without a path is one for each member of its value. */
export function partsOf(
  op: Operation["op"],
  path: string | undefined,
  value: JsonValue | undefined,
): (readonly [path: string, value: JsonValue | undefined])[] {
  if (path !== undefined) return [[path, value]];
  if (op === "remove") throw scimInvalid("noTarget", "an operation remove needs a path");
  if (!isObject(value)) throw scimInvalid("invalidValue", "an operation without a path needs an object as its value");
  return Object.entries(value);
}

// Okta sends the id with the new name of a group, and some send all schemas back. In a value, names that nobody knows
// are dropped, as they are in a PUT; a path has to lead somewhere.
function isHarmless(
  shape: ResourceShape,
  text: string,
  value: JsonValue | undefined,
  { id, isNamed }: { readonly id: string; readonly isNamed: boolean },
): boolean {
  if (isNamed) return false;
  const plain = text.toLowerCase();
  if (plain === "schemas" || (plain === "id" && value === id)) return true;
  return placeOf(shape, /^[^[]*/.exec(text)?.[0].trim() ?? "") === undefined;
}

function apply(resource: JsonObject, op: Operation["op"], path: Path, value: JsonValue | undefined): void {
  const { place } = path;
  for (const attribute of [place.attribute, place.sub]) {
    if (attribute?.mutability === "readOnly") {
      throw scimInvalid("mutability", `${placeName(place)} cannot be written`);
    }
  }
  if (op !== "remove" && value === undefined) {
    throw scimInvalid("invalidValue", `the operation ${op} of ${placeName(place)} needs a value`);
  }
  // No value, whichever operation says so.
  const isRemoval = op === "remove" || value === null || value === undefined;
  if (place.extension === undefined) {
    applyWithin(resource, op, path, isRemoval ? { gone: value } : { set: value });
    return;
  }
  const { uri } = place.extension;
  const held = isObject(resource[uri]) ? resource[uri] : {};
  if (place.attribute === undefined) applyWhole(held, place.extension, isRemoval ? null : value);
  else applyWithin(held, op, path, isRemoval ? { gone: value } : { set: value });
  if (Object.keys(held).length === 0) delete resource[uri];
  else resource[uri] = held;
}

/** What is to be set, or that something goes: of several values those that `gone` lists. */
type Wish = { readonly set: JsonValue } | { readonly gone: JsonValue | undefined };

function applyWhole(held: JsonObject, { attributes, uri }: Schema, value: JsonValue): void {
  if (value === null) {
    for (const name of Object.keys(held)) delete held[name];
    return;
  }
  if (!isObject(value)) throw scimInvalid("invalidValue", `${uri} has to be an object`);
  for (const [name, member] of Object.entries(value)) {
    const attribute = named(attributes, name);
    if (attribute !== undefined) setMember(held, attribute, member);
  }
}

function applyWithin(held: JsonObject, op: Operation["op"], { place, where }: Path, wish: Wish): void {
  const { attribute, sub } = place;
  if (attribute === undefined) return;
  if (attribute.isMulti === true) {
    changeValues(held, attribute, { op, sub, where }, wish);
    return;
  }
  if (sub === undefined) {
    if ("gone" in wish) removeMember(held, attribute);
    else setMember(held, attribute, wish.set);
    return;
  }
  const parts = isObject(held[attribute.name]) ? { ...(held[attribute.name] as JsonObject) } : {}; // just checked
  if ("gone" in wish) delete parts[sub.name];
  else setMember(parts, sub, wish.set);
  if (Object.keys(parts).length === 0) delete held[attribute.name];
  else held[attribute.name] = parts;
}

function removeMember(held: JsonObject, { name, isRequired, type }: Attribute): void {
  if (isRequired === true) throw scimInvalid("mutability", `${name} is required and cannot be removed`);
  if (name === "active" && type === "boolean") {
    throw scimInvalid("invalidValue", "active is true or false: replace it instead of removing it");
  }
  delete held[name];
}

// Parts of an attribute that are not given stay as they are (RFC 7644, section 3.5.2.3).
function setMember(held: JsonObject, attribute: Attribute, value: JsonValue): void {
  const read = readValue(attribute, value, attribute.name);
  const { name } = attribute;
  if (read === undefined) removeMember(held, attribute);
  else if (attribute.type === "complex" && isObject(read) && isObject(held[name])) {
    held[name] = { ...(held[name] as JsonObject), ...read }; // just checked
  } else if (attribute.mutability !== "writeOnly") held[name] = read;
}

interface Values {
  readonly op: Operation["op"];
  readonly sub: Attribute | undefined;
  readonly where: Path["where"];
}

function changeValues(held: JsonObject, attribute: Attribute, { op, sub, where }: Values, wish: Wish): void {
  const present = held[attribute.name];
  const items: JsonValue[] = Array.isArray(present) ? present : [];
  const isMeant = (item: JsonValue) => where === undefined || matches(where, item);
  const next =
    "gone" in wish
      ? without(items, { attribute, sub, isMeant, isFiltered: where !== undefined, listed: wish.gone })
      : sub === undefined && where === undefined
        ? withAll(items, attribute, op, wish.set)
        : withPart(items, attribute, { sub, where, isMeant }, wish.set);
  if (next.length === 0) delete held[attribute.name];
  else held[attribute.name] = next;
}

function without(
  items: readonly JsonValue[],
  {
    attribute,
    sub,
    isMeant,
    isFiltered,
    listed,
  }: {
    readonly attribute: Attribute;
    readonly sub: Attribute | undefined;
    readonly isMeant: (item: JsonValue) => boolean;
    readonly isFiltered: boolean;
    readonly listed: JsonValue | undefined;
  },
): JsonValue[] {
  if (isFiltered && !items.some(isMeant)) {
    throw scimInvalid("noTarget", `no value of ${attribute.name} fulfils the filter`);
  }
  if (sub !== undefined) {
    return items.flatMap((item) => {
      if (!isMeant(item) || !isObject(item)) return [item];
      const { [sub.name]: _, ...rest } = item;
      return Object.keys(rest).length === 0 ? [] : [rest];
    });
  }
  // Entra ID names the values that go in a list, without its newer form.
  const named = listed == null || isFiltered ? undefined : readValue(attribute, listed, attribute.name);
  if (!Array.isArray(named)) return items.filter((item) => !isMeant(item));
  return items.filter((item) => !named.some((gone) => isPartOf(gone, item)));
}

function isPartOf(part: JsonValue, item: JsonValue): boolean {
  if (!isObject(part) || !isObject(item)) return part === item;
  return Object.entries(part).every(([name, value]) => isDeepStrictEqual(item[name], value));
}

function withAll(
  items: readonly JsonValue[],
  attribute: Attribute,
  op: Operation["op"],
  value: JsonValue,
): JsonValue[] {
  const read = readValue(attribute, value, attribute.name);
  const given = Array.isArray(read) ? read : [];
  if (op === "replace") return given;
  const fresh = given.filter((item) => !items.some((present) => isDeepStrictEqual(present, item)));
  const kept = fresh.some(isPrimary) ? items.map(withoutPrimary) : items;
  return [...kept, ...fresh];
}

// Where nothing fulfils the filter, what it describes is made: otherwise no provider could set a first work address.
function withPart(
  items: readonly JsonValue[],
  attribute: Attribute,
  {
    sub,
    where,
    isMeant,
  }: {
    readonly sub: Attribute | undefined;
    readonly where: Path["where"];
    readonly isMeant: (item: JsonValue) => boolean;
  },
  value: JsonValue,
): JsonValue[] {
  const at = attribute.name;
  const read = sub === undefined ? readOne(attribute, value, at) : readOne(sub, value, `${at}.${sub.name}`);
  if (read === undefined) return [...items];
  const part: JsonObject = sub === undefined ? (isObject(read) ? read : {}) : { [sub.name]: read };
  const described = where === undefined ? {} : describedBy(where);
  if (!items.some(isMeant)) {
    if (described === undefined) throw scimInvalid("noTarget", `no value of ${at} fulfils the filter`);
    const made: JsonObject = { ...described, ...part };
    return [...(isPrimary(made) ? items.map(withoutPrimary) : items), made];
  }
  const first = items.findIndex(isMeant);
  const isNowPrimary = isPrimary(part);
  return items.map((item, index) => {
    if (!isMeant(item) || !isObject(item)) return isNowPrimary ? withoutPrimary(item) : item;
    const changed = { ...item, ...part };
    return isNowPrimary && index !== first ? withoutPrimary(changed) : changed;
  });
}

function withoutPrimary(item: JsonValue): JsonValue {
  return isObject(item) && item.primary === true ? { ...item, primary: false } : item;
}

// Whether a resource, or one of several values of an attribute, fulfils a filter. Users are filtered by the database,
// which finds the same ones; this is for groups, which are few, and for the filters in paths of a PATCH.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Attribute, isObject, named, type Place, readBoolean } from "./attribute.ts";
import { scimInvalid } from "./fault.ts";
import type { Comparator, Filter } from "./filter.ts";

/** Whether one value of an attribute fulfils the filter in its brackets. */
export function matches(filter: Filter, item: JsonValue): boolean {
  switch (filter.kind) {
    case "and":
      return filter.of.every((each) => matches(each, item));
    case "or":
      return filter.of.some((each) => matches(each, item));
    case "not":
      return !matches(filter.of, item);
    case "some":
      throw scimInvalid("invalidFilter", "a filter within brackets has no brackets");
    case "present":
      return memberOf(filter.place, item) !== undefined;
    case "compare":
      return compares(filter.place.sub, filter, memberOf(filter.place, item));
  }
}

function memberOf({ sub }: Place, item: JsonValue): JsonValue | undefined {
  return isObject(item) && sub !== undefined && Object.hasOwn(item, sub.name) ? item[sub.name] : undefined;
}

function compares(
  attribute: Attribute | undefined,
  { operator, value }: Filter & { readonly kind: "compare" },
  found: JsonValue | undefined,
): boolean {
  if (value === null) return (found === undefined) === (operator === "eq");
  const { type, isExact } = attribute ?? {};
  if (type === "boolean") return (found === readBoolean(value, "the value")) === (operator === "eq");
  if (typeof found !== "string" || typeof value !== "string") return operator === "ne";
  if (type === "dateTime") return compareText(operator, instant(found), instant(value));
  const fold = (text: string) => (isExact === true ? text : text.toLowerCase());
  return compareText(operator, fold(found), fold(value));
}

// In one zone, so that times in different ones are in their order as texts.
function instant(time: string): string {
  return new Date(time).toISOString();
}

function compareText(operator: Comparator, found: string, wanted: string): boolean {
  switch (operator) {
    case "eq":
      return found === wanted;
    case "ne":
      return found !== wanted;
    case "co":
      return found.includes(wanted);
    case "sw":
      return found.startsWith(wanted);
    case "ew":
      return found.endsWith(wanted);
    case "gt":
      return found > wanted;
    case "ge":
      return found >= wanted;
    case "lt":
      return found < wanted;
    case "le":
      return found <= wanted;
  }
}

/** Whether a whole resource fulfils the filter. Of an attribute with several values one has to. */
export function fulfils(filter: Filter, resource: JsonObject): boolean {
  switch (filter.kind) {
    case "and":
      return filter.of.every((each) => fulfils(each, resource));
    case "or":
      return filter.of.some((each) => fulfils(each, resource));
    case "not":
      return !fulfils(filter.of, resource);
    case "some":
      return valuesAt(filter.place, resource).some((item) => matches(filter.where, item));
    case "present":
      return isPresent(filter.place, resource);
    case "compare":
      return fulfilsComparison(filter, resource);
  }
}

function fulfilsComparison(filter: Filter & { readonly kind: "compare" }, resource: JsonObject): boolean {
  const { place, operator, value } = filter;
  if (value === null) return isPresent(place, resource) === (operator === "ne");
  const { attribute } = place;
  // A name of a complex attribute stands for its value.
  const sub = place.sub ?? named(attribute?.sub ?? [], "value");
  const found = valuesAt(place, resource).map((item) => (isObject(item) ? sub && item[sub.name] : item));
  const isOne = attribute?.isMulti !== true && found.length === 0;
  return (isOne ? [undefined] : found).some((each) => compares(sub ?? attribute, filter, each));
}

function isPresent({ extension, attribute, sub }: Place, resource: JsonObject): boolean {
  if (attribute === undefined) return extension !== undefined && resource[extension.uri] !== undefined;
  const values = valuesAt({ ...(extension && { extension }), attribute }, resource);
  return values.some((item) => sub === undefined || (isObject(item) && item[sub.name] !== undefined));
}

function valuesAt({ extension, attribute }: Place, resource: JsonObject): JsonValue[] {
  const holder = extension === undefined ? resource : resource[extension.uri];
  const value = attribute && isObject(holder) ? holder[attribute.name] : undefined;
  return value === undefined ? [] : [value].flat();
}

/**
 * The members that a filter on groups compares with. Throws invalidFilter for a comparison that would have to read all
 * members of all groups.
 */
export function membersAsked(filter: Filter): string[] {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.of.flatMap(membersAsked);
    case "not":
      return membersAsked(filter.of);
    case "some":
      return idsIn(filter.where);
    case "present":
      if (filter.place.attribute?.name === "members") throw byIdOnly();
      return [];
    case "compare":
      return filter.place.attribute?.name === "members" ? idsIn(filter) : [];
  }
}

function idsIn(filter: Filter): string[] {
  if (filter.kind !== "compare" || filter.operator !== "eq" || typeof filter.value !== "string") throw byIdOnly();
  if (filter.place.sub !== undefined && filter.place.sub.name !== "value") throw byIdOnly();
  return [filter.value];
}

function byIdOnly() {
  return scimInvalid("invalidFilter", 'members can be compared by their id only, as in members.value eq "…"');
}

/**
 * The value that a filter describes when it says only what sub-attributes equal: type "work" for `type eq "work"`.
 * Undefined for any other filter.
 */
export function describedBy(filter: Filter): JsonObject | undefined {
  if (filter.kind === "compare" && filter.operator === "eq" && filter.place.sub !== undefined) {
    const { name, type } = filter.place.sub;
    if (filter.value === null) return undefined;
    if (type === "boolean") return { [name]: readBoolean(filter.value, "the value") };
    return typeof filter.value === "string" ? { [name]: filter.value } : undefined;
  }
  if (filter.kind !== "and") return undefined;
  const parts = filter.of.map(describedBy);
  return parts.includes(undefined) ? undefined : Object.assign({}, ...parts);
}

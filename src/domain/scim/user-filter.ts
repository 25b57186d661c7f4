// A filter on users as a condition for the database.

import type { JsonValue } from "@bufbuild/protobuf";
import type { UserCondition } from "../../store/scim/scim-user.ts";
import { type Condition, everyUser, type TextSource, userConditionSql } from "../../store/scim/user-condition.ts";
import { type Attribute, type Place, placeName, readBoolean } from "./attribute.ts";
import { scimInvalid } from "./fault.ts";
import { type Comparator, type Filter, parseFilter } from "./filter.ts";
import { userShape } from "./schema.ts";
import { addressKey, emailKeyOf, userNameKey } from "./user-resource.ts";

/** The condition that a filter states; without one, the condition that everybody fulfils. Throws invalidFilter. */
export function userCondition(filter: string | undefined): UserCondition {
  return filter === undefined || filter.trim() === ""
    ? everyUser
    : userConditionSql(conditionOf(parseFilter(userShape, filter)));
}

function conditionOf(filter: Filter): Condition {
  switch (filter.kind) {
    case "and":
    case "or":
      return { kind: filter.kind, of: filter.of.map(conditionOf) };
    case "not":
      return { kind: "not", of: conditionOf(filter.of) };
    case "some":
      return narrowed(filter.place, { kind: "some", list: listOf(filter.place), where: itemCondition(filter.where) });
    case "present":
      return presence(filter.place);
    case "compare":
      return comparison(filter);
  }
}

/** A condition on one of several values. */
function itemCondition(filter: Filter): Condition {
  switch (filter.kind) {
    case "and":
    case "or":
      return { kind: filter.kind, of: filter.of.map(itemCondition) };
    case "not":
      return { kind: "not", of: itemCondition(filter.of) };
    case "some":
      throw scimInvalid("invalidFilter", "a filter within brackets has no brackets");
    case "present":
      return { kind: "present", text: partOf(filter.place.sub) };
    case "compare":
      return compareItem(filter.place.sub, filter.operator, filter.value);
  }
}

function compareItem(sub: Attribute | undefined, operator: Comparator, value: JsonValue): Condition {
  const text = partOf(sub);
  if (value === null) return absence({ kind: "present", text }, operator);
  if (sub?.type === "boolean") return flag({ part: sub.name }, operator, value);
  return textComparison(text, operator, value, sub?.isExact === true);
}

function partOf(sub: Attribute | undefined): { readonly part: string } {
  if (sub === undefined) throw scimInvalid("invalidFilter", "the filter has to name a part of the value");
  return { part: sub.name };
}

function presence(place: Place): Condition {
  const { attribute, sub } = place;
  if (attribute?.isMulti === true) {
    const list = listOf(place);
    return sub === undefined
      ? { kind: "some", list }
      : { kind: "some", list, where: { kind: "present", text: partOf(sub) } };
  }
  if (attribute?.name === "active" || attribute?.name === "meta") return { kind: "present", text: { column: "id" } };
  return { kind: "present", text: textOf(place, { isWhole: true }) };
}

function comparison({ place, operator, value }: Filter & { readonly kind: "compare" }): Condition {
  const { attribute, sub, extension } = place;
  if (value === null) return absence(presence(place), operator);
  if (attribute?.isMulti === true) {
    const part = sub ?? attribute.sub?.find(({ name }) => name === "value");
    return narrowed(place, { kind: "some", list: listOf(place), where: compareItem(part, operator, value) });
  }
  if (attribute?.name === "active") return flag("active", operator, value);
  if (attribute?.name === "meta" && (sub?.name === "created" || sub?.name === "lastModified")) {
    return timeComparison(sub.name, operator, value);
  }
  if (attribute?.name === "userName" && extension === undefined && operator === "eq" && typeof value === "string") {
    return { kind: "userName", key: userNameKey(value), emailKey: emailKeyOf(value) };
  }
  if (attribute?.name === "externalId" && operator === "eq" && typeof value === "string") {
    return { kind: "externalId", value };
  }
  return textComparison(textOf(place, { isWhole: false }), operator, value, (sub ?? attribute)?.isExact === true);
}

// A value that an address has to equal leads to its users by index. Whether they fulfil the rest is compared as ever.
function narrowed({ attribute }: Place, some: Condition & { readonly kind: "some" }): Condition {
  const address = attribute?.name === "emails" && some.where !== undefined ? equalValue(some.where) : undefined;
  const key = addressKey(address);
  if (address === undefined || key === undefined) return some;
  return { kind: "and", of: [{ kind: "address", key, emailKey: emailKeyOf(address) }, some] };
}

/** The value that an item has to have; undefined when it may have others. */
function equalValue(where: Condition): string | undefined {
  if (where.kind === "and") return where.of.map(equalValue).find((value) => value !== undefined);
  if (where.kind !== "text" || where.operator !== "eq") return undefined;
  return "part" in where.text && where.text.part === "value" ? where.value : undefined;
}

// The parser has checked that values are of the types that they are compared with.

function absence(present: Condition, operator: Comparator): Condition {
  return operator === "eq" ? { kind: "not", of: present } : present;
}

function flag(of: "active" | { readonly part: string }, operator: Comparator, value: JsonValue): Condition {
  const equal: Condition = { kind: "flag", flag: of, value: readBoolean(value, "the value") };
  return operator === "eq" ? equal : { kind: "not", of: equal };
}

function timeComparison(time: "created" | "lastModified", operator: Comparator, value: JsonValue): Condition {
  return { kind: "time", time, operator, value: new Date(String(value)) };
}

function textComparison(text: TextSource, operator: Comparator, value: JsonValue, isExact: boolean): Condition {
  return { kind: "text", text, operator, value: String(value), isExact };
}

function listOf(place: Place): readonly string[] {
  const { attribute, extension } = place;
  if (attribute === undefined || attribute.name === "schemas") throw cannot(place);
  return extension === undefined ? [attribute.name] : [extension.uri, attribute.name];
}

function textOf(place: Place, { isWhole }: { readonly isWhole: boolean }): TextSource {
  const { extension, attribute, sub } = place;
  if (attribute === undefined) {
    if (isWhole && extension !== undefined) return { path: [extension.uri] };
    throw cannot(place);
  }
  if (attribute.mutability === "writeOnly") throw cannot(place);
  if (extension === undefined) {
    const { name } = attribute;
    if (name === "id" || name === "userName" || name === "externalId" || name === "displayName")
      return { column: name };
    if (name === "meta") {
      if (sub?.name === "resourceType") return { column: "resourceType" };
      throw cannot(place);
    }
  }
  const before = extension === undefined ? [] : [extension.uri];
  if (sub !== undefined) return { path: [...before, attribute.name, sub.name] };
  if (attribute.type !== "complex" || isWhole) return { path: [...before, attribute.name] };
  const simple = attribute.sub?.find(({ name }) => name === "value");
  if (simple === undefined) throw cannot(place);
  return { path: [...before, attribute.name, simple.name] };
}

function cannot(place: Place) {
  return scimInvalid("invalidFilter", `users cannot be filtered by ${placeName(place)}`);
}

// Substitutes values for references. A string that consists only of `${parameters.name}` becomes the value itself, with
// its type; within a list, a list value replaces the item by its own items. Within longer text the value is written
// out: in conditions as a literal, so that a value cannot become code, elsewhere as text. A null value removes its key.
// A map with a key `if` is kept only when that is neither null, false, an empty text nor an empty list. `$${` stands
// for a literal `${`.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

const reference = /\$?\$\{parameters\.([a-z][a-z0-9_]*)\}/g;
const whole = /^\$\{parameters\.([a-z][a-z0-9_]*)\}$/;
const conditions: ReadonlySet<string> = new Set(["when", "unless"]);

/** Names of the parameters that a value refers to. */
export function referencesOf(value: JsonValue): Set<string> {
  const names = new Set<string>();
  const collect = (each: JsonValue): void => {
    if (typeof each === "string") {
      for (const [match, name = ""] of each.matchAll(reference)) if (!match.startsWith("$$")) names.add(name);
    } else if (typeof each === "object" && each !== null) Object.values(each).forEach(collect);
  };
  collect(value);
  return names;
}

/** The map with values substituted for references. */
export function substitute(map: JsonObject, values: JsonObject): JsonObject {
  const entries = Object.entries(map).flatMap(([key, value]) => {
    const replaced = key === "if" ? undefined : replace(value, values, conditions.has(key));
    return replaced === undefined || replaced === null ? [] : [[key, replaced] as const];
  });
  return Object.fromEntries(entries);
}

function replace(value: JsonValue, values: JsonObject, isCondition: boolean): JsonValue | undefined {
  if (typeof value === "string") return replaceText(value, values, isCondition);
  if (Array.isArray(value)) return value.flatMap((item) => itemsOf(item, values));
  if (typeof value !== "object" || value === null) return value;
  return stands(value, values) ? substitute(value, values) : undefined;
}

function itemsOf(item: JsonValue, values: JsonObject): JsonValue[] {
  const replaced = replace(item, values, false);
  if (replaced === undefined || replaced === null) return [];
  return typeof item === "string" && Array.isArray(replaced) ? replaced : [replaced];
}

function replaceText(text: string, values: JsonObject, isCondition: boolean): JsonValue {
  const only = isCondition ? null : whole.exec(text);
  if (only !== null) return structuredClone(values[only[1] ?? ""] ?? null);
  return text.replace(reference, (match, name: string) => {
    if (match.startsWith("$$")) return match.slice(1);
    const value = values[name] ?? null;
    return isCondition || typeof value !== "string" ? JSON.stringify(value) : value;
  });
}

function stands(map: JsonObject, values: JsonObject): boolean {
  if (!Object.hasOwn(map, "if")) return true;
  const value = replace(map.if ?? null, values, false);
  return !(value == null || value === false || value === "" || (Array.isArray(value) && value.length === 0));
}

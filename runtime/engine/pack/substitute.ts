// Values in the place of references. A string that is nothing but `${parameters.name}` becomes the value itself, with its type; in a
// list, a list takes the place of the item. Within longer text the value is written out: as a literal in conditions, so that a value
// cannot become code, as text elsewhere. A value of null takes its key away. A map with a key `if` stands only where that is neither
// null, false, empty text nor an empty list. `$${` is a plain `${`.

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

/** The map with values in the place of references. */
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

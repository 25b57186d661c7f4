// The attributes that a caller asks for (RFC 7644, section 3.9).

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject, type Place, placeOf, type ResourceShape } from "./attribute.ts";

/** The attributes to return, or to leave out; lists separated by commas. */
export interface Projection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** Always there, whatever was asked for. */
const always = ["schemas", "id"];

/** Whether an attribute is asked for. */
export function isWanted(shape: ResourceShape, { attributes, excludedAttributes }: Projection, name: string): boolean {
  const names = (list: string) => placesOf(shape, list).map(({ attribute }) => attribute?.name);
  if (attributes !== undefined) return names(attributes).includes(name);
  return excludedAttributes === undefined || !placesOf(shape, excludedAttributes).some(isWhole);
  function isWhole({ attribute, sub }: Place) {
    return attribute?.name === name && sub === undefined;
  }
}

/** The resource with what was asked for. Names that nobody knows are ignored. */
export function projected(
  shape: ResourceShape,
  resource: JsonObject,
  { attributes, excludedAttributes }: Projection,
): JsonObject {
  if (attributes !== undefined) return only(resource, placesOf(shape, attributes));
  if (excludedAttributes !== undefined) return without(resource, placesOf(shape, excludedAttributes));
  return resource;
}

function placesOf(shape: ResourceShape, list: string): Place[] {
  return list.split(",").flatMap((text) => placeOf(shape, text.trim()) ?? []);
}

function only(resource: JsonObject, places: readonly Place[]): JsonObject {
  const kept: JsonObject = {};
  for (const name of always) if (resource[name] !== undefined) kept[name] = resource[name];
  for (const place of places) {
    const { extension, attribute } = place;
    if (extension === undefined) copyPart(resource, kept, place);
    else {
      const held = resource[extension.uri];
      if (!isObject(held)) continue;
      const part = isObject(kept[extension.uri]) ? (kept[extension.uri] as JsonObject) : {}; // just checked
      if (attribute === undefined) Object.assign(part, held);
      else copyPart(held, part, place);
      kept[extension.uri] = part;
    }
  }
  return kept;
}

function copyPart(from: JsonObject, to: JsonObject, { attribute, sub }: Place): void {
  const value = attribute && from[attribute.name];
  if (attribute === undefined || value === undefined) return;
  to[attribute.name] = sub === undefined ? value : merged(to[attribute.name], value, sub.name);
}

function merged(kept: JsonValue | undefined, value: JsonValue, name: string): JsonValue {
  if (Array.isArray(value))
    return value.map((item, i) => merged(Array.isArray(kept) ? kept[i] : undefined, item, name));
  if (!isObject(value)) return value;
  return { ...(isObject(kept) ? kept : {}), ...(value[name] === undefined ? {} : { [name]: value[name] }) };
}

function without(resource: JsonObject, places: readonly Place[]): JsonObject {
  const kept = structuredClone(resource);
  for (const { extension, attribute, sub } of places) {
    const held = extension === undefined ? kept : kept[extension.uri];
    if (extension !== undefined && attribute === undefined) delete kept[extension.uri];
    if (!isObject(held) || attribute === undefined || always.includes(attribute.name)) continue;
    if (sub === undefined) delete held[attribute.name];
    else for (const item of [held[attribute.name]].flat()) if (isObject(item)) delete item[sub.name];
  }
  return kept;
}

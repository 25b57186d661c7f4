// Upper bounds for the size of values in a condition. Sizes come from the source of the condition, the lists of the
// policy and the limits of a request, and are propagated: `+` adds them, `map` multiplies them.

import { sessionLimits } from "../segment/session.ts";

/** Maximum number of elements in a list of a request that a condition may read. */
export const listCaps = { findings: 1024, roles: 64, dynamic: 4096 } as const;

/** Maximum size of values that a condition may build with `+` and `map`: UTF-16 code units (or bytes), and elements. */
export const builtLimits = { units: 65_536, elements: 4_096 } as const;

/** Upper bounds of a value. */
export interface Size {
  /** UTF-16 code units of a text; bytes of a bytes value. */
  readonly units: number;
  /** Elements of a list, entries of a map. */
  readonly count: number;
  /** Bounds of its elements, keys, values or fields; absent when it has none. */
  readonly item?: Size;
  /** The cost of comparing it with an equal value, in steps. */
  readonly weight: number;
  /** Total units of the texts in it that `+` built. */
  readonly built: number;
  /** Its type and size depend on the request. What `+` builds from it is bounded at run time. */
  readonly isDynamic: boolean;
}

/** A number or a boolean. Values that may be a text or a list use another object, however small. */
export const scalar: Size = { units: 0, count: 0, weight: 1, built: 0, isDynamic: false };

/** A text. */
export function textSize(units: number): Size {
  return { ...scalar, units, weight: 1 + Math.floor(units / 256) };
}

/** A list whose elements have at most the size of `item`. */
export function listSize(count: number, item: Size): Size {
  return { ...scalar, count, item, weight: 1 + count * item.weight, built: count * item.built };
}

/** The bounds of a value that may be any of these. */
export function anyOf(sizes: readonly Size[]): Size {
  const [first = scalar, ...rest] = sizes;
  return rest.reduce(either, first);
}

function either(a: Size, b: Size): Size {
  if (a === b) return a;
  const item = a.item === undefined || b.item === undefined ? (a.item ?? b.item) : either(a.item, b.item);
  return {
    units: Math.max(a.units, b.units),
    count: Math.max(a.count, b.count),
    ...(item !== undefined && { item }),
    weight: Math.max(a.weight, b.weight),
    built: Math.max(a.built, b.built),
    isDynamic: a.isDynamic || b.isDynamic,
  };
}

/** Maximum characters of a text of a request. */
const requestUnits = 1_048_576;
/** Maximum characters of names in requests and of attributes of findings. */
const nameUnits = 256;
/** Maximum characters of an item of a list. */
const listItemUnits = 1_024;

const name = textSize(nameUnits);
/** Maximum fields of a variable: dyn() turns it into a map whose keys are the field names. */
const fieldCount = 32;
const fieldOfFinding: Size = { ...listSize(64, name), units: nameUnits };
const finding = variableOf(fieldOfFinding);
const sessionField: Size = { ...listSize(sessionLimits.names, textSize(sessionLimits.nameLength)), units: nameUnits };

/** JSON of a request: a number, a text, or nested lists and objects. */
const json: Size = jsonSize();

function jsonSize(): Size {
  const size = {
    units: requestUnits,
    count: listCaps.dynamic,
    weight: 2 * listCaps.dynamic,
    built: 0,
    isDynamic: true,
  };
  const json: { -readonly [Key in keyof Size]: Size[Key] } = size;
  json.item = json;
  return json;
}

function variableOf(field: Size): Size {
  return listSize(fieldCount, field);
}

/** The variables of a condition, except `lists`. */
const variables: Readonly<Record<string, { readonly size: Size; readonly fields: Readonly<Record<string, Size>> }>> = {
  request: { size: variableOf(json), fields: { metadata: json } },
  segment: { size: variableOf(textSize(requestUnits)), fields: { text: textSize(requestUnits) } },
  subject: { size: variableOf(json), fields: { attributes: json, roles: listSize(listCaps.roles, name) } },
  tool: { size: variableOf(json), fields: { args: json } },
  session: { size: variableOf(sessionField), fields: {} },
  finding: { size: finding, fields: {} },
  findings: { size: listSize(listCaps.findings, finding), fields: {} },
};

/** The size of a variable. */
export function variableSize(variable: string, lists: ReadonlyMap<string, number>): Size {
  if (variable !== "lists") return variables[variable]?.size ?? scalar;
  const longest = Math.max(0, ...lists.values());
  return listSize(lists.size, { ...listSize(longest, textSize(listItemUnits)), units: nameUnits });
}

/** The size of a field of a variable. */
export function fieldSize(variable: string, field: string, lists: ReadonlyMap<string, number>): Size {
  if (variable === "lists") return listSize(lists.get(field) ?? 0, textSize(listItemUnits));
  if (variable === "session") return sessionField;
  if (variable === "finding") return fieldOfFinding;
  return variables[variable]?.fields[field] ?? name;
}

/** The size of a literal. */
export function literalSize(value: unknown): Size {
  if (typeof value === "string") return textSize(value.length);
  return value instanceof Uint8Array ? textSize(value.length) : scalar;
}

/** True when a value built by `+` exceeds the limits. */
export function isTooLarge(value: unknown): boolean {
  if (typeof value === "string" || value instanceof Uint8Array) return value.length > builtLimits.units;
  return Array.isArray(value) && value.length > builtLimits.elements;
}

// The arguments of a tool call as JSON: lists every string in them with its pointer, and rewrites some of the strings.
// Pointers are JSON pointers (RFC 6901). The name of a member has the pointer of its value followed by "#", as in
// relative JSON pointers: in {"to": "Ann"} the value is at "/to" and the name at "/to#".

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/**
 * Maximum nesting of objects and arrays in arguments, and in the labels of a request: that of a REST body without the
 * levels around them.
 */
export const maxArgumentDepth = 36;

/**
 * All strings of a JSON value with their pointers. Names of members are included, since a payload may hide in a name as
 * well.
 */
export function argumentTexts(root: JsonObject, path: string): [string, string][] {
  const found: [string, string][] = [];
  // An explicit stack: the call stack could not hold every nesting that a request may have.
  const open: [string, JsonValue][] = [[path, root]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, value] = next;
    if (typeof value === "string") found.push([at, value]);
    if (typeof value !== "object" || value === null) continue;
    const children = Object.entries(value).map(([key, child]): [string, JsonValue] => [pointerTo(at, key), child]);
    if (!Array.isArray(value)) for (const key of Object.keys(value)) found.push([namePointer(pointerTo(at, key)), key]);
    open.push(...children.reverse());
  }
  return found;
}

/**
 * The same JSON with some strings replaced, by their pointers. Names that become equal get a number: "[EMAIL_1]",
 * "[EMAIL_1]_2".
 */
export function rewriteArguments(root: JsonObject, path: string, texts: ReadonlyMap<string, string>): JsonObject {
  return rewriteObject(root, path, texts);
}

/** The problem with these arguments, in words for the sender; undefined when there is none. */
export function argumentProblem(root: JsonObject): string | undefined {
  if (depthOf(root, maxArgumentDepth) > maxArgumentDepth) return `expected at most ${maxArgumentDepth} levels`;
  // JSON has no infinity: when rewritten, it would become null.
  return isWritable(root) ? undefined : "expected numbers within the range of a double";
}

// Recursive: the value is at most `maxArgumentDepth` deep.
function isWritable(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isWritable);
}

/** How deep a JSON value is nested: 1 for {}, 2 for {"a": []}. Counting stops at `limit` + 1. */
export function depthOf(root: JsonValue, limit: number): number {
  let maxDepth = 0;
  const open: [number, JsonValue][] = [[1, root]];
  for (let next = open.pop(); next !== undefined && maxDepth <= limit; next = open.pop()) {
    const [depth, value] = next;
    if (typeof value !== "object" || value === null) continue;
    maxDepth = Math.max(maxDepth, depth);
    for (const child of Object.values(value)) open.push([depth + 1, child]);
  }
  return maxDepth;
}

// Recursive: arguments are at most `maxArgumentDepth` deep.
function rewrite(value: JsonValue, at: string, texts: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === "string") return texts.get(at) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => rewrite(item, pointerTo(at, String(index)), texts));
  return rewriteObject(value, at, texts);
}

function rewriteObject(value: JsonObject, at: string, texts: ReadonlyMap<string, string>): JsonObject {
  const kept = new Set(Object.keys(value).filter((key) => !texts.has(namePointer(pointerTo(at, key)))));
  const members = Object.entries(value).map(([key, child]): [string, JsonValue] => {
    const path = pointerTo(at, key);
    const renamed = texts.get(namePointer(path));
    const name = renamed === undefined ? key : unusedName(renamed, kept);
    return [name, rewrite(child, path, texts)];
  });
  // A member called "__proto__" is an ordinary member.
  return Object.fromEntries(members);
}

function unusedName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
  taken.add(name);
  return name;
}

function pointerTo(at: string, key: string): string {
  return `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function namePointer(path: string): string {
  return `${path}#`;
}

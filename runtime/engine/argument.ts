// The arguments of a tool call as JSON: every string in them with its place, and the same JSON with some strings rewritten.
// Places are JSON pointers (RFC 6901); the name of a member has "#" behind the pointer of its value, as in relative JSON pointers.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** Deepest nesting of objects and arrays in arguments, and in the labels of a request. It is that of a REST body without the levels around them. */
export const maxArgumentDepth = 36;

/** All strings of a JSON value with their places, names of members included, since a payload may hide in a name as well. */
export function argumentTexts(root: JsonObject, path: string): [string, string][] {
  const found: [string, string][] = [];
  // A stack of our own: the nesting of a request is not bounded by our call stack.
  const open: [string, JsonValue][] = [[path, root]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, value] = next;
    if (typeof value === "string") found.push([at, value]);
    if (typeof value !== "object" || value === null) continue;
    const children = Object.entries(value).map(([key, child]): [string, JsonValue] => [place(at, key), child]);
    if (!Array.isArray(value)) for (const key of Object.keys(value)) found.push([nameAt(place(at, key)), key]);
    open.push(...children.reverse());
  }
  return found;
}

/** The same JSON with strings replaced, by their places. Names that become equal are told apart by a number. */
export function rewriteArguments(root: JsonObject, path: string, texts: ReadonlyMap<string, string>): JsonObject {
  return rewriteObject(root, path, texts);
}

/** What is wrong with arguments, for who sent them; undefined when nothing is. */
export function argumentProblem(root: JsonObject): string | undefined {
  if (depthOf(root, maxArgumentDepth) > maxArgumentDepth) return `expected at most ${maxArgumentDepth} levels`;
  // JSON has no infinity: rewritten, it would be null.
  return isWritable(root) ? undefined : "expected numbers within the range of a double";
}

// Recursive: it is asked of what is at most `maxArgumentDepth` deep.
function isWritable(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isWritable);
}

/** How deep a JSON value is nested; "too deep" is as much as `limit` + 1. */
export function depthOf(root: JsonValue, limit: number): number {
  let deepest = 0;
  const open: [number, JsonValue][] = [[1, root]];
  for (let next = open.pop(); next !== undefined && deepest <= limit; next = open.pop()) {
    const [depth, value] = next;
    if (typeof value !== "object" || value === null) continue;
    deepest = Math.max(deepest, depth);
    for (const child of Object.values(value)) open.push([depth + 1, child]);
  }
  return deepest;
}

// Recursive: arguments are at most `maxArgumentDepth` deep.
function rewrite(value: JsonValue, at: string, texts: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === "string") return texts.get(at) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => rewrite(item, place(at, String(index)), texts));
  return rewriteObject(value, at, texts);
}

function rewriteObject(value: JsonObject, at: string, texts: ReadonlyMap<string, string>): JsonObject {
  const kept = new Set(Object.keys(value).filter((key) => !texts.has(nameAt(place(at, key)))));
  const members = Object.entries(value).map(([key, child]): [string, JsonValue] => {
    const path = place(at, key);
    const renamed = texts.get(nameAt(path));
    const name = renamed === undefined ? key : unusedName(renamed, kept);
    return [name, rewrite(child, path, texts)];
  });
  // A member called "__proto__" is a member.
  return Object.fromEntries(members);
}

function unusedName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
  taken.add(name);
  return name;
}

function place(at: string, key: string): string {
  return `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function nameAt(path: string): string {
  return `${path}#`;
}

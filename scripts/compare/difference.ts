// What differs between the records of two versions.

import { isObject, type Json } from "./json.ts";

/** A record that the two versions do not have alike. */
export interface Difference {
  readonly name: string;
  /** The first place within the record, such as "findings[0].score"; "" for the record itself. */
  readonly path: string;
  /** What A has; undefined for nothing. */
  readonly a: Json | undefined;
  /** What B has; undefined for nothing. */
  readonly b: Json | undefined;
}

/** All records that differ, by name: those of A in their order, then those that only B has. */
export function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): Difference[] {
  const names = [...a.keys(), ...[...b.keys()].filter((name) => !a.has(name))];
  return names.flatMap((name) => {
    const [inA, inB] = [a.get(name), b.get(name)];
    if (inA === inB) return [];
    const found = firstDifference(parse(inA), parse(inB), "");
    // Equal values in different words, such as other members first: the order is part of what callers see.
    return [{ name, ...(found ?? { path: "", a: inA, b: inB }) }];
  });
}

function parse(text: string | undefined): Json | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}

function firstDifference(a: Json | undefined, b: Json | undefined, path: string): Omit<Difference, "name"> | undefined {
  if (a === b) return undefined;
  if (Array.isArray(a) && Array.isArray(b)) {
    return firstOf(Math.max(a.length, b.length), (index) => firstDifference(a[index], b[index], `${path}[${index}]`));
  }
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return firstOf(keys.length, (index) => {
      const key = keys[index] ?? "";
      return firstDifference(a[key], b[key], path === "" ? key : `${path}.${key}`);
    });
  }
  return { path, a, b };
}

function firstOf<T>(count: number, find: (index: number) => T | undefined): T | undefined {
  for (let index = 0; index < count; index++) {
    const found = find(index);
    if (found !== undefined) return found;
  }
  return undefined;
}

// Finds the place of a path in a source tree.

import { childPath, nowhere, type SourceRange } from "./problem.ts";
import type { SourceNode } from "./source-tree.ts";

/** A path as the list of its keys. */
export type TreePath = readonly (string | number)[];

/** The node at a path; undefined when there is none. */
export function nodeAt(root: SourceNode, path: TreePath): SourceNode | undefined {
  let node: SourceNode | undefined = root;
  for (const key of path) {
    if (node?.kind === "map") node = node.entries.get(String(key))?.value;
    else if (node?.kind === "list" && typeof key === "number") node = node.items[key];
    else return undefined;
  }
  return node;
}

/** The range of the value at a path, or of the nearest node above it. */
export function rangeAt(root: SourceNode, path: TreePath): SourceRange {
  for (let length = path.length; length >= 0; length--) {
    const node = nodeAt(root, path.slice(0, length));
    if (node !== undefined) return node.range;
  }
  return nowhere;
}

/** The range of the key at a path. */
export function keyRangeAt(root: SourceNode, path: TreePath): SourceRange {
  const parent = nodeAt(root, path.slice(0, -1));
  const key = path.at(-1);
  const entry = parent?.kind === "map" && key !== undefined ? parent.entries.get(String(key)) : undefined;
  return entry?.keyRange ?? rangeAt(root, path);
}

/** The path as text, such as "rules[0].action". */
export function pathText(path: TreePath): string {
  return path.reduce<string>(childPath, "");
}

/** Reads a path such as "patterns[2].flags". */
export function parsePath(text: string): TreePath {
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? String(key) : Number(index),
  );
}

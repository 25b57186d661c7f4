// Reports problems by the path of a value, and finds its position in the source.

import type { Problems } from "./problem.ts";
import type { SourceNode } from "./source-tree.ts";
import { keyPositionAt, nodeAt, pathText, positionAt, type TreePath } from "./tree-path.ts";

/** Reports problems of a document by paths. */
export class Reporter {
  readonly #tree: SourceNode;
  readonly #problems: Problems;
  readonly #nowMs: number;

  /** `now` decides what has expired; without it nothing has. */
  constructor(tree: SourceNode, problems: Problems, now?: Date) {
    this.#tree = tree;
    this.#problems = problems;
    this.#nowMs = now?.getTime() ?? Number.NEGATIVE_INFINITY;
  }

  /** True for a date that has passed. */
  isPast(moment: string): boolean {
    return Date.parse(moment) <= this.#nowMs;
  }

  /** Adds an error about the value at a path; `offset` is the offset of a character in it when it is a string. */
  error(path: TreePath, message: string, suggestion?: string, offset?: number): void {
    const node = offset === undefined ? undefined : nodeAt(this.#tree, path);
    const at = node?.kind === "scalar" && offset !== undefined ? node.positionAt?.(offset) : undefined;
    this.#problems.error(at ?? positionAt(this.#tree, path), pathText(path), message, suggestion);
  }

  /** Adds a warning about the key at a path. */
  warn(path: TreePath, message: string, suggestion?: string): void {
    this.#problems.warn(keyPositionAt(this.#tree, path), pathText(path), message, suggestion);
  }

  /** The entries of a list that have the right shape, with their indices in the document. */
  *sound<T>(key: string, items: readonly T[]): Generator<[number, T]> {
    for (const [index, item] of items.entries()) {
      if (!this.#problems.isMisshapen(`${key}[${index}]`)) yield [index, item];
    }
  }

  /** True when the value at the path and everything below it have the right shape. */
  isSound(key: string): boolean {
    return !this.#problems.isMisshapen(key);
  }

  /** The number of problems so far. */
  get count(): number {
    return this.#problems.count;
  }
}

/** True for a date that exists: RFC 3339 accepts February 30, calendars do not. */
export function isTimestamp(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})T/.exec(text) ?? [];
  if (year === undefined || Number.isNaN(Date.parse(text))) return false;
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= last;
}

// Tells problems by the path of a value, and finds the place of the value in the source.

import type { Problems } from "./problem.ts";
import type { SourceNode } from "./source-tree.ts";
import { keyPlaceAt, nodeAt, pathText, placeAt, type TreePath } from "./tree-path.ts";

/** Reports problems of a document by paths. */
export class Reporter {
  readonly #tree: SourceNode;
  readonly #problems: Problems;
  readonly #nowMs: number;

  /** `now` decides what is over; without it nothing is. */
  constructor(tree: SourceNode, problems: Problems, now?: Date) {
    this.#tree = tree;
    this.#problems = problems;
    this.#nowMs = now?.getTime() ?? Number.NEGATIVE_INFINITY;
  }

  /** True for a moment that is over. */
  isPast(moment: string): boolean {
    return Date.parse(moment) <= this.#nowMs;
  }

  /** Adds an error about the value at a path; `offset` is a character of it, where it is a text. */
  error(path: TreePath, message: string, suggestion?: string, offset?: number): void {
    const node = offset === undefined ? undefined : nodeAt(this.#tree, path);
    const at = node?.kind === "scalar" && offset !== undefined ? node.placeAt?.(offset) : undefined;
    this.#problems.error(at ?? placeAt(this.#tree, path), pathText(path), message, suggestion);
  }

  /** Adds a warning about the key at a path. */
  warn(path: TreePath, message: string, suggestion?: string): void {
    this.#problems.warn(keyPlaceAt(this.#tree, path), pathText(path), message, suggestion);
  }

  /** The entries of a list that have their shape, with their places in the document. */
  *sound<T>(key: string, items: readonly T[]): Generator<[number, T]> {
    for (const [index, item] of items.entries()) {
      if (!this.#problems.isMisshapen(`${key}[${index}]`)) yield [index, item];
    }
  }

  /** True when the value at the path and all below it have their shape. */
  isSound(key: string): boolean {
    return !this.#problems.isMisshapen(key);
  }

  /** How many problems there are so far. */
  get count(): number {
    return this.#problems.count;
  }
}

/** True for a moment that exists: RFC 3339 admits February 30, calendars do not. */
export function isMoment(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})T/.exec(text) ?? [];
  if (year === undefined || Number.isNaN(Date.parse(text))) return false;
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= last;
}

// Reports problems by the path of a value, and finds its place in the source.

import type { ProblemCode, Problems, TextPart } from "./problem.ts";
import type { SourceNode } from "./source-tree.ts";
import { keyRangeAt, nodeAt, pathText, rangeAt, type TreePath } from "./tree-path.ts";

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

  /** Adds an error about the value at a path, or about a part of it when it is a string. */
  error(code: ProblemCode, path: TreePath, message: string, suggestion?: string, part?: TextPart): void {
    const node = part === undefined ? undefined : nodeAt(this.#tree, path);
    const range = node?.kind === "scalar" && part !== undefined ? node.rangeOf?.(part.start, part.end) : undefined;
    this.#problems.error(code, range ?? rangeAt(this.#tree, path), pathText(path), message, suggestion);
  }

  /** Adds a warning about the key at a path. */
  warn(code: ProblemCode, path: TreePath, message: string, suggestion?: string): void {
    this.#problems.warn(code, keyRangeAt(this.#tree, path), pathText(path), message, suggestion);
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

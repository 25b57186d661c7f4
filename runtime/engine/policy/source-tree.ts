// Parses a document into a tree in which every value and key has its place in the source. Aliases are expanded while
// nodes are counted, so that an alias bomb hits the limit instead of exhausting memory.

import type { JsonValue } from "@bufbuild/protobuf";
import {
  type Alias,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { nowhere, type Problems, rangeBetween, type SourcePosition, type SourceRange } from "./problem.ts";

/** A value with its place. */
export type SourceNode = SourceMap | SourceList | SourceScalar;

/** An object. */
export interface SourceMap {
  readonly kind: "map";
  readonly range: SourceRange;
  readonly entries: ReadonlyMap<string, SourceEntry>;
}

/** The value of a key of an object. */
export interface SourceEntry {
  readonly keyRange: SourceRange;
  readonly value: SourceNode;
}

/** An array. */
export interface SourceList {
  readonly kind: "list";
  readonly range: SourceRange;
  readonly items: readonly SourceNode[];
}

/** A string, number, boolean or null. */
export interface SourceScalar {
  readonly kind: "scalar";
  readonly range: SourceRange;
  readonly value: string | number | boolean | null;
  /** The place of the characters from one offset to before another, when the source spells the string verbatim. */
  readonly rangeOf?: (start: number, end: number) => SourceRange;
}

const limits = { sizeBytes: 262_144, depth: 32, nodes: 50_000 } as const;

class TreeLimit extends Error {
  readonly range: SourceRange;

  constructor(message: string, range: SourceRange) {
    super(message);
    this.range = range;
  }
}

/** Parses YAML or JSON text. Undefined when it cannot be parsed; the problems say why. */
export function treeFromText(source: string, problems: Problems): SourceNode | undefined {
  if (Buffer.byteLength(source) > limits.sizeBytes) {
    problems.error("too_large", endOfLimit(source), "", `the document is larger than ${limits.sizeBytes / 1024} KiB`);
    return undefined;
  }
  const tooDeep = offsetTooDeep(source);
  if (tooDeep !== undefined) {
    const range = rangeOfCharacter(source, tooDeep);
    problems.error("too_large", range, "", `the document is nested deeper than ${limits.depth} levels`);
    return undefined;
  }
  const lines = new LineCounter();
  // The library compares each key with all earlier ones; the tree checks keys in a map instead.
  const options = { version: "1.2", schema: "core", prettyErrors: false, uniqueKeys: false } as const;
  const document = parseDocument(source, { ...options, lineCounter: lines });
  for (const { message, pos } of document.errors) {
    problems.error("syntax", syntaxRange(source, lines, pos), "", message.split("\n", 1)[0] ?? message);
  }
  for (const { code, message, pos } of document.warnings) {
    // For example "!secret x": the value would be used without what its author meant by the tag.
    if (code === "TAG_RESOLVE_FAILED")
      problems.error("syntax", syntaxRange(source, lines, pos), "", message.split("\n", 1)[0] ?? message);
  }
  if (problems.hasErrors) return undefined;
  return guarded(problems, () => new TextTree(source, lines, problems).build(document.contents, 0));
}

/** Builds a tree from a JSON value that was parsed elsewhere. */
export function treeFromJson(value: JsonValue, problems: Problems): SourceNode | undefined {
  const size = new TreeSize();
  const build = (json: JsonValue, depth: number): SourceNode => {
    size.add(depth, json, () => nowhere);
    if (Array.isArray(json)) {
      return { kind: "list", range: nowhere, items: json.map((item) => build(item, depth + 1)) };
    }
    if (json === null || typeof json !== "object") return { kind: "scalar", range: nowhere, value: json };
    const entries = Object.entries(json).map(([key, item]) => {
      size.add(depth, key, () => nowhere);
      return [key, { keyRange: nowhere, value: build(item, depth + 1) }] as const;
    });
    return { kind: "map", range: nowhere, entries: new Map(entries) };
  };
  return guarded(problems, () => build(value, 0));
}

/** The plain JSON of a tree. */
export function treeToJson(node: SourceNode): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(treeToJson);
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, treeToJson(value)]));
}

function guarded(problems: Problems, build: () => SourceNode): SourceNode | undefined {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof TreeLimit)) throw error;
    problems.error("too_large", error.range, "", error.message);
    return undefined;
  }
}

/** The first character beyond the limit. */
function endOfLimit(source: string): SourceRange {
  // At most as many characters as bytes fit, so the end is within this part.
  const fitting = Buffer.from(source.slice(0, limits.sizeBytes)).subarray(0, limits.sizeBytes).toString("utf8");
  return rangeOfCharacter(source, fitting.length);
}

function rangeOfCharacter(source: string, offset: number): SourceRange {
  const before = source.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  const length = (source.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return { line, column, endLine: line, endColumn: column + length };
}

/** What a library's error is about, without the line ends and spaces after it. */
function syntaxRange(source: string, lines: LineCounter, [start, end]: readonly [number, number]): SourceRange {
  const length = source.slice(start, end).trimEnd().length;
  return rangeBetween(positionOf(lines, start), positionOf(lines, start + length));
}

/**
 * The size of what was read so far. It counts after the expansion of aliases, so that the stored form has the same
 * limits.
 */
class TreeSize {
  #nodes = 0;
  #characters = 0;

  add(depth: number, value: unknown, range: () => SourceRange): void {
    this.#nodes++;
    if (typeof value === "string") this.#characters += value.length;
    if (depth > limits.depth) throw new TreeLimit(`the document is nested deeper than ${limits.depth} levels`, range());
    if (this.#nodes > limits.nodes)
      throw new TreeLimit(`the document has more than ${limits.nodes} keys and values`, range());
    if (this.#characters > limits.sizeBytes) {
      throw new TreeLimit(`the document has more than ${limits.sizeBytes / 1024} Ki characters`, range());
    }
  }
}

/**
 * The offset at which nesting exceeds its limit; undefined when it does not. It reads tokens, so that the recursive
 * parser never sees a document that is too deep for its stack.
 */
function offsetTooDeep(source: string): number | undefined {
  let flow = 0;
  let indicators = 0;
  let offset = 0;
  let isContent = false;
  for (const token of new Lexer().lex(source)) {
    const at = offset;
    // Control characters are markers of the lexer; they are not in the source.
    if (isContent || !["\u0002", "\u0018", "\u001f"].includes(token)) offset += token.length;
    // U+001F marks that the next token is the content of a scalar.
    if (isContent) isContent = false;
    else if (token === "\u001f") isContent = true;
    else if (token === "[" || token === "{") flow++;
    else if (token === "]" || token === "}") flow = Math.max(0, flow - 1);
    else if (token === "-" || token === "?") indicators++;
    else if (token === "\n" || token === "\r\n") indicators = 0;
    if (Math.max(flow, indicators) > limits.depth) return at;
  }
  return undefined;
}

function positionOf(lines: LineCounter, offset: number): SourcePosition {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The keys, values and items of a collection, in the order of the source. */
function partsOf({ items }: YAMLMap | YAMLSeq): Node[] {
  return items.flatMap((item) => (isPair(item) ? [item.key, item.value] : [item])).filter((part) => isNode(part));
}

function isEmpty({ line, column, endLine, endColumn }: SourceRange): boolean {
  return line === endLine && column === endColumn;
}

/** Turns the nodes of the YAML library into ours. */
class TextTree {
  readonly #source: string;
  readonly #lines: LineCounter;
  readonly #problems: Problems;
  readonly #anchors = new Map<string, unknown>();
  readonly #size = new TreeSize();
  #alias: SourceRange | undefined;

  constructor(source: string, lines: LineCounter, problems: Problems) {
    this.#source = source;
    this.#lines = lines;
    this.#problems = problems;
  }

  build(node: unknown, depth: number): SourceNode {
    this.#size.add(depth, isScalar(node) ? node.value : undefined, () => this.#alias ?? this.#range(node));
    if (isAlias(node)) return this.#expanded(node, depth);
    if (isMap(node) || isSeq(node) || isScalar(node)) {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    }
    const range = this.#range(node);
    if (isMap(node)) return { kind: "map", range, entries: this.#entries(node.items, depth) };
    if (isSeq(node)) return { kind: "list", range, items: node.items.map((item) => this.build(item, depth + 1)) };
    if (isScalar(node)) return this.#scalar(node, range);
    return { kind: "scalar", range, value: null };
  }

  /** Expands an alias. When the limit is exceeded, the place is that of the outermost alias. */
  #expanded(node: Alias, depth: number): SourceNode {
    const outer = this.#alias;
    this.#alias ??= this.#range(node);
    const built = this.build(this.#anchors.get(node.source) ?? null, depth + 1);
    this.#alias = outer;
    return built;
  }

  #entries(pairs: readonly { key: unknown; value: unknown }[], depth: number): SourceMap["entries"] {
    const entries = new Map<string, SourceEntry>();
    for (const pair of pairs) {
      const [name, entry] = this.#entry(pair, depth);
      if (entries.has(name)) this.#problems.error("duplicate_key", entry.keyRange, "", "Map keys must be unique");
      entries.set(name, entry);
    }
    return entries;
  }

  #entry({ key, value }: { key: unknown; value: unknown }, depth: number) {
    const keyRange = this.#range(key);
    if (!isScalar(key)) this.#problems.error("syntax", keyRange, "", "a key has to be a string");
    const name = isScalar(key) ? (key.source ?? String(key.value)) : "";
    this.#size.add(depth, name, () => this.#alias ?? keyRange);
    const built = this.build(value, depth + 1);
    // Of a key without a value there is nothing to mark, so its problems get the place of the key.
    return [name, { keyRange, value: isEmpty(built.range) ? { ...built, range: keyRange } : built }] as const;
  }

  #scalar(node: Scalar, range: SourceRange): SourceScalar {
    const { value } = node;
    if (typeof value === "string") return { kind: "scalar", range, value, rangeOf: this.#parts(node, value) };
    if (typeof value === "boolean" || value === null) return { kind: "scalar", range, value };
    if (typeof value === "number" && Number.isFinite(value)) return { kind: "scalar", range, value };
    this.#problems.error("wrong_type", range, "", "expected a string, a finite number, a boolean or null");
    return { kind: "scalar", range, value: null };
  }

  #range(node: unknown): SourceRange {
    if (!isNode(node) || node.range == null) return nowhere;
    return rangeBetween(positionOf(this.#lines, node.range[0]), positionOf(this.#lines, this.#endOf(node)));
  }

  /**
   * The offset after a node. An object or array of several lines ends with what stands on its first line: a mark over
   * all of it would say nothing.
   */
  #endOf(node: Node): number {
    const [start, valueEnd] = node.range ?? [0, 0];
    const end = start + this.#source.slice(start, valueEnd).trimEnd().length;
    if (!isCollection(node)) return end;
    const lineEnd = this.#source.indexOf("\n", start);
    if (lineEnd === -1 || end <= lineEnd) return end;
    const onLine = partsOf(node).findLast(({ range }) => range != null && range[0] < lineEnd);
    return onLine === undefined ? start + 1 : this.#endOf(onLine);
  }

  #parts(node: Scalar, value: string): SourceScalar["rangeOf"] {
    const positionAt = this.#characters(node, value);
    return positionAt && ((start, end) => rangeBetween(positionAt(start), positionAt(end)));
  }

  /** Maps characters of a string to their positions; undefined when escapes or folding change the text. */
  #characters(node: Scalar, value: string): ((offset: number) => SourcePosition) | undefined {
    if (node.range == null) return undefined;
    const [start, end] = node.range;
    const raw = this.#source.slice(start, end);
    for (const quote of [0, 1]) {
      if (raw.slice(quote, raw.length - quote) === value) {
        return (offset) => positionOf(this.#lines, start + quote + offset);
      }
    }
    return node.type === "BLOCK_LITERAL" ? this.#blockCharacters(start, raw, value) : undefined;
  }

  #blockCharacters(start: number, raw: string, value: string): (offset: number) => SourcePosition {
    const content = raw.slice(raw.indexOf("\n") + 1);
    const leading = (text: string) => text.length - text.trimStart().length;
    const indent = Math.max(0, leading(content.replace(/^\s*\n/, "")) - leading(value.replace(/^\s*\n/, "")));
    const firstRow = positionOf(this.#lines, start).line + 1;
    return (offset) => {
      const before = value.slice(0, offset).split("\n");
      return { line: firstRow + before.length - 1, column: indent + (before.at(-1)?.length ?? 0) + 1 };
    };
  }
}

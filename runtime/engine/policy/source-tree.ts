// Parses a document into a tree in which every value and key has its position in the source. Aliases are expanded while
// nodes are counted, so that an alias bomb hits the limit instead of exhausting memory.

import type { JsonValue } from "@bufbuild/protobuf";
import { type Alias, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument, type Scalar } from "yaml";
import { noPosition, type Problems, type SourcePosition } from "./problem.ts";

/** A value with its position. */
export type SourceNode = SourceMap | SourceList | SourceScalar;

/** An object. */
export interface SourceMap {
  readonly kind: "map";
  readonly position: SourcePosition;
  readonly entries: ReadonlyMap<string, SourceEntry>;
}

/** The value of a key of an object. */
export interface SourceEntry {
  readonly keyPosition: SourcePosition;
  readonly value: SourceNode;
}

/** An array. */
export interface SourceList {
  readonly kind: "list";
  readonly position: SourcePosition;
  readonly items: readonly SourceNode[];
}

/** A string, number, boolean or null. */
export interface SourceScalar {
  readonly kind: "scalar";
  readonly position: SourcePosition;
  readonly value: string | number | boolean | null;
  /** The position of a character of the string, when the source spells the string verbatim. */
  readonly positionAt?: (offset: number) => SourcePosition;
}

const limits = { sizeBytes: 262_144, depth: 32, nodes: 50_000 } as const;

class TreeLimit extends Error {
  readonly position: SourcePosition;

  constructor(message: string, position: SourcePosition) {
    super(message);
    this.position = position;
  }
}

/** Parses YAML or JSON text. Undefined when it cannot be parsed; the problems say why. */
export function treeFromText(source: string, problems: Problems): SourceNode | undefined {
  if (Buffer.byteLength(source) > limits.sizeBytes) {
    problems.error(endOfLimit(source), "", `the document is larger than ${limits.sizeBytes / 1024} KiB`);
    return undefined;
  }
  const tooDeep = offsetTooDeep(source);
  if (tooDeep !== undefined) {
    const position = positionOfOffset(source, tooDeep);
    problems.error(position, "", `the document is nested deeper than ${limits.depth} levels`);
    return undefined;
  }
  const lines = new LineCounter();
  // The library compares each key with all earlier ones; the tree checks keys in a map instead.
  const options = { version: "1.2", schema: "core", prettyErrors: false, uniqueKeys: false } as const;
  const document = parseDocument(source, { ...options, lineCounter: lines });
  for (const { message, pos } of document.errors) {
    problems.error(positionOf(lines, pos[0]), "", message.split("\n", 1)[0] ?? message);
  }
  for (const { code, message, pos } of document.warnings) {
    // For example "!secret x": the value would be used without what its author meant by the tag.
    if (code === "TAG_RESOLVE_FAILED")
      problems.error(positionOf(lines, pos[0]), "", message.split("\n", 1)[0] ?? message);
  }
  if (problems.hasErrors) return undefined;
  return guarded(problems, () => new TextTree(source, lines, problems).build(document.contents, 0));
}

/** Builds a tree from a JSON value that was parsed elsewhere. */
export function treeFromJson(value: JsonValue, problems: Problems): SourceNode | undefined {
  const size = new TreeSize();
  const build = (json: JsonValue, depth: number): SourceNode => {
    size.add(depth, json, () => noPosition);
    if (Array.isArray(json)) {
      return { kind: "list", position: noPosition, items: json.map((item) => build(item, depth + 1)) };
    }
    if (json === null || typeof json !== "object") return { kind: "scalar", position: noPosition, value: json };
    const entries = Object.entries(json).map(([key, item]) => {
      size.add(depth, key, () => noPosition);
      return [key, { keyPosition: noPosition, value: build(item, depth + 1) }] as const;
    });
    return { kind: "map", position: noPosition, entries: new Map(entries) };
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
    problems.error(error.position, "", error.message);
    return undefined;
  }
}

/** The position of the first character beyond the limit. */
function endOfLimit(source: string): SourcePosition {
  // At most as many characters as bytes fit, so the end is within this part.
  const fitting = Buffer.from(source.slice(0, limits.sizeBytes)).subarray(0, limits.sizeBytes).toString("utf8");
  return positionOfOffset(source, fitting.length);
}

function positionOfOffset(source: string, offset: number): SourcePosition {
  const before = source.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/**
 * The size of what was read so far. It counts after the expansion of aliases, so that the stored form has the same
 * limits.
 */
class TreeSize {
  #nodes = 0;
  #characters = 0;

  add(depth: number, value: unknown, position: () => SourcePosition): void {
    this.#nodes++;
    if (typeof value === "string") this.#characters += value.length;
    if (depth > limits.depth)
      throw new TreeLimit(`the document is nested deeper than ${limits.depth} levels`, position());
    if (this.#nodes > limits.nodes)
      throw new TreeLimit(`the document has more than ${limits.nodes} keys and values`, position());
    if (this.#characters > limits.sizeBytes) {
      throw new TreeLimit(`the document has more than ${limits.sizeBytes / 1024} Ki characters`, position());
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

/** Turns the nodes of the YAML library into ours. */
class TextTree {
  readonly #source: string;
  readonly #lines: LineCounter;
  readonly #problems: Problems;
  readonly #anchors = new Map<string, unknown>();
  readonly #size = new TreeSize();
  #alias: SourcePosition | undefined;

  constructor(source: string, lines: LineCounter, problems: Problems) {
    this.#source = source;
    this.#lines = lines;
    this.#problems = problems;
  }

  build(node: unknown, depth: number): SourceNode {
    this.#size.add(depth, isScalar(node) ? node.value : undefined, () => this.#alias ?? this.#position(node));
    if (isAlias(node)) return this.#expanded(node, depth);
    if (isMap(node) || isSeq(node) || isScalar(node)) {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    }
    const position = this.#position(node);
    if (isMap(node)) return { kind: "map", position, entries: this.#entries(node.items, depth) };
    if (isSeq(node)) return { kind: "list", position, items: node.items.map((item) => this.build(item, depth + 1)) };
    if (isScalar(node)) return this.#scalar(node, position);
    return { kind: "scalar", position, value: null };
  }

  /** Expands an alias. When the limit is exceeded, the position is that of the outermost alias. */
  #expanded(node: Alias, depth: number): SourceNode {
    const outer = this.#alias;
    this.#alias ??= this.#position(node);
    const built = this.build(this.#anchors.get(node.source) ?? null, depth + 1);
    this.#alias = outer;
    return built;
  }

  #entries(pairs: readonly { key: unknown; value: unknown }[], depth: number): SourceMap["entries"] {
    const entries = new Map<string, SourceEntry>();
    for (const pair of pairs) {
      const [name, entry] = this.#entry(pair, depth);
      if (entries.has(name)) this.#problems.error(entry.keyPosition, "", "Map keys must be unique");
      entries.set(name, entry);
    }
    return entries;
  }

  #entry({ key, value }: { key: unknown; value: unknown }, depth: number) {
    const keyPosition = this.#position(key);
    if (!isScalar(key)) this.#problems.error(keyPosition, "", "a key has to be a string");
    const name = isScalar(key) ? (key.source ?? String(key.value)) : "";
    this.#size.add(depth, name, () => this.#alias ?? keyPosition);
    const built = this.build(value, depth + 1);
    // A key without a value has no node of its own, so its problems get the position of the key.
    return [
      name,
      { keyPosition, value: built.position === noPosition ? { ...built, position: keyPosition } : built },
    ] as const;
  }

  #scalar(node: Scalar, position: SourcePosition): SourceScalar {
    const { value } = node;
    if (typeof value === "string")
      return { kind: "scalar", position, value, positionAt: this.#characters(node, value) };
    if (typeof value === "boolean" || value === null) return { kind: "scalar", position, value };
    if (typeof value === "number" && Number.isFinite(value)) return { kind: "scalar", position, value };
    this.#problems.error(position, "", "expected a string, a finite number, a boolean or null");
    return { kind: "scalar", position, value: null };
  }

  #position(node: unknown): SourcePosition {
    if (!(isMap(node) || isSeq(node) || isScalar(node) || isAlias(node))) return noPosition;
    return node.range == null ? noPosition : positionOf(this.#lines, node.range[0]);
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

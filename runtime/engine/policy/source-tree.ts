// A document as a tree in which every value and key knows its place in the source.
// Aliases are expanded while counting nodes, so that a bomb of aliases ends at the limit instead of in memory.

import type { JsonValue } from "@bufbuild/protobuf";
import { type Alias, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument, type Scalar } from "yaml";
import { nowhere, type Place, type Problems } from "./problem.ts";

/** A value with its place. */
export type SourceNode = SourceMap | SourceList | SourceScalar;

/** An object. */
export interface SourceMap {
  readonly kind: "map";
  readonly place: Place;
  readonly entries: ReadonlyMap<string, { readonly keyPlace: Place; readonly value: SourceNode }>;
}

/** An array. */
export interface SourceList {
  readonly kind: "list";
  readonly place: Place;
  readonly items: readonly SourceNode[];
}

/** A string, number, boolean or null. */
export interface SourceScalar {
  readonly kind: "scalar";
  readonly place: Place;
  readonly value: string | number | boolean | null;
  /** The place of a character of the string, where the source spells it as it is. */
  readonly placeAt?: (offset: number) => Place;
}

const limits = { sizeBytes: 262_144, depth: 32, nodes: 50_000 } as const;

class TreeLimit extends Error {
  readonly place: Place;

  constructor(message: string, place: Place) {
    super(message);
    this.place = place;
  }
}

/** Reads YAML or JSON text. Undefined when it cannot be read; the problems say why. */
export function treeFromText(source: string, problems: Problems): SourceNode | undefined {
  if (Buffer.byteLength(source) > limits.sizeBytes) {
    problems.error(endOfLimit(source), "", `the document is larger than ${limits.sizeBytes / 1024} KiB`);
    return undefined;
  }
  const tooDeep = offsetTooDeep(source);
  if (tooDeep !== undefined) {
    const place = placeOfOffset(source, tooDeep);
    problems.error(place, "", `the document is nested deeper than ${limits.depth} levels`);
    return undefined;
  }
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, version: "1.2", schema: "core", prettyErrors: false });
  for (const { message, pos } of document.errors) {
    problems.error(placeOf(lines, pos[0]), "", message.split("\n", 1)[0] ?? message);
  }
  if (problems.hasErrors) return undefined;
  return guarded(problems, () => new TextTree(source, lines, problems).build(document.contents, 0));
}

/** Takes a JSON value that was parsed elsewhere. */
export function treeFromJson(value: JsonValue, problems: Problems): SourceNode | undefined {
  const size = new TreeSize();
  const build = (json: JsonValue, depth: number): SourceNode => {
    size.add(depth, json, () => nowhere);
    if (Array.isArray(json)) {
      return { kind: "list", place: nowhere, items: json.map((item) => build(item, depth + 1)) };
    }
    if (json === null || typeof json !== "object") return { kind: "scalar", place: nowhere, value: json };
    const entries = Object.entries(json).map(([key, item]) => {
      size.add(depth, key, () => nowhere);
      return [key, { keyPlace: nowhere, value: build(item, depth + 1) }] as const;
    });
    return { kind: "map", place: nowhere, entries: new Map(entries) };
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
    problems.error(error.place, "", error.message);
    return undefined;
  }
}

/** The place of the first character that no longer fits. */
function endOfLimit(source: string): Place {
  // Fewer characters than bytes fit, so the end is within this part.
  const fitting = Buffer.from(source.slice(0, limits.sizeBytes)).subarray(0, limits.sizeBytes).toString("utf8");
  return placeOfOffset(source, fitting.length);
}

function placeOfOffset(source: string, offset: number): Place {
  const before = source.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** What has been read so far. It counts after the expansion of aliases, so that the stored form has the same limits. */
class TreeSize {
  #nodes = 0;
  #characters = 0;

  add(depth: number, value: unknown, place: () => Place): void {
    this.#nodes++;
    if (typeof value === "string") this.#characters += value.length;
    if (depth > limits.depth) throw new TreeLimit(`the document is nested deeper than ${limits.depth} levels`, place());
    if (this.#nodes > limits.nodes)
      throw new TreeLimit(`the document has more than ${limits.nodes} keys and values`, place());
    if (this.#characters > limits.sizeBytes) {
      throw new TreeLimit(`the document has more than ${limits.sizeBytes / 1024} Ki characters`, place());
    }
  }
}

/**
 * Where nesting goes beyond its limit; undefined when it does not. By tokens, so that the recursive parser never sees a document that is
 * too deep for its stack.
 */
function offsetTooDeep(source: string): number | undefined {
  let flow = 0;
  let indicators = 0;
  let offset = 0;
  let isContent = false;
  for (const token of new Lexer().lex(source)) {
    const at = offset;
    // Control characters announce things; they are not in the source.
    if (isContent || !["\u0002", "\u0018", "\u001f"].includes(token)) offset += token.length;
    // U+001F announces that the next token is the content of a scalar.
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

function placeOf(lines: LineCounter, offset: number): Place {
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
  #alias: Place | undefined;

  constructor(source: string, lines: LineCounter, problems: Problems) {
    this.#source = source;
    this.#lines = lines;
    this.#problems = problems;
  }

  build(node: unknown, depth: number): SourceNode {
    this.#size.add(depth, isScalar(node) ? node.value : undefined, () => this.#alias ?? this.#place(node));
    if (isAlias(node)) return this.#expanded(node, depth);
    if (isMap(node) || isSeq(node) || isScalar(node)) {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    }
    const place = this.#place(node);
    if (isMap(node))
      return { kind: "map", place, entries: new Map(node.items.map((pair) => this.#entry(pair, depth))) };
    if (isSeq(node)) return { kind: "list", place, items: node.items.map((item) => this.build(item, depth + 1)) };
    if (isScalar(node)) return this.#scalar(node, place);
    return { kind: "scalar", place, value: null };
  }

  /** What an alias stands for; when that is too much, the outermost alias is where. */
  #expanded(node: Alias, depth: number): SourceNode {
    const outer = this.#alias;
    this.#alias ??= this.#place(node);
    const built = this.build(this.#anchors.get(node.source) ?? null, depth + 1);
    this.#alias = outer;
    return built;
  }

  #entry({ key, value }: { key: unknown; value: unknown }, depth: number) {
    const keyPlace = this.#place(key);
    if (!isScalar(key)) this.#problems.error(keyPlace, "", "a key has to be a string");
    const name = isScalar(key) ? (key.source ?? String(key.value)) : "";
    this.#size.add(depth, name, () => this.#alias ?? keyPlace);
    const built = this.build(value, depth + 1);
    // A key without a value has no node of its own: its problems belong to the key.
    return [name, { keyPlace, value: built.place === nowhere ? { ...built, place: keyPlace } : built }] as const;
  }

  #scalar(node: Scalar, place: Place): SourceScalar {
    const { value } = node;
    if (typeof value === "string") return { kind: "scalar", place, value, placeAt: this.#characters(node, value) };
    if (typeof value === "boolean" || value === null) return { kind: "scalar", place, value };
    if (typeof value === "number" && Number.isFinite(value)) return { kind: "scalar", place, value };
    this.#problems.error(place, "", "expected a string, a finite number, a boolean or null");
    return { kind: "scalar", place, value: null };
  }

  #place(node: unknown): Place {
    if (!(isMap(node) || isSeq(node) || isScalar(node) || isAlias(node))) return nowhere;
    return node.range == null ? nowhere : placeOf(this.#lines, node.range[0]);
  }

  /** Where the characters of a string are in the source; undefined when escapes or folding stand between. */
  #characters(node: Scalar, value: string): ((offset: number) => Place) | undefined {
    if (node.range == null) return undefined;
    const [start, end] = node.range;
    const raw = this.#source.slice(start, end);
    for (const quote of [0, 1]) {
      if (raw.slice(quote, raw.length - quote) === value) {
        return (offset) => placeOf(this.#lines, start + quote + offset);
      }
    }
    return node.type === "BLOCK_LITERAL" ? this.#blockCharacters(start, raw, value) : undefined;
  }

  #blockCharacters(start: number, raw: string, value: string): (offset: number) => Place {
    const content = raw.slice(raw.indexOf("\n") + 1);
    const leading = (text: string) => text.length - text.trimStart().length;
    const indent = Math.max(0, leading(content.replace(/^\s*\n/, "")) - leading(value.replace(/^\s*\n/, "")));
    const firstRow = placeOf(this.#lines, start).line + 1;
    return (offset) => {
      const before = value.slice(0, offset).split("\n");
      return { line: firstRow + before.length - 1, column: indent + (before.at(-1)?.length ?? 0) + 1 };
    };
  }
}

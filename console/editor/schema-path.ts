// Where a position of a YAML text stands in its document, and what the JSON Schema says about that place.

import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

/** Documents are small, so this is hardly ever reached; without a tree nothing is offered within brackets. */
const maxParseMs = 500;

/** A JSON Schema, as far as it is walked. */
export interface Schema {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly const?: unknown;
  readonly contentMediaType?: string;
  readonly properties?: Readonly<Record<string, Schema | boolean>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** A place: the keys that lead there ("[]" for an entry of a list), and whether a key or a value is written there. */
export interface Place {
  readonly path: readonly string[];
  readonly kind: "key" | "value";
  /** Where the word begins that is being written. */
  readonly from: number;
}

/** The word that is being written: of a key, or of a value such as `pack:pii-eu@2`. */
const word = String.raw`[\w.:@/*-]*$`;
const blockLine = new RegExp(String.raw`^(\s*(?:- +)*)(?:([\w.-]+):( +))?["']?(${word.slice(0, -1)})$`);
const flowWord = new RegExp(word);
const flowKey = new RegExp(String.raw`(?:^|[,{])\s*([\w.-]+):\s+["']?${word}`);

/** The place of a position. Blocks are read by their indentation, since what is being typed has no tree yet. */
export function placeAt(state: EditorState, pos: number): Place | undefined {
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  if (/(?:^|\s)#/.test(before)) return undefined;
  const opening = flowStart(state, pos);
  if (opening !== undefined) return flowPlace(state, opening, pos);
  const match = blockLine.exec(before);
  if (match === null) return undefined;
  const [, lead = "", key, , written = ""] = match;
  const parents = parentsOf(state, line.number, lead);
  const from = pos - written.length;
  return key === undefined ? { path: parents, kind: "key", from } : { path: [...parents, key], kind: "value", from };
}

/** The keys above a line of this lead, such as ["rules", "[]"] for "  - ". */
function parentsOf(state: EditorState, lineNumber: number, lead: string): string[] {
  const path: string[] = [];
  let column = lead.length;
  const entriesIn = (text: string) => [...text.matchAll(/- +/g)].map(({ index }) => index).toReversed();
  const enter = (text: string) => {
    for (const at of entriesIn(text)) {
      if (at >= column) continue;
      path.unshift("[]");
      column = at;
    }
  };
  enter(lead);
  for (let number = lineNumber - 1; number > 0 && column >= 0; number -= 1) {
    const match = /^(\s*(?:- +)*)([\w.-]+):\s*(?:#.*)?$|^(\s*(?:- +)+)/.exec(state.doc.line(number).text);
    if (match === null) continue;
    const [, indent, key, dashes] = match;
    // A list may stand as far left as its key.
    const isAbove = indent !== undefined && (indent.length < column || (indent.length === column && path[0] === "[]"));
    if (key !== undefined && indent !== undefined && isAbove) {
      path.unshift(key);
      column = indent.length;
      enter(indent);
    } else if (dashes !== undefined && dashes.length === column && dashes.trim() !== "") enter(dashes);
    else if (indent !== undefined && indent.length === column) enter(indent);
    if (column === 0 && path[0] !== "[]") break;
  }
  return path;
}

/** The bracket that opens the innermost flow around the position. */
function flowStart(state: EditorState, pos: number): number | undefined {
  const tree = ensureSyntaxTree(state, pos, maxParseMs) ?? syntaxTree(state);
  for (let node = tree.resolveInner(pos, -1); node.parent !== null; node = node.parent)
    if (/^Flow(?:Mapping|Sequence)$/.test(node.name) && node.from < pos) return node.from;
  return undefined;
}

function flowPlace(state: EditorState, opening: number, pos: number): Place | undefined {
  const within = state.sliceDoc(opening + 1, pos);
  const isList = state.sliceDoc(opening, opening + 1) === "[";
  const parents = outerPath(state, opening);
  const from = pos - (flowWord.exec(within)?.[0].length ?? 0);
  if (isList) return { path: [...parents, "[]"], kind: "value", from };
  const key = flowKey.exec(within)?.[1];
  return key === undefined ? { path: parents, kind: "key", from } : { path: [...parents, key], kind: "value", from };
}

/** The keys that lead to a bracket: those in flows around it, then those of its line and above. */
function outerPath(state: EditorState, opening: number): readonly string[] {
  const outer = flowStart(state, opening);
  if (outer !== undefined) return flowPlace(state, outer, opening)?.path ?? [];
  const line = state.doc.lineAt(opening);
  const match = /^(\s*(?:- +)*)(?:([\w.-]+):\s+)?$/.exec(line.text.slice(0, opening - line.from));
  if (match === null) return [];
  const parents = parentsOf(state, line.number, match[1] ?? "");
  return match[2] === undefined ? parents : [...parents, match[2]];
}

/** The value of a key beside or around a place, on which a schema may depend. */
export type ValueAround = (key: string) => string | undefined;

/** What the schema says about a place: all of its alternatives that the values around it allow. */
export function schemasAt(
  root: Schema,
  path: readonly string[],
  around: ValueAround = () => undefined,
): readonly Schema[] {
  const alternativesOf = (schema: Schema) => alternatives(root, schema, around);
  return path.reduce<readonly Schema[]>(
    (schemas, step) => schemas.flatMap((schema) => stepInto(schema, step).flatMap(alternativesOf)),
    alternativesOf(root),
  );
}

function stepInto(schema: Schema, step: string): readonly Schema[] {
  const { additionalProperties: others } = schema;
  const next = step === "[]" ? schema.items : (schema.properties?.[step] ?? others);
  return typeof next === "object" ? [next] : [];
}

function alternatives(root: Schema, schema: Schema, around: ValueAround): readonly Schema[] {
  if (schema.$ref !== undefined) {
    const target = root.$defs?.[schema.$ref.replace("#/$defs/", "")];
    return target === undefined ? [] : alternatives(root, target, around);
  }
  const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  const own = schema.then !== undefined && isMet(schema.if, around) ? [schema.then] : [];
  return [schema, ...[...parts, ...own].flatMap((part) => alternatives(root, part, around))];
}

/** Whether the values around the place are those that a condition of the schema names. */
function isMet(condition: Schema | undefined, around: ValueAround): boolean {
  return Object.entries(condition?.properties ?? {}).every(
    ([key, wanted]) => typeof wanted === "object" && wanted.const !== undefined && wanted.const === around(key),
  );
}

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
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
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

/** The place of a position. Blocks are read by their indentation, since what is being typed has no tree yet. */
export function placeAt(state: EditorState, pos: number): Place | undefined {
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  if (/(?:^|\s)#/.test(before)) return undefined;
  const opening = flowStart(state, pos);
  if (opening !== undefined) return flowPlace(state, opening, pos);
  const match = /^(\s*(?:- +)*)(?:([\w.-]+):( +))?([\w.-]*)$/.exec(before);
  if (match === null) return undefined;
  const [, lead = "", key, , word = ""] = match;
  const parents = parentsOf(state, line.number, lead);
  const from = pos - word.length;
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
  const word = /[\w.-]*$/.exec(within)?.[0] ?? "";
  const from = pos - word.length;
  if (isList) return { path: [...parents, "[]"], kind: "value", from };
  const key = /(?:^|[,{])\s*([\w.-]+):\s+[\w.-]*$/.exec(within)?.[1];
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

/** What the schema says about a place: all of its alternatives. */
export function schemasAt(root: Schema, path: readonly string[]): readonly Schema[] {
  return path.reduce<readonly Schema[]>(
    (schemas, step) => schemas.flatMap((schema) => stepInto(root, schema, step)),
    alternatives(root, root),
  );
}

function stepInto(root: Schema, schema: Schema, step: string): readonly Schema[] {
  const { additionalProperties: others } = schema;
  const next =
    step === "[]" ? schema.items : (schema.properties?.[step] ?? (typeof others === "object" ? others : undefined));
  return next === undefined ? [] : alternatives(root, next);
}

function alternatives(root: Schema, schema: Schema): readonly Schema[] {
  if (schema.$ref !== undefined) {
    const target = root.$defs?.[schema.$ref.replace("#/$defs/", "")];
    return target === undefined ? [] : alternatives(root, target);
  }
  const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  return [schema, ...parts.flatMap((part) => alternatives(root, part))];
}

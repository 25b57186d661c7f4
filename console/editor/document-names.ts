// The names that a policy document gives to its parts, and the values around a position. They are read from the syntax
// tree, which is there even while something is half written.

import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

type SyntaxNode = ReturnType<typeof syntaxTree>["topNode"];

/** Documents are small, so this is hardly ever reached; without a tree nothing is offered. */
const maxParseMs = 500;

/** Names by what they name. */
export interface DocumentNames {
  readonly detectors: readonly string[];
  readonly lists: readonly string[];
  readonly rules: readonly string[];
}

/** The names that the document defines. */
export function namesIn(state: EditorState): DocumentNames {
  const root = treeOf(state, state.doc.length).getChild("Document")?.firstChild ?? undefined;
  const keysOf = (key: string) => pairsIn(entryOf(state, root, key)).map((pair) => keyOf(state, pair));
  const rules = entryOf(state, root, "rules")?.getChildren("Item") ?? [];
  return {
    detectors: keysOf("detectors"),
    lists: keysOf("lists"),
    rules: rules.flatMap((item) => {
      const id = entryOf(state, item.firstChild ?? undefined, "id");
      return id === undefined ? [] : [textOf(state, id)];
    }),
  };
}

/** The value of the nearest key of this name in the mappings around the position. */
export function valueAround(state: EditorState, pos: number, key: string): string | undefined {
  for (let node: SyntaxNode | null = treeOf(state, pos).resolveInner(pos, -1); node !== null; node = node.parent) {
    const value = entryOf(state, node, key);
    if (value !== undefined && /Literal$/.test(value.name)) return textOf(state, value);
  }
  return undefined;
}

/** The value of a key of the whole document's mapping that has this name below another: `{detectors: {mine: {use}}}`. */
export function usedBy(state: EditorState, detector: string): string | undefined {
  const root = treeOf(state, state.doc.length).getChild("Document")?.firstChild ?? undefined;
  const use = entryOf(state, entryOf(state, entryOf(state, root, "detectors"), detector), "use");
  return use === undefined ? undefined : textOf(state, use);
}

/** The scalar around a position: where its text begins, and the text with its quotes and escapes made blank. */
export function scalarAt(
  state: EditorState,
  pos: number,
): { readonly start: number; readonly from: number; readonly text: string } | undefined {
  const line = state.doc.lineAt(pos);
  const blank = /\s*$/.exec(state.sliceDoc(line.from, pos))?.[0].length ?? 0;
  for (const at of new Set([pos, pos - blank])) {
    const node = treeOf(state, pos).resolveInner(at, -1);
    const scalar = node.name === "BlockLiteralContent" ? node.parent : node;
    if (scalar === null || !/Literal$/.test(scalar.name) || scalar.parent?.name === "Key") continue;
    const quotes = scalar.name === "QuotedLiteral" ? 1 : 0;
    const from = (node.name === "BlockLiteralContent" ? node.from : scalar.from) + quotes;
    const raw = state.sliceDoc(from, Math.max(node.to - quotes, pos));
    return { start: scalar.from, from, text: quotes === 0 ? raw : unescaped(raw, state.sliceDoc(from - 1, from)) };
  }
  return undefined;
}

/** The text without the signs of its escapes, each character where it was. */
function unescaped(text: string, quote: string): string {
  return quote === "'" ? text.replaceAll("''", " '") : text.replace(/\\(["\\])/g, " $1");
}

function treeOf(state: EditorState, upTo: number): SyntaxNode {
  return (ensureSyntaxTree(state, upTo, maxParseMs) ?? syntaxTree(state)).topNode;
}

function pairsIn(node: SyntaxNode | undefined): readonly SyntaxNode[] {
  return node === undefined || !/Mapping$/.test(node.name) ? [] : node.getChildren("Pair");
}

function keyOf(state: EditorState, pair: SyntaxNode): string {
  const key = pair.getChild("Key")?.firstChild;
  return key ? textOf(state, key) : "";
}

function entryOf(state: EditorState, mapping: SyntaxNode | undefined, key: string): SyntaxNode | undefined {
  const value = pairsIn(mapping).find((pair) => keyOf(state, pair) === key)?.lastChild ?? undefined;
  return value === undefined || value.name === "Key" || value.name === ":" ? undefined : value;
}

function textOf(state: EditorState, { from, to }: SyntaxNode): string {
  return state.sliceDoc(from, to).replace(/^(["'])(.*)\1$/, "$2");
}

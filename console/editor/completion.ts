// Completion and hover by the language's own schema: keys with their description, the required ones first, and values.

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import type { EditorState } from "@codemirror/state";
import { placeAt, type Schema, schemasAt } from "./schema-path.ts";

/** What may be written at the position. */
export function completeBySchema(schema: Schema, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const place = placeAt(state, pos);
  if (place === undefined || (!explicit && place.from === pos && place.kind === "key")) return null;
  const schemas = schemasAt(schema, place.path);
  const keys = [...schemas.flatMap(keysOf), ...snippetsAt(place.path, state.doc.lineAt(pos).text)];
  const options = place.kind === "key" ? keys : schemas.flatMap(valuesOf);
  const unique = [...new Map(options.map((option) => [option.label, option])).values()];
  return unique.length === 0 ? null : { from: place.from, options: unique, validFor: /^[\w.-]*$/ };
}

/** Whole entries of lists, by the list. A tab is one level below the entry's dash. */
const entries: Readonly<Record<string, Completion>> = {
  rules: snippetCompletion(
    "id: #{rule}\n\tstages: [#{input}]\n\tdetect: #{injection}\n\taction: #{BLOCK}\n\tmessage: #{message}",
    { label: "rule", detail: "…", type: "text", boost: 2 },
  ),
  tests: snippetCompletion("name: #{name}\n\tstage: #{input}\n\ttext: #{text}\n\texpect: {outcome: #{BLOCK}}", {
    label: "test",
    detail: "…",
    type: "text",
    boost: 2,
  }),
  exemptions: snippetCompletion("id: #{exemption}\n\trules: [#{rule}]\n\twhen: #{condition}", {
    label: "exemption",
    detail: "…",
    type: "text",
    boost: 2,
  }),
};

/** What a new entry of a list begins with. */
function snippetsAt(path: readonly string[], line: string): readonly Completion[] {
  const entry = path.length === 2 && path[1] === "[]" ? entries[path[0] ?? ""] : undefined;
  return entry === undefined || !/^\s*- +\w*$/.test(line) ? [] : [entry];
}

function keysOf({ properties = {}, required = [] }: Schema): Completion[] {
  return Object.entries(properties).map(([label, { description }]) => ({
    label,
    apply: `${label}: `,
    type: "property",
    boost: required.includes(label) ? 1 : 0,
    ...(description === undefined ? {} : { info: description }),
  }));
}

function valuesOf({ enum: values = [], type }: Schema): Completion[] {
  const words = type === "boolean" ? [true, false] : values;
  return words.map((value) => ({ label: String(value), type: "enum" }));
}

/** What the schema says about the key at the position, and where the key stands. */
export function describeKey(
  schema: Schema,
  state: EditorState,
  pos: number,
): { readonly from: number; readonly to: number; readonly text: string } | undefined {
  const line = state.doc.lineAt(pos);
  const rest = /^[\w.-]*/.exec(line.text.slice(pos - line.from))?.[0].length ?? 0;
  const to = pos + rest;
  if (!/^\s*:/.test(state.sliceDoc(to, line.to))) return undefined;
  const place = placeAt(state, to);
  if (place === undefined || place.kind !== "key" || place.from === to) return undefined;
  const key = state.sliceDoc(place.from, to);
  const found = schemasAt(schema, [...place.path, key]);
  const text = [
    found.find(({ description }) => description !== undefined)?.description,
    found.flatMap((each) => each.enum ?? []).join(", "),
  ].filter((part) => part !== undefined && part !== "");
  return text.length === 0 ? undefined : { from: place.from, to, text: text.join(" ") };
}

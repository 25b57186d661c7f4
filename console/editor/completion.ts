// Completion and hover. The language's own schema has the keys with their descriptions and the values; the document and
// the catalogue have the names; conditions have a vocabulary of their own.

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import type { EditorState } from "@codemirror/state";
import { type Catalog, describeName, namesAt } from "./catalog-name.ts";
import { completeCondition, describeInCondition, type Vocabulary } from "./condition.ts";
import { namesIn, scalarAt, valueAround } from "./document-names.ts";
import { type Place, placeAt, type Schema, schemasAt } from "./schema-path.ts";

/** What a text is written in. */
export interface Language {
  readonly schema: Schema;
  readonly conditions?: Vocabulary | undefined;
  readonly catalog?: Catalog | undefined;
}

/** What may be written at the position. */
export function complete(language: Language, context: CompletionContext): CompletionResult | null {
  const { state, pos, explicit } = context;
  const condition = conditionAt(language, state, pos);
  if (condition !== undefined) return completeIn(condition, context);
  const place = placeAt(state, pos);
  if (place === undefined || (!explicit && place.from === pos && place.kind === "key")) return null;
  const { path, kind } = place;
  const schemas = schemasOf(language, state, pos, path);
  // An entry of a list may be a value, or begin with a key.
  const isEntry = kind === "key" && path.at(-1) === "[]";
  const line = state.doc.lineAt(pos);
  // A key that is there already is exchanged up to its colon, which it keeps.
  const rest = kind === "key" ? /^([\w.-]*["']?)\s*:(?!\S)/.exec(line.text.slice(pos - line.from))?.[1] : undefined;
  const options = [
    ...(kind === "key" ? [...schemas.flatMap(keysOf), ...snippetsAt(path, line.text)] : []),
    ...(kind === "value" || isEntry ? schemas.flatMap(valuesOf) : []),
    ...namesAt(language.catalog, state, pos, place),
  ];
  // The first of a name says most.
  const unique = [...new Map(options.toReversed().map((option) => [option.label, option])).values()];
  if (unique.length === 0) return null;
  const shown = { from: place.from, validFor: /^[\w.:@/*-]*$/ };
  if (rest === undefined) return { ...shown, options: unique };
  return { ...shown, to: pos + rest.length, options: unique.map(({ apply: _, ...option }) => option) };
}

/** What the position is about, and where that stands. */
export interface Described {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** What is known of the key, the name or the word of a condition at the position. */
export function describe(language: Language, state: EditorState, pos: number): Described | undefined {
  const condition = conditionAt(language, state, pos);
  if (condition !== undefined) {
    const found = describeInCondition(condition.vocabulary, condition, pos - condition.from);
    return found && { ...found, from: condition.from + found.from, to: condition.from + found.to };
  }
  const line = state.doc.lineAt(pos);
  const to = pos + (/^[\w.:@/*-]*/.exec(line.text.slice(pos - line.from))?.[0].replace(/:$/, "").length ?? 0);
  const place = placeAt(state, to);
  if (place === undefined || place.from === to) return undefined;
  const text = describeAt(language, state, place, to);
  return text === undefined ? undefined : { from: place.from, to, text };
}

function describeAt(language: Language, state: EditorState, place: Place, to: number): string | undefined {
  const word = state.sliceDoc(place.from, to);
  const line = state.doc.lineAt(to);
  const isKey = place.kind === "key" && /^\s*:/.test(state.sliceDoc(to, line.to));
  if (!isKey) return describeName(language.catalog, state, to, place, word);
  const found = schemasOf(language, state, to, [...place.path, word]);
  const parts = [
    found.find(({ description }) => description !== undefined)?.description,
    found.flatMap((each) => each.enum ?? []).join(", "),
  ].filter((part) => part !== undefined && part !== "");
  return parts.length === 0 ? undefined : parts.join(" ");
}

/** What the schema, or that of a pack for its parameters, says about a place. */
function schemasOf({ schema, catalog }: Language, state: EditorState, pos: number, path: readonly string[]) {
  const around = (key: string) => valueAround(state, pos, key);
  const [section, , key, ...rest] = path;
  if (section === "extends" && key === "parameters") {
    const name = packNameOf(around("pack"));
    const parameters = catalog?.packs.find((pack) => pack.name === name)?.parameters;
    return parameters === undefined ? [] : schemasAt(parameters, rest, around);
  }
  return schemasAt(schema, path, around);
}

function packNameOf(reference: string | undefined): string | undefined {
  return /^pack:([\w-]+)/.exec(reference ?? "")?.[1];
}

interface ConditionHere {
  readonly vocabulary: Vocabulary;
  readonly from: number;
  readonly text: string;
  readonly lists: readonly string[];
}

/** The condition around a position, be it an empty one. */
function conditionAt(language: Language, state: EditorState, pos: number): ConditionHere | undefined {
  const { conditions: vocabulary, schema } = language;
  if (vocabulary === undefined) return undefined;
  const scalar = scalarAt(state, pos);
  const place = placeAt(state, scalar?.start ?? pos);
  const isCondition =
    place?.kind === "value" && schemasAt(schema, place.path).some((each) => each.contentMediaType === "text/x-cel");
  if (!isCondition) return undefined;
  return { vocabulary, from: scalar?.from ?? pos, text: scalar?.text ?? "", lists: namesIn(state).lists };
}

function completeIn(condition: ConditionHere, { pos, explicit }: CompletionContext): CompletionResult | null {
  const { vocabulary, from, text } = condition;
  const found = completeCondition(vocabulary, condition, pos - from);
  const isMember = text[pos - from - 1] === ".";
  if (found === undefined || (!explicit && from + found.from === pos && !isMember)) return null;
  return { from: from + found.from, options: [...found.options], validFor: /^\w*$/ };
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
  return Object.entries(properties).flatMap(([label, schema]) => {
    if (schema === false) return [];
    const description = typeof schema === "object" ? schema.description : undefined;
    const info = description === undefined ? {} : { info: description };
    return [{ label, apply: `${label}: `, type: "property", boost: required.includes(label) ? 1 : 0, ...info }];
  });
}

function valuesOf({ enum: values = [], const: only, type }: Schema): Completion[] {
  const own = type === "boolean" ? [true, false] : only === undefined ? values : [only];
  return own.map((value) => ({ label: String(value), type: "enum" }));
}

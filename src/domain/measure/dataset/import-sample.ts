// Reads a record of a file as a sample: its members by the mapping, and each with the type and within the bounds of its
// field. What concerns several fields is checked by `sample-check.ts`.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ImportMapping } from "./import-mapping.ts";
import { ignoredFields, importedFields } from "./import-mapping.ts";
import type { FieldProblem } from "./sample-check.ts";
import {
  emptySample,
  type SampleContent,
  type SegmentContent,
  type SpanContent,
  type ToolCallContent,
} from "./sample-content.ts";
import { outcomeNames, splitNames, stageNames } from "./sample-name.ts";

/** A sample, or why the record is none. */
export type ReadSample = { readonly content: SampleContent } | { readonly problems: readonly FieldProblem[] };

const roles = ["system", "developer", "user", "assistant", "tool"];
const languageForm = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}$/;
const maxList = 32;
const maxPieces = 200;
const maxNameLength = 128;
const maxLongNameLength = 256;
const maxWeight = 1_000;

/** Reads the records of a file with this mapping. */
export class SampleReader {
  readonly #mapping: ImportMapping;
  readonly #columns: ReadonlyMap<string, string>;

  constructor(mapping: ImportMapping) {
    this.#mapping = mapping;
    const own = importedFields.map((name) => [name, name] as const);
    this.#columns = new Map(mapping.fields === undefined ? own : Object.entries(mapping.fields));
  }

  /** The sample that a JSON value is. */
  fromJson(value: JsonValue): ReadSample {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { problems: [{ field: null, code: "malformed", message: "expected a JSON object, which is a sample" }] };
    const unknown = this.#unknownIn(Object.keys(value));
    if (unknown.length > 0) return { problems: unknown };
    return this.#read((column) => (Object.hasOwn(value, column) ? value[column] : undefined));
  }

  /** What is wrong with the columns of a file of CSV. */
  headerProblems(header: readonly string[]): FieldProblem[] {
    const twice = header.find((name, at) => header.indexOf(name) !== at);
    if (twice !== undefined)
      return [{ field: shortName(twice), code: "invalid", message: "two columns have this name" }];
    const unknown = this.#unknownIn(header);
    const missing = [...this.#columns.values(), ...this.#mapping.labels.map(({ column }) => column)].filter(
      (column) => this.#mapping.fields !== undefined && !header.includes(column),
    );
    const absent = missing.map((column) => ({
      ...{ field: shortName(column), code: "missing" as const },
      message: "the mapping names this column, and the file has none of this name",
    }));
    return [...unknown, ...absent];
  }

  /**
   * The sample that the cells of a record of CSV are. An empty cell says nothing; a list is written as JSON, or as
   * texts with "|" between them.
   */
  fromCells(header: ReadonlyMap<string, number>, cells: readonly string[]): ReadSample {
    return this.#read((column, field) => {
      const cell = cells[header.get(column) ?? -1];
      if (cell === undefined || cell === "") return undefined;
      return cellReaders[field ?? ""]?.(cell) ?? cell;
    });
  }

  // Columns that nothing reads are most likely misspelt, unless a mapping says what to read.
  #unknownIn(names: readonly string[]): FieldProblem[] {
    if (this.#mapping.fields !== undefined) return [];
    const ruled = new Set(this.#mapping.labels.map(({ column }) => column));
    const unknown = names.filter((name) => !this.#columns.has(name) && !ignoredFields.has(name) && !ruled.has(name));
    return unknown.slice(0, 3).map((name) => ({
      ...{ field: shortName(name), code: "invalid" as const },
      message: "is no field of a sample; correct it, or say by a mapping which columns to read",
    }));
  }

  #read(cellOf: (column: string, field?: string) => JsonValue | undefined): ReadSample {
    const problems: FieldProblem[] = [];
    const given: Record<string, unknown> = {};
    for (const [field, column] of this.#columns) {
      const value = cellOf(column, field);
      if (value === undefined || value === null) continue;
      const { name, read } = readers[field] ?? noReader;
      const at = given;
      try {
        at[name] = read(value);
      } catch (error) {
        if (!(error instanceof Unfit)) throw error;
        problems.push({ field: `${field}${error.place}`, code: "invalid", message: error.message });
      }
    }
    if (problems.length > 0) return { problems };
    return { content: this.#completed(given as Partial<SampleContent>, cellOf) }; // each by the reader of its field
  }

  #completed(given: Partial<SampleContent>, cellOf: (column: string) => JsonValue | undefined): SampleContent {
    const { labels, addLabels, addTags, stage, language, offsets } = this.#mapping;
    const ruled = labels.flatMap(({ column, label, equals, prefix }) => {
      const value = cellOf(column);
      if (value === undefined || typeof value === "object") return [];
      const text = String(value);
      return (equals === undefined ? text.startsWith(prefix ?? "") : text === equals) ? [label] : [];
    });
    const isOfTools = (given.toolCalls?.length ?? 0) > 0;
    const content: SampleContent = {
      ...emptySample,
      ...given,
      stage: given.stage ?? stage ?? (isOfTools ? "tool_call" : "input"),
      language: given.language ?? language ?? null,
      labels: [...new Set([...(given.labels ?? []), ...ruled, ...addLabels])],
      tags: [...new Set([...(given.tags ?? []), ...addTags])],
    };
    return offsets === "utf16" ? content : { ...content, spans: utf16Spans(content) };
  }
}

/** A value that does not fit its field. */
class Unfit extends Error {
  readonly place: string;

  constructor(message: string, place = "") {
    super(message);
    this.place = place;
  }
}

interface FieldReader {
  readonly name: keyof SampleContent;
  readonly read: (value: JsonValue) => unknown;
}

const noReader: FieldReader = {
  name: "text",
  read: () => {
    throw new Error("every imported field has a reader");
  },
};

const readers: Readonly<Record<string, FieldReader>> = {
  external_id: { name: "externalId", read: (value) => boundedText(scalarText(value), maxLongNameLength) },
  text: { name: "text", read: (value) => textOf(value) },
  segments: { name: "segments", read: (value) => listOf(value, maxPieces, segmentOf) },
  tool_calls: { name: "toolCalls", read: (value) => listOf(value, maxPieces, toolCallOf) },
  stage: { name: "stage", read: (value) => oneOf(value, stageNames) },
  language: { name: "language", read: languageOf },
  labels: { name: "labels", read: (value) => namesOf(value, maxNameLength) },
  expected_outcome: { name: "expectedOutcome", read: (value) => oneOf(value, outcomeNames) },
  must_match: { name: "mustMatch", read: (value) => namesOf(value, maxLongNameLength) },
  must_not_match: { name: "mustNotMatch", read: (value) => namesOf(value, maxLongNameLength) },
  spans: { name: "spans", read: (value) => listOf(value, maxPieces, spanOf) },
  group: { name: "group", read: (value) => boundedText(scalarText(value), maxLongNameLength) },
  tags: { name: "tags", read: (value) => namesOf(value, maxNameLength) },
  split: { name: "split", read: (value) => oneOf(value, splitNames) },
  weight: { name: "weight", read: weightOf },
  is_redacted: { name: "isRedacted", read: flagOf },
  is_gray: { name: "isGray", read: flagOf },
};

/** Of CSV, where every cell is a text: what a cell says for fields that are none. */
const cellReaders: Readonly<Record<string, (cell: string) => JsonValue>> = {
  ...Object.fromEntries(["segments", "tool_calls", "spans"].map((field) => [field, jsonCell])),
  ...Object.fromEntries(["labels", "must_match", "must_not_match", "tags"].map((field) => [field, listCell])),
  weight: (cell) => (cell.trim() === "" ? cell : Number(cell)),
  ...Object.fromEntries(["is_redacted", "is_gray"].map((field) => [field, flagCell])),
};

function jsonCell(cell: string): JsonValue {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

function listCell(cell: string): JsonValue {
  if (cell.startsWith("[")) return jsonCell(cell);
  return cell
    .split("|")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function flagCell(cell: string): JsonValue {
  const known: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };
  return known[cell.trim().toLowerCase()] ?? cell;
}

function textOf(value: JsonValue): string {
  if (typeof value !== "string") throw new Unfit("expected a text");
  return value;
}

// An id may be a number in somebody's file.
function scalarText(value: JsonValue): string {
  return typeof value === "number" ? String(value) : textOf(value);
}

function boundedText(text: string, maxLength: number): string {
  if (text === "" || text.length > maxLength) throw new Unfit(`expected 1 to ${maxLength} characters`);
  return text;
}

function oneOf(value: JsonValue, names: readonly string[]): string {
  if (typeof value !== "string" || !names.includes(value)) throw new Unfit(`expected one of ${names.join(", ")}`);
  return value;
}

function languageOf(value: JsonValue): string {
  if (typeof value !== "string" || !languageForm.test(value))
    throw new Unfit('expected a tag, such as "de" or "pt-BR"');
  return value;
}

function weightOf(value: JsonValue): number {
  if (typeof value !== "number" || !(value > 0 && value <= maxWeight))
    throw new Unfit(`expected a number above 0, and at most ${maxWeight}`);
  return value;
}

function flagOf(value: JsonValue): boolean {
  if (typeof value !== "boolean") throw new Unfit("expected true or false");
  return value;
}

function namesOf(value: JsonValue, maxLength: number): string[] {
  const given = typeof value === "string" ? [value] : value;
  const names = listOf(given, maxList, (item) => boundedText(scalarText(item), maxLength));
  return [...new Set(names)];
}

function listOf<T>(value: JsonValue, max: number, read: (item: JsonValue) => T): T[] {
  if (!Array.isArray(value)) throw new Unfit("expected a list");
  if (value.length > max) throw new Unfit(`expected at most ${max} entries`);
  return value.map((item, at) => {
    try {
      return read(item);
    } catch (error) {
      throw error instanceof Unfit ? new Unfit(error.message, `[${at}]${error.place}`) : error;
    }
  });
}

function objectOf(value: JsonValue, members: readonly string[]): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Unfit("expected an object");
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined) throw new Unfit(`expected no members but ${members.join(", ")}`);
  return value;
}

function segmentOf(value: JsonValue): SegmentContent {
  const { role, text } = objectOf(value, ["role", "text"]);
  return { role: role == null ? null : oneOf(role, roles), text: textOf(text ?? null) };
}

function toolCallOf(value: JsonValue): ToolCallContent {
  const { name, arguments: values } = objectOf(value, ["name", "arguments"]);
  if (values != null && (typeof values !== "object" || Array.isArray(values)))
    throw new Unfit("expected an object", ".arguments");
  return { name: boundedText(textOf(name ?? null), maxLongNameLength), arguments: values ?? null };
}

function spanOf(value: JsonValue): SpanContent {
  const { segment = 0, start, end, label } = objectOf(value, ["segment", "start", "end", "label"]);
  const offsets = [segment, start, end].map((offset) => {
    if (typeof offset !== "number" || !Number.isInteger(offset) || offset < 0 || offset > 2 ** 31 - 1)
      throw new Unfit("expected segment, start and end as whole numbers");
    return offset;
  });
  const [at = 0, from = 0, to = 0] = offsets;
  return { segment: at, start: from, end: to, label: boundedText(textOf(label ?? null), maxNameLength) };
}

// Offsets of code points as offsets of UTF-16 code units. One beyond the end stays beyond it.
function utf16Spans({ text, segments, spans }: SampleContent): SpanContent[] {
  const texts = text !== null ? [text] : segments.map((segment) => segment.text);
  const converted = texts.map((each, segment) => {
    const wanted = spans.filter((span) => span.segment === segment).flatMap(({ start, end }) => [start, end]);
    return unitOffsets(each, new Set(wanted));
  });
  return spans.map((span) => {
    const offsets = converted[span.segment];
    const unitOf = (offset: number) => offsets?.get(offset) ?? 2 ** 31 - 1;
    return { ...span, start: unitOf(span.start), end: unitOf(span.end) };
  });
}

function unitOffsets(text: string, wanted: ReadonlySet<number>): Map<number, number> {
  const found = new Map<number, number>();
  if (wanted.size === 0) return found;
  let [points, units] = [0, 0];
  for (const character of text) {
    if (wanted.has(points)) found.set(points, units);
    points += 1;
    units += character.length;
  }
  if (wanted.has(points)) found.set(points, units);
  return found;
}

// Names of columns are the customer's, and may be long.
function shortName(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}

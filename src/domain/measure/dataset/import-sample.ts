// Reads a record of a file as a sample: its members by the mapping, and each with the type and within the bounds of its
// field. What concerns several fields is checked by `sample-check.ts`.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ImportMapping } from "./import-mapping.ts";
import { escapedColumn, ignoredFields, importedFields, withheldColumn } from "./import-mapping.ts";
import { type FieldProblem, isWithin, languageForm, maxEntries, maxNameLength } from "./sample-check.ts";
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
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Annotations of a trace. */
const maxAnnotations = 10_000;
const maxWeight = 1_000;
/** So many unknown columns are named. */
const namedColumns = 3;

/** Reads the records of a file with this mapping. */
export class SampleReader {
  readonly #mapping: ImportMapping;
  /** The fields that each column becomes: mostly one. */
  readonly #fields: ReadonlyMap<string, readonly FieldReader[]>;
  readonly #ruled: ReadonlySet<string>;

  constructor(mapping: ImportMapping) {
    this.#mapping = mapping;
    const fields = mapping.fields ?? Object.fromEntries(importedFields.map((name) => [name, name]));
    const byColumn = Map.groupBy(Object.entries(fields), ([, column]) => column);
    this.#fields = new Map(
      [...byColumn].map(([column, of]) => [column, of.flatMap(([field]) => readers.get(field) ?? [])]),
    );
    this.#ruled = new Set(mapping.labels.map(({ column }) => column));
  }

  /** The sample that a JSON value is. */
  fromJson(value: JsonValue): ReadSample {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { problems: [{ field: null, code: "malformed", message: "expected a JSON object, which is a sample" }] };
    const names = Object.keys(value);
    const unknown = this.#unknownIn(names);
    if (unknown.length > 0) return { problems: unknown };
    if (value[withheldColumn] === true) return { problems: [withheld] };
    const given = new GivenFields();
    for (const name of names) {
      const cell = value[name];
      if (cell === undefined || cell === null) continue;
      for (const reader of this.#fields.get(name) ?? []) given.read(reader, cell);
    }
    return this.#sampleOf(given, (column) => (Object.hasOwn(value, column) ? value[column] : undefined));
  }

  /** What is wrong with the columns of a file of CSV. */
  headerProblems(header: readonly string[]): FieldProblem[] {
    const twice = header.find((name, at) => header.indexOf(name) !== at);
    if (twice !== undefined)
      return [{ field: shortName(twice), code: "invalid", message: "two columns have this name" }];
    const unknown = this.#unknownIn(header.filter((name) => name !== escapedColumn));
    const missing = [...this.#fields.keys(), ...this.#ruled].filter(
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
   * texts with "|" between them. Where the row says that an apostrophe was added to a cell, it is taken away.
   */
  fromCells(header: ReadonlyMap<string, number>, cells: readonly string[]): ReadSample {
    const escaped = new Set(listOfTexts(cells[header.get(escapedColumn) ?? -1]));
    const cellOf = (column: string) => {
      const cell = cells[header.get(column) ?? -1] ?? "";
      if (cell === "") return undefined;
      return escaped.has(column) && cell.startsWith("'") ? cell.slice(1) : cell;
    };
    if (flagCell(cellOf(withheldColumn) ?? "") === true) return { problems: [withheld] };
    const given = new GivenFields();
    for (const [column, fields] of this.#fields) {
      const cell = cellOf(column);
      if (cell === undefined) continue;
      for (const reader of fields) given.read(reader, reader.ofCell?.(cell) ?? cell);
    }
    return this.#sampleOf(given, cellOf);
  }

  // Columns that nothing reads are most likely misspelt, unless a mapping says what to read.
  #unknownIn(names: readonly string[]): FieldProblem[] {
    if (this.#mapping.fields !== undefined) return [];
    const isKnown = (name: string) =>
      this.#fields.has(name) || ignoredFields.has(name) || name === withheldColumn || this.#ruled.has(name);
    if (names.every(isKnown)) return [];
    const unknown = names.filter((name) => !isKnown(name));
    return unknown.slice(0, namedColumns).map((name) => ({
      ...{ field: shortName(name), code: "invalid" as const },
      message: "is no field of a sample; correct it, or say by a mapping which columns to read",
    }));
  }

  #sampleOf({ fields: given, problems }: GivenFields, cellOf: (column: string) => JsonValue | undefined): ReadSample {
    if (problems.length > 0) return { problems };
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
      labels: withMore(given.labels, [...ruled, ...addLabels]),
      tags: withMore(given.tags, addTags),
    };
    return { content: offsets === "utf16" ? content : { ...content, spans: utf16Spans(content) } };
  }
}

const withheld: FieldProblem = {
  ...{ field: "text", code: "withheld" },
  message: "was withheld from whoever exported it; export the dataset as an editor or with an admin token",
};

/** The fields of one record as they are read, and what is wrong with them. */
class GivenFields {
  readonly fields: Partial<SampleContent> = {};
  readonly problems: FieldProblem[] = [];

  read({ field, name, read }: FieldReader, value: JsonValue): void {
    try {
      (this.fields as Record<string, unknown>)[name] = read(value); // of the type of this field
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      this.problems.push({ field: `${field}${error.place}`, code: "invalid", message: error.message });
    }
  }
}

function withMore(names: readonly string[] | undefined, more: readonly string[]): readonly string[] {
  return more.length === 0 ? (names ?? []) : [...new Set([...(names ?? []), ...more])];
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
  /** As the API calls it. */
  readonly field: string;
  readonly name: keyof SampleContent;
  readonly read: (value: JsonValue) => unknown;
  /** Of CSV, where every cell is a text: what a cell says for a field that is none. */
  readonly ofCell?: (cell: string) => JsonValue;
}

const fieldReaders: readonly FieldReader[] = [
  { field: "external_id", name: "externalId", read: (value) => boundedText(scalarText(value), maxNameLength.long) },
  { field: "text", name: "text", read: textOf },
  {
    field: "segments",
    name: "segments",
    ofCell: jsonCell,
    read: (value) => listOf(value, maxEntries.segments, segmentOf),
  },
  {
    field: "tool_calls",
    name: "toolCalls",
    ofCell: jsonCell,
    read: (value) => listOf(value, maxEntries.toolCalls, toolCallOf),
  },
  { field: "stage", name: "stage", read: (value) => oneOf(value, stageNames) },
  { field: "language", name: "language", read: languageOf },
  { field: "labels", name: "labels", ofCell: listCell, read: (value) => namesOf(value, maxNameLength.short) },
  { field: "expected_outcome", name: "expectedOutcome", read: (value) => oneOf(value, outcomeNames) },
  { field: "must_match", name: "mustMatch", ofCell: listCell, read: rulesOf },
  { field: "must_not_match", name: "mustNotMatch", ofCell: listCell, read: rulesOf },
  {
    field: "spans",
    name: "spans",
    ofCell: jsonCell,
    read: (value) => listOf(value, maxEntries.spans, spanOf),
  },
  { field: "group", name: "group", read: (value) => boundedText(scalarText(value), maxNameLength.long) },
  { field: "tags", name: "tags", ofCell: listCell, read: (value) => namesOf(value, maxNameLength.short) },
  { field: "split", name: "split", read: (value) => oneOf(value, splitNames) },
  {
    field: "weight",
    name: "weight",
    read: weightOf,
    ofCell: (cell) => (cell.trim() === "" ? cell : Number(cell)),
  },
  { field: "is_redacted", name: "isRedacted", ofCell: flagCell, read: flagOf },
  { field: "is_gray", name: "isGray", ofCell: flagCell, read: flagOf },
  { field: "source", name: "source", ofCell: jsonCell, read: sourceOf },
  { field: "facts", name: "facts", ofCell: jsonCell, read: plainObject },
];

const readers = new Map(fieldReaders.map((reader) => [reader.field, reader] as const));

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

function listOfTexts(cell: string | undefined): JsonValue[] {
  const list = listCell(cell ?? "");
  return Array.isArray(list) ? list : [];
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
  if (!isWithin(text, maxLength)) throw new Unfit(`expected 1 to ${maxLength} characters`);
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
  const names = listOf(given, maxEntries.labels, (item) => boundedText(scalarText(item), maxLength));
  return [...new Set(names)];
}

function rulesOf(value: JsonValue): string[] {
  return namesOf(value, maxNameLength.rule);
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
  const object = plainObject(value);
  const unknown = Object.keys(object).find((name) => !members.includes(name));
  if (unknown !== undefined) throw new Unfit(`expected no members but ${members.join(", ")}`);
  return object;
}

function segmentOf(value: JsonValue): SegmentContent {
  const { role, text } = objectOf(value, ["role", "text"]);
  return { role: role == null ? null : oneOf(role, roles), text: textOf(text ?? null) };
}

function toolCallOf(value: JsonValue): ToolCallContent {
  const { name, arguments: values } = objectOf(value, ["name", "arguments"]);
  if (values != null && (typeof values !== "object" || Array.isArray(values)))
    throw new Unfit("expected an object", ".arguments");
  return { name: boundedText(textOf(name ?? null), maxNameLength.long), arguments: values ?? null };
}

function spanOf(value: JsonValue): SpanContent {
  const { segment = 0, start, end, label } = objectOf(value, ["segment", "start", "end", "label"]);
  const offsets = [segment, start, end].map((offset) => {
    if (typeof offset !== "number" || !Number.isInteger(offset) || offset < 0 || offset > 2 ** 31 - 1)
      throw new Unfit("expected segment, start and end as whole numbers");
    return offset;
  });
  const [at = 0, from = 0, to = 0] = offsets;
  return { segment: at, start: from, end: to, label: boundedText(textOf(label ?? null), maxNameLength.short) };
}

function sourceOf(value: JsonValue): SampleContent["source"] {
  const { trace_id: traceId, annotation_ids: annotationIds } = objectOf(value, ["trace_id", "annotation_ids"]);
  return { traceId: idOf(traceId ?? null), annotationIds: listOf(annotationIds ?? [], maxAnnotations, idOf) };
}

function idOf(value: JsonValue): string {
  if (typeof value !== "string" || !uuidForm.test(value)) throw new Unfit("expected a UUID");
  return value;
}

function plainObject(value: JsonValue): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Unfit("expected an object");
  return value;
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

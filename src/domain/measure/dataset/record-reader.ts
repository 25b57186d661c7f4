// Reads the records of one file as samples, or says where they are wrong.

import type { JsonValue } from "@bufbuild/protobuf";
import { readCsvRecord } from "./csv-record.ts";
import { unreadable } from "./import-bytes.ts";
import type { ImportMapping } from "./import-mapping.ts";
import type { FileRecord, ImportFormat } from "./import-record.ts";
import { type ReadSample, SampleReader } from "./import-sample.ts";
import { checkSample, type FieldProblem } from "./sample-check.ts";
import type { SampleContent } from "./sample-content.ts";

/** What a record is, or why it is none. */
export type ReadRecord = { readonly content: SampleContent } | Refused;

interface Refused {
  readonly line: number;
  readonly column: number | null;
  readonly problems: readonly FieldProblem[];
}

/** Reads the records of a file, in their order. */
export class RecordReader {
  readonly #samples: SampleReader;
  readonly #isCsv: boolean;
  #header: { readonly width: number; readonly places: ReadonlyMap<string, number> } | undefined;

  constructor({ format, mapping }: { readonly format: ImportFormat; readonly mapping: ImportMapping }) {
    this.#samples = new SampleReader(mapping);
    this.#isCsv = format === "csv";
  }

  /**
   * The sample that the record is; undefined for the names of columns. Throws import_failed where those are wrong, and
   * where a JSON array is none or is never closed.
   */
  read(record: FileRecord): ReadRecord | undefined {
    if (this.#isCsv && this.#header === undefined) {
      this.#readHeader(record);
      return undefined;
    }
    const { line, problem } = record;
    // Half of an array would look like a whole one.
    if (problem?.isEnd === true) throw unreadable(`line ${line}: ${problem.message}`);
    if (problem !== undefined) return { line, column: null, problems: [{ field: null, ...problem }] };
    const read = this.#isCsv ? this.#fromCsv(record) : this.#fromJson(record);
    if ("problems" in read) return { line, column: null, ...read };
    const problems = checkSample(read.content);
    return problems.length === 0 ? read : { line, column: null, problems };
  }

  #readHeader({ line, text, problem }: FileRecord): void {
    const read = problem === undefined ? readCsvRecord(text) : problem;
    const header = "cells" in read ? read.cells.map((name) => name.trim()) : [];
    const found = "cells" in read ? this.#samples.headerProblems(header) : [{ field: null, message: read.message }];
    const [first] = found;
    if (first !== undefined) {
      const place = first.field === null ? "" : `"${first.field}" `;
      throw unreadable(`line ${line}, the names of the columns: ${place}${first.message}`);
    }
    this.#header = { width: header.length, places: new Map(header.map((name, at) => [name, at])) };
  }

  #fromCsv({ line, text }: FileRecord): ReadSample | Refused {
    const record = readCsvRecord(text);
    if (!("cells" in record)) return malformed(line + record.line, record.column, record.message);
    const { width, places } = this.#header ?? { width: 0, places: new Map() };
    if (record.cells.length === width) return this.#samples.fromCells(places, record.cells);
    return malformed(line, null, `has ${record.cells.length} cells, and there are ${width} columns`);
  }

  #fromJson({ line, text }: FileRecord): ReadSample | Refused {
    let value: JsonValue;
    try {
      value = JSON.parse(text);
    } catch {
      return malformed(line, null, "is not valid JSON");
    }
    return this.#samples.fromJson(value);
  }
}

function malformed(line: number, column: number | null, message: string): Refused {
  return { line, column, problems: [{ field: null, code: "malformed", message }] };
}

// Cuts the bytes of an imported file into records, as they come: lines of JSONL, records of CSV (RFC 4180), elements of
// a JSON array. A record that cannot be cut or is too long becomes a problem with its place, and reading goes on after
// it. Nothing is held but the record at hand, which has a limit.

import { isUtf8 } from "node:buffer";

/**
 * The largest record, in bytes: JSON writes a control character as six, and a text of 256 KiB may have nothing else.
 */
export const maxRecordBytes = 2 << 20;

/** The formats of files. */
export type ImportFormat = "jsonl" | "csv" | "json";

/** A record of a file, as text, or why it is none. */
export interface FileRecord {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly text: string;
  readonly problem?: {
    readonly code: "malformed" | "too_long";
    readonly message: string;
    /** Whether nothing after it can be read, or part of the file is missing. */
    readonly isEnd?: true;
  };
}

const [lineFeed, carriageReturn, quote, comma] = [0x0a, 0x0d, 0x22, 0x2c];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The records of a file, each group from one piece of it. */
export async function* readRecords(
  pieces: AsyncIterable<Uint8Array>,
  format: ImportFormat,
): AsyncGenerator<FileRecord[], void> {
  const cutter = { jsonl: () => new LineCutter(), csv: () => new CsvCutter(), json: () => new ArrayCutter() }[format]();
  for await (const piece of withoutMark(pieces)) {
    const records = cutter.take(piece);
    if (records.length > 0) yield records;
  }
  const last = cutter.end();
  if (last.length > 0) yield last;
}

// The mark says that a text is UTF-8. It may be cut between pieces.
async function* withoutMark(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (start === undefined) {
      yield bytes;
      continue;
    }
    start = Buffer.concat([start, bytes]);
    if (start.length < byteOrderMark.length) continue;
    yield isMarked(start) ? start.subarray(byteOrderMark.length) : start;
    start = undefined;
  }
  if (start !== undefined) yield start;
}

function isMarked(bytes: Buffer): boolean {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
}

/** The bytes of the record at hand, which may have come in several pieces. */
class Held {
  #pieces: Buffer[] = [];
  #sizeBytes = 0;

  /** Whether the record is longer than records may be. Nothing more of it is held then. */
  get isTooLong(): boolean {
    return this.#sizeBytes > maxRecordBytes;
  }

  get isEmpty(): boolean {
    return this.#sizeBytes === 0;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#sizeBytes += bytes.length;
    if (this.isTooLong) this.#pieces = [];
    // A piece is a view of a larger buffer, which must not be kept alive for a few bytes of it.
    else this.#pieces.push(Buffer.from(bytes));
  }

  /** The record, which ends with these bytes; the next one begins. */
  end(line: number, last: Buffer): FileRecord {
    const isTooLong = this.#sizeBytes + last.length > maxRecordBytes;
    // Most records lie within one piece, and need no copy.
    const bytes = this.#pieces.length === 0 || isTooLong ? last : Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#sizeBytes = 0;
    if (isTooLong) return tooLong(line);
    return isUtf8(bytes) ? { line, text: bytes.toString("utf8") } : malformed(line, "is not valid UTF-8");
  }
}

const nothing = Buffer.alloc(0);

function tooLong(line: number): FileRecord {
  const message = `is longer than ${maxRecordBytes} bytes`;
  return { line, text: "", problem: { code: "too_long", message } };
}

function malformed(line: number, message: string): FileRecord {
  return { line, text: "", problem: { code: "malformed", message } };
}

function brokenOff(line: number, message: string): FileRecord {
  return { line, text: "", problem: { code: "malformed", message, isEnd: true } };
}

/** Cuts at line ends. Empty lines are no records. */
class LineCutter {
  readonly #held = new Held();
  #line = 1;

  take(piece: Buffer): FileRecord[] {
    const records: FileRecord[] = [];
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end !== -1; end = piece.indexOf(lineFeed, start)) {
      this.#cut(piece.subarray(start, end), records);
      this.#line += 1;
      start = end + 1;
    }
    this.#held.add(piece.subarray(start));
    return records;
  }

  end(): FileRecord[] {
    const records: FileRecord[] = [];
    this.#cut(nothing, records);
    return records;
  }

  #cut(last: Buffer, records: FileRecord[]): void {
    if (this.#held.isEmpty && last.length === 0) return;
    const record = this.#held.end(this.#line, last);
    if (record.problem !== undefined || record.text.trim() !== "") records.push(record);
  }
}

/**
 * Cuts at line ends outside of cells in quotes. A record keeps its quotes; `csv-record.ts` reads its cells. Beyond the
 * limit of a record it ends at the next line end, so that one quote too many costs no more than that.
 */
class CsvCutter {
  readonly #held = new Held();
  #line = 1;
  #startLine = 1;
  /** Where in a cell: at its start, in one without quotes, in quotes, or after a quote in one with quotes. */
  #place: "start" | "plain" | "quoted" | "after" = "start";

  take(piece: Buffer): FileRecord[] {
    const records: FileRecord[] = [];
    let start = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (byte !== lineFeed) {
        if (byte === quote) this.#place = this.#afterQuote();
        else if (this.#place !== "quoted") this.#place = byte === comma ? "start" : "plain";
        continue;
      }
      this.#line += 1;
      if (this.#place === "quoted") {
        this.#held.add(piece.subarray(start, at + 1));
        if (this.#held.isTooLong) records.push(...this.#cut(nothing));
      } else records.push(...this.#cut(piece.subarray(start, at)));
      start = at + 1;
    }
    this.#held.add(piece.subarray(start));
    return records;
  }

  end(): FileRecord[] {
    if (this.#place !== "quoted" || this.#held.isEmpty) return this.#cut(nothing);
    return [malformed(this.#startLine, "a quote that is opened here is never closed")];
  }

  #afterQuote(): "plain" | "quoted" | "after" {
    if (this.#place === "quoted") return "after";
    return this.#place === "plain" ? "plain" : "quoted";
  }

  #cut(last: Buffer): FileRecord[] {
    const line = this.#startLine;
    this.#startLine = this.#line;
    this.#place = "start";
    if (this.#held.isEmpty && last.length === 0) return [];
    const record = this.#held.end(line, last);
    if (record.problem !== undefined) return [record];
    const text = record.text.endsWith("\r") ? record.text.slice(0, -1) : record.text;
    return text === "" ? [] : [{ line, text }];
  }
}

const [openArray, closeArray, openObject, closeObject, backslash] = [0x5b, 0x5d, 0x7b, 0x7d, 0x5c];
const blanks = new Set([0x20, 0x09, lineFeed, carriageReturn]);

/**
 * Cuts the elements out of one array. What stands between elements is checked; after what is no array nothing is read
 * any more.
 */
class ArrayCutter {
  readonly #held = new Held();
  #line = 1;
  #startLine = 1;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** What may come next outside of an element. */
  #next: "array" | "first" | "element" | "comma" | "nothing" | "broken" = "array";

  take(piece: Buffer): FileRecord[] {
    const records: FileRecord[] = [];
    let start = 0;
    for (let at = 0; at < piece.length && this.#next !== "broken"; at++) {
      const byte = piece[at] ?? 0;
      if (byte === lineFeed) this.#line += 1;
      if (this.#depth > 0) {
        if (!this.#isLastOfElement(byte)) continue;
        records.push(this.#held.end(this.#startLine, piece.subarray(start, at + 1)));
        this.#next = "comma";
      } else if (byte === openObject && (this.#next === "first" || this.#next === "element")) {
        this.#depth = 1;
        this.#startLine = this.#line;
        start = at;
      } else records.push(...this.#between(byte));
    }
    if (this.#depth > 0) this.#held.add(piece.subarray(start));
    return records;
  }

  end(): FileRecord[] {
    if (this.#next === "nothing" || this.#next === "broken") return [];
    const message = this.#next === "array" ? "expected an array of samples" : "the array is never closed";
    return [brokenOff(this.#depth > 0 ? this.#startLine : this.#line, message)];
  }

  #isLastOfElement(byte: number): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isText) {
      if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isText = false;
    } else if (byte === quote) this.#isText = true;
    else if (byte === openObject || byte === openArray) this.#depth += 1;
    else if (byte === closeObject || byte === closeArray) this.#depth -= 1;
    return this.#depth === 0;
  }

  #between(byte: number): FileRecord[] {
    if (blanks.has(byte)) return [];
    if (this.#next === "array" && byte === openArray) this.#next = "first";
    else if (this.#next === "comma" && byte === comma) this.#next = "element";
    else if ((this.#next === "first" || this.#next === "comma") && byte === closeArray) this.#next = "nothing";
    else {
      const expected = { array: "an array of samples", comma: '"," or "]"', nothing: "the end of the file" };
      const what = expected[this.#next as keyof typeof expected] ?? "an object, which is a sample"; // else an element
      this.#next = "broken";
      return [brokenOff(this.#line, `expected ${what}`)];
    }
    return [];
  }
}

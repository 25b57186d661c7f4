import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCsvRecord } from "../../../../../src/domain/measure/dataset/csv-record.ts";
import {
  type ImportFormat,
  maxRecordBytes,
  readRecords,
} from "../../../../../src/domain/measure/dataset/import-record.ts";

/** Where a record begins, and its cells or values; undefined where it is none. */
type Found = readonly [line: number, value: unknown];

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[i % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(file: string | Buffer, format: ImportFormat, sizes: readonly number[] = []): Promise<Found[]> {
  const found: Found[] = [];
  for await (const group of readRecords(cut(Buffer.from(file), sizes), format)) {
    for (const { line, text, problem } of group)
      found.push([line, problem === undefined ? readText(text, format) : undefined]);
  }
  return found;
}

function readText(text: string, format: ImportFormat): unknown {
  if (format !== "csv") {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
  const record = readCsvRecord(text);
  return "cells" in record ? record.cells : undefined;
}

/** CSV by the grammar of RFC 4180, on the whole text at once: a file is records, a record is cells, by expressions. */
function reference(text: string): Found[] {
  const found: Found[] = [];
  let rest = text;
  let line = 1;
  while (rest !== "") {
    // A record: cells in quotes, in which line ends stand, or anything else up to a comma or a line end.
    const cell = '(?:"(?:[^"]|"")*"(?!")[^,\\n]*|[^",\\n][^,\\n]*|)';
    const whole = new RegExp(`^${cell}(?:,${cell})*(?:\\n|$)`).exec(rest)?.[0];
    if (whole === undefined) {
      // A quote that is never closed.
      found.push([line, undefined]);
      return found;
    }
    const record = whole.replace(/\r?\n$|\r$/, "");
    if (record !== "") {
      const strict = '(?:"((?:[^"]|"")*)"|([^",]*))';
      const isRight = new RegExp(`^${strict}(?:,${strict})*$`).test(record);
      const cells = [...`,${record}`.matchAll(new RegExp(`,${strict}`, "g"))].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
      );
      found.push([line, isRight ? cells : undefined]);
    }
    line += whole.split("\n").length - 1;
    rest = rest.slice(whole.length);
  }
  return found;
}

const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 5 });

describe("records of a file", () => {
  it("are those of the grammar of CSV, with their lines, however the file is cut", async () => {
    const texts = fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r\n", "a", "é", "😀", " "), maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(texts, sizes, async (text, cuts) => {
        expect(await read(text, "csv", cuts)).toEqual(reference(text));
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  it("are what was written as CSV", async () => {
    const cells = fc.array(fc.array(fc.string({ unit: "grapheme", maxLength: 8 }), { minLength: 2, maxLength: 4 }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(cells, sizes, async (rows, cuts) => {
        const text = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\r\n");
        const found = await read(`\uFEFF${text}`, "csv", cuts);
        expect(found.map(([, value]) => value)).toEqual(rows);
      }),
      { numRuns: 1_000, seed: 2 },
    );
  });

  it("are the lines of JSONL and the elements of JSON, with their lines", async () => {
    const values = fc.array(fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), {
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(values, sizes, fc.boolean(), async (items, cuts, isWide) => {
        const known: unknown[] = items.map((item) => JSON.parse(JSON.stringify(item)));
        const lines = await read(items.map((item) => JSON.stringify(item)).join("\r\n\n"), "jsonl", cuts);
        expect(lines).toEqual(known.map((value, at) => [at * 2 + 1, value]));
        const array = JSON.stringify(items, null, isWide ? 2 : 0);
        const elements = await read(array, "json", cuts);
        expect(elements.map(([, value]) => value)).toEqual(known);
        // An element begins where its brace stands.
        for (const [line] of elements) expect(array.split("\n")[line - 1]).toContain("{");
      }),
      { numRuns: 1_000, seed: 3 },
    );
  });

  it("end in one problem where a JSON array does", async () => {
    const broken = ['{"a": 1}', '[{"a": 1} {"b": 2}]', '[{"a": 1}, 2]', '[{"a": 1}', '[{"a": 1}] x', ""];
    for (const text of broken) {
      const found = await read(text, "json", [1]);
      expect(
        found.filter(([, value]) => value === undefined),
        text,
      ).toHaveLength(1);
    }
  });

  it("that are too long, or no UTF-8, are refused alone", async () => {
    const long = "x".repeat(maxRecordBytes + 1);
    expect(await read(`1\n"${long}"\n2\n`, "jsonl", [70_000])).toEqual([
      [1, 1],
      [2, undefined],
      [3, 2],
    ]);
    const csv = await read(`a,b\n"${long}\n,c\nd,e\n`, "csv", [70_000]);
    expect(csv).toEqual([
      [1, ["a", "b"]],
      [2, undefined],
      [3, ["", "c"]],
      [4, ["d", "e"]],
    ]);
    const latin = Buffer.concat([Buffer.from('"a"\n"'), Buffer.from([0xe9]), Buffer.from('"\n"b"\n')]);
    expect(await read(latin, "jsonl")).toEqual([
      [1, "a"],
      [2, undefined],
      [3, "b"],
    ]);
  });
});

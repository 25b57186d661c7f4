// What an export writes, an import reads: the same samples with the same digests, whatever is in them.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageEncoder } from "../../../../gateway/json/encode.ts";
import { SampleSchema } from "../../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import type { Sample } from "../../../../src/domain/measure/dataset/dataset-sample.ts";
import { readMapping } from "../../../../src/domain/measure/dataset/import-mapping.ts";
import { type ImportFormat, readRecords } from "../../../../src/domain/measure/dataset/import-record.ts";
import { type ReadRecord, RecordReader } from "../../../../src/domain/measure/dataset/record-reader.ts";
import { checkSample } from "../../../../src/domain/measure/dataset/sample-check.ts";
import {
  emptySample,
  hashSample,
  readContent,
  type SampleContent,
} from "../../../../src/domain/measure/dataset/sample-content.ts";
import { outcomeNames, splitNames, stageNames } from "../../../../src/domain/measure/dataset/sample-name.ts";
import { csvHeader, csvOf, jsonLineOf } from "../../../../src/rpc/measure/dataset/dataset-export.ts";

const writeSample = messageEncoder(SampleSchema);

// Everything that begins a formula, ends a cell, a line or a text in some format, or is no character at all.
const hostile = fc.constantFrom(
  ...["=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠", "'", '"', ",", "|", "\\", "[", "{", "}", "]"],
  ...[
    "\uFEFF",
    "\u2028",
    "\u0085",
    "\u0001",
    " ",
    "😀",
    "é",
    "e\u0301",
    "a",
    "1",
    "null",
    "true",
    "=1+1",
    "''=",
    "\r\n",
  ],
);
const texts = fc.string({ unit: hostile, minLength: 1, maxLength: 12 });
// PostgreSQL has no U+0000 in what it can search.
const names = texts.map((text) => text.replaceAll("\0", "0"));
const lists = fc.uniqueArray(names, { maxLength: 4 });
const keys = fc.oneof(texts, fc.constantFrom("__proto__", "constructor", "toString", ""));
const values: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.oneof(texts, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.array(fc.tuple(keys, tie("value")), { maxLength: 3 }).map((entries) => JSON.parse(objectText(entries))),
})).value;
const objects = fc
  .array(fc.tuple(keys, values), { maxLength: 3 })
  .map((entries): JsonObject => JSON.parse(objectText(entries)));

/** An object as JSON.parse makes it, so that "__proto__" is a name like any other. */
function objectText(entries: readonly (readonly [string, JsonValue])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`;
}

const bodies = fc.oneof(
  texts.map((text) => ({ text })),
  fc
    .array(
      fc.record({ role: fc.constantFrom(null, "user", "system", "tool"), text: fc.oneof(texts, fc.constant("")) }),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .filter((segments) => segments.some(({ text }) => text !== ""))
    .map((segments) => ({ segments })),
  fc
    .array(fc.record({ name: names, arguments: fc.option(objects) }), { minLength: 1, maxLength: 3 })
    .map((toolCalls) => ({ toolCalls })),
  // One that was copied from a trace of which no text was kept.
  fc.record({
    source: fc.record({ traceId: fc.uuid(), annotationIds: fc.array(fc.uuid(), { maxLength: 2 }) }),
    facts: objects,
  }),
);

const contents: fc.Arbitrary<SampleContent> = fc
  .tuple(
    bodies,
    fc.record(
      {
        ...{ externalId: names, stage: fc.constantFrom(...stageNames), language: fc.constantFrom("de", "pt-BR") },
        ...{ labels: lists, expectedOutcome: fc.constantFrom(...outcomeNames), mustMatch: lists, group: names },
        ...{ tags: lists, split: fc.constantFrom(...splitNames), isRedacted: fc.boolean(), isGray: fc.boolean() },
        weight: fc.double({ min: Number.MIN_VALUE, max: 1_000, noNaN: true }),
        source: fc.record({ traceId: fc.uuid(), annotationIds: fc.array(fc.uuid(), { maxLength: 2 }) }),
      },
      { requiredKeys: [] },
    ),
    fc.array(fc.record({ segment: fc.constant(0), start: fc.constant(0), end: fc.constant(1), label: names }), {
      maxLength: 2,
    }),
  )
  .map(([body, rest, spans]) => ({ ...emptySample, ...rest, ...body, ...("text" in body ? { spans } : {}) }))
  .filter((content) => checkSample(content).length === 0);

function exported(content: SampleContent, isTextWithheld = false): Sample {
  const stored = readContent(hashSample(content).bytes);
  const row = { sampleId: "00000000-0000-4000-8000-000000000000", contentHash: Buffer.alloc(16), sinceVersion: 1 };
  return { row: { ...row, trainedOn: false } as unknown as Sample["row"], content: stored, isTextWithheld }; // all of it that is written
}

function fileOf(samples: readonly Sample[], format: ImportFormat): string {
  if (format === "csv") return csvHeader() + samples.map(csvOf).join("");
  const lines = samples.map((sample) => jsonLineOf(sample, writeSample));
  return format === "jsonl" ? lines.join("") : `[${lines.join(",")}]`;
}

async function imported(file: string | Uint8Array, format: ImportFormat, mapping?: string): Promise<ReadRecord[]> {
  const reader = new RecordReader({ format, mapping: readMapping(mapping) });
  const found: ReadRecord[] = [];
  const pieces = async function* () {
    yield Buffer.from(file);
  };
  for await (const records of readRecords(pieces(), format)) {
    for (const record of records) found.push(...[reader.read(record) ?? []].flat());
  }
  return found;
}

const formats = ["csv", "jsonl", "json"] as const;

describe("a dataset that is exported and imported again", () => {
  it.each(formats)("is the same by %s, whatever its samples say", async (format) => {
    const { n, seed } = sampleOf({ n: 500, seed: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(contents, { minLength: 1, maxLength: 3 }), async (given) => {
        const read = await imported(
          fileOf(
            given.map((content) => exported(content)),
            format,
          ),
          format,
        );
        const digests = read.map((record) => ("content" in record ? hashSample(record.content).digest : record));
        expect(digests).toEqual(given.map((content) => hashSample(content).digest));
      }),
      { numRuns: n, seed },
    );
    reportSample({ n, failures: 0 });
  });

  it.each(formats)("is the same by %s at the bounds of its fields", async (format) => {
    const astral = (length: number) => "😀".repeat(length);
    const many = (count: number, length: number) =>
      Array.from({ length: count }, (_, at) => `${astral(length - 2)}${String(at).padStart(2, "0")}`);
    const large: SampleContent = {
      ...emptySample,
      // JSON has six bytes for each of these, CSV two for each quote.
      text: `${'"'.repeat(1_000)}${"\u0001".repeat(256 * 1024 - 1_000)}`,
      ...{ externalId: astral(256), group: astral(256), labels: many(32, 128), tags: many(32, 128) },
      ...{ mustMatch: many(32, 256), mustNotMatch: many(31, 255) },
      spans: Array.from({ length: 200 }, (_, at) => ({ segment: 0, start: at, end: at + 1, label: astral(128) })),
    };
    const turns: SampleContent = {
      ...emptySample,
      segments: Array.from({ length: 200 }, () => ({ role: "assistant", text: "\u0001".repeat(1_000) })),
    };
    expect([...checkSample(large), ...checkSample(turns)]).toEqual([]);
    const read = await imported(fileOf([exported(large), exported(turns)], format), format);
    expect(read.map((record) => ("content" in record ? hashSample(record.content).digest : record))).toEqual(
      [large, turns].map((content) => hashSample(content).digest),
    );
  });

  it("keeps what only looks like an escaped formula, and the files of others as they are", async () => {
    const wanted = ["=1", "'=1", "''=1", "'", "-", "'-1", "\t=1"];
    const own = fileOf(
      wanted.map((text) => exported({ ...emptySample, text, labels: ["=x"], group: "@y" })),
      "csv",
    );
    const textsOf = (records: readonly ReadRecord[]) =>
      records.map((record) => ("content" in record ? record.content.text : record));
    expect(textsOf(await imported(own, "csv"))).toEqual(wanted);
    // Whatever opens the file finds no formula in it.
    for (const cell of own
      .split("\r\n")
      .slice(1)
      .flatMap((line) => line.split(/(?<="),(?=")/))) {
      expect(cell).not.toMatch(/^"[=+\-@\t]/);
    }
    expect(textsOf(await imported("text\n'=1\n", "csv"))).toEqual(["'=1"]);
    const mapping = JSON.stringify({ fields: { text: "text", group: "group" } });
    expect(await imported(own, "csv", mapping)).toMatchObject(
      wanted.map((text) => ({ content: { text, group: "@y", labels: [] } })),
    );
  });

  it.each(formats)(
    "says by %s which texts were withheld from whoever exported it, and takes the others",
    async (format) => {
      const source = { traceId: "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11", annotationIds: [] };
      const bare = { ...emptySample, source, facts: { signals: [] } };
      const withheld = [
        exported({ ...emptySample, source, text: null }, true),
        exported({ ...emptySample, source, segments: [{ role: "user", text: "" }] }, true),
        exported({ ...emptySample, source, toolCalls: [{ name: "pay", arguments: null }] }, true),
      ];
      const read = await imported(fileOf([...withheld, exported(bare)], format), format);
      expect(read.slice(0, 3)).toMatchObject(withheld.map(() => ({ problems: [{ field: "text", code: "withheld" }] })));
      expect(read.at(-1)).toEqual({ content: bare });
    },
  );

  it("refuses half of a surrogate pair, U+0000 in a name, and bytes that are no UTF-8", async () => {
    const lines = [
      '{"text": "\\ud800"}',
      '{"text": "a", "labels": ["a\\u0000b"]}',
      '{"text": "a\\u0000b"}',
      '{"text": "a", "group": "\\udc00"}',
    ];
    const found = (await imported(lines.join("\n"), "jsonl")).map((record) =>
      "problems" in record ? record.problems.map(({ field, code }) => [field, code]) : record.content.text,
    );
    expect(found).toEqual([[["text", "malformed"]], [["labels", "malformed"]], "a\0b", [["group", "malformed"]]]);
    const lone = Buffer.concat([Buffer.from("text\n"), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from("\nb\n")]);
    expect(await imported(lone, "csv")).toMatchObject([
      { line: 2, problems: [{ code: "malformed", message: expect.stringContaining("UTF-8") }] },
      { content: { text: "b" } },
    ]);
  });
});

import { create, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { SampleSchema } from "../../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import type { DatasetService } from "../../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import type { DatasetExports } from "../../../domain/measure/dataset/dataset-export.ts";
import type { Sample } from "../../../domain/measure/dataset/dataset-sample.ts";
import { escapedColumn, withheldColumn } from "../../../domain/measure/dataset/import-mapping.ts";
import { csvLine, isFormula } from "../../../kit/archive/csv.ts";
import { callerOf } from "../../../kit/rpc/context.ts";
import { sampleMessage } from "./dataset-sample.ts";

/** Writes a sample as the JSON of the API. */
export type SampleWriter = (message: MessageShape<typeof SampleSchema>) => JsonValue;

/** Handlers of exports. */
export function exportHandlers(
  exports: DatasetExports,
  writeSample: SampleWriter,
): Pick<ServiceImpl<typeof DatasetService>, "exportDataset"> {
  const line = (sample: Sample) => jsonLineOf(sample, writeSample);
  return {
    async *exportDataset({ datasetId, version, format, after }, context) {
      const isCsv = format === "csv";
      const form = { version, after, format: isCsv ? "csv" : "jsonl" } as const;
      const { name, digest, pages, ...opened } = await exports.open(callerOf(context), datasetId, form);
      const file = `${name}-${opened.version}.${form.format}`;
      context.responseHeader.set("Content-Disposition", `attachment; filename="${file}"`);
      context.responseHeader.set("X-Dataset-Version", String(opened.version));
      context.responseHeader.set("X-Dataset-Digest", digest.toString("hex"));
      const contentType = isCsv ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson";
      if (isCsv && after === undefined) yield { contentType, data: Buffer.from(csvHeader()) };
      for await (const page of pages) {
        yield { contentType, data: Buffer.from(page.map(isCsv ? csvOf : line).join("")) };
        context.signal.throwIfAborted();
      }
      yield { contentType, data: new Uint8Array() };
    },
  };
}

/** A sample as a line of JSONL. */
export function jsonLineOf(sample: Sample, writeSample: SampleWriter): string {
  return `${JSON.stringify(writeSample(create(SampleSchema, sampleMessage(sample))))}\n`;
}

/** The names of the columns. */
export function csvHeader(): string {
  return csvLine([...columns.map(([column]) => column), escapedColumn]);
}

/** A sample as a record of CSV, which an import reads again. */
export function csvOf(sample: Sample): string {
  const cells = columns.map(([, cell]) => cell(sample));
  // The line adds an apostrophe to what a spreadsheet would run. A text may also begin with one of its own.
  const escaped = columns.flatMap(([column], at) => (isFormula(cells[at] ?? "") ? [column] : []));
  return csvLine([...cells, list(escaped)]);
}

const list = (items: readonly unknown[]) => (items.length === 0 ? "" : JSON.stringify(items));

const columns: readonly (readonly [string, (sample: Sample) => string])[] = [
  ["id", ({ row }) => row.sampleId],
  ["external_id", ({ content }) => content.externalId ?? ""],
  ["text", ({ content }) => content.text ?? ""],
  ["segments", ({ content }) => list(content.segments)],
  ["tool_calls", ({ content }) => list(content.toolCalls)],
  ["stage", ({ content }) => content.stage],
  ["language", ({ content }) => content.language ?? ""],
  ["labels", ({ content }) => list(content.labels)],
  ["expected_outcome", ({ content }) => content.expectedOutcome ?? ""],
  ["must_match", ({ content }) => list(content.mustMatch)],
  ["must_not_match", ({ content }) => list(content.mustNotMatch)],
  ["spans", ({ content }) => list(content.spans)],
  ["group", ({ content }) => content.group ?? ""],
  ["tags", ({ content }) => list(content.tags)],
  ["split", ({ content }) => content.split ?? ""],
  ["weight", ({ content }) => String(content.weight)],
  ["is_redacted", ({ content }) => String(content.isRedacted)],
  ["is_gray", ({ content }) => String(content.isGray)],
  ["source", ({ content: { source } }) => (source === null ? "" : JSON.stringify(sourceOf(source)))],
  ["facts", ({ content: { facts } }) => (facts === null ? "" : JSON.stringify(facts))],
  [withheldColumn, ({ isTextWithheld }) => String(isTextWithheld)],
];

function sourceOf({ traceId, annotationIds }: NonNullable<Sample["content"]["source"]>) {
  return { trace_id: traceId, annotation_ids: annotationIds };
}

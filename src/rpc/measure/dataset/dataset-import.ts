import type { JsonObject, JsonValue, MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import {
  type DatasetImportSchema,
  ImportFormat,
  ImportSource,
} from "../../../../gen/policyguard/control/v1/dataset_import_pb.ts";
import type {
  DatasetService,
  ImportSamplesRequest,
} from "../../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { RunState } from "../../../../gen/policyguard/control/v1/run_pb.ts";
import type { DatasetImports, ImportInput } from "../../../domain/measure/dataset/dataset-import.ts";
import type { ImportProblem } from "../../../domain/measure/dataset/import-write.ts";
import { csvLine } from "../../../kit/archive/csv.ts";
import { Fault, validationFailed } from "../../../kit/fault/fault.ts";
import { callerOf } from "../../../kit/rpc/context.ts";
import { pageOf } from "../../../kit/rpc/page.ts";
import { timestamp } from "../../time.ts";
import { duplicateAction } from "./dataset-sample.ts";

type Row = Awaited<ReturnType<DatasetImports["get"]>>;

/** The methods about imports. */
export type ImportMethods = Pick<
  ServiceImpl<typeof DatasetService>,
  "importSamples" | "listImports" | "getImport" | "cancelImport" | "downloadImportErrors"
>;

/** The largest body that names an address instead of being a file. */
const maxOrderBytes = 64 * 1024;

/** Handlers of the methods about imports. */
export function importHandlers(imports: DatasetImports): ImportMethods {
  return {
    importSamples: async (requests, context) => ({
      import: importMessage(await importSamples(imports, requests, context)),
    }),
    listImports: async ({ datasetId, ...request }, context) => {
      const page = pageOf(request);
      const [rows, total] = await imports.list(callerOf(context), datasetId, page);
      return { total, ...page, imports: rows.map((row) => ({ ...importMessage(row), errors: [] })) };
    },
    getImport: async ({ datasetId, importId }, context) => ({
      import: importMessage(await imports.get(callerOf(context), datasetId, importId)),
    }),
    cancelImport: async ({ datasetId, importId }, context) => ({
      import: importMessage(await imports.cancel(callerOf(context), datasetId, importId)),
    }),
    async *downloadImportErrors({ datasetId, importId }, context) {
      const row = await imports.get(callerOf(context), datasetId, importId);
      const lines = problemsOf(row).map(({ line, column, field, code, message }) =>
        csvLine([String(line), column === null ? "" : String(column), field ?? "", code, message]),
      );
      context.responseHeader.set("Content-Disposition", 'attachment; filename="import-errors.csv"');
      const data = Buffer.from(csvLine(["line", "column", "field", "code", "message"]) + lines.join(""));
      yield { contentType: "text/csv; charset=utf-8; header=present", data };
    },
  };
}

// The first message says what is imported; each further one has the next bytes of the file.
async function importSamples(
  imports: DatasetImports,
  requests: AsyncIterable<ImportSamplesRequest>,
  context: HandlerContext,
): Promise<Row> {
  const caller = callerOf(context);
  const iterator = requests[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw validationFailed([{ field: "dataset_id", message: "no message names the dataset" }]);
  const request = first.value;
  const { datasetId, url } = request;
  const input = inputOf(request);
  const file = bytesOf(request, iterator);
  const opening = await file.next();
  const { contentType = "", data = new Uint8Array() } = opening.done === true ? {} : opening.value;
  if (url !== undefined) {
    if (data.byteLength > 0)
      throw validationFailed([{ field: "url", message: "a file came too; give one of them, the file or its address" }]);
    return imports.importUrl(caller, datasetId, url, { ...input, format: formatOf(request, url) });
  }
  const format = formatOf(request, "", contentType);
  const rest = restOf(data, file);
  const isOrder = format === "json" && /^\s*\{/.test(Buffer.from(data.subarray(0, 1024)).toString("latin1"));
  if (!isOrder)
    return imports.importBody(caller, datasetId, { ...input, format }, { file: rest, signal: context.signal });
  const order = await readOrder(rest);
  return imports.importUrl(caller, datasetId, order.url, { ...input, ...order.input });
}

function inputOf({ mapping, onDuplicate, sha256 }: ImportSamplesRequest): Omit<ImportInput, "format"> {
  return { mapping, onDuplicate: duplicateAction(onDuplicate), sha256 };
}

const formats: Readonly<Record<number, ImportInput["format"]>> = {
  [ImportFormat.JSONL]: "jsonl",
  [ImportFormat.CSV]: "csv",
  [ImportFormat.JSON]: "json",
};

function formatOf(
  { format }: Pick<ImportSamplesRequest, "format">,
  url: string,
  contentType = "",
): ImportInput["format"] {
  const named = formats[format];
  if (named !== undefined) return named;
  const path = URL.parse(url)?.pathname.toLowerCase() ?? "";
  if (/\.csv(?:\.gz)?$/.test(path) || contentType.startsWith("text/csv")) return "csv";
  if (/\.json(?:\.gz)?$/.test(path) || contentType.startsWith("application/json")) return "json";
  return "jsonl";
}

interface FilePiece {
  readonly contentType: string;
  readonly data: Uint8Array;
}

async function* bytesOf(
  first: ImportSamplesRequest,
  rest: AsyncIterator<ImportSamplesRequest>,
): AsyncGenerator<FilePiece, void> {
  if (first.file !== undefined) yield first.file;
  try {
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      if (next.value.file !== undefined) yield next.value.file;
    }
  } catch (error) {
    throw withAdvice(error);
  }
}

/** A file that is too large for a body: what to do instead. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof Fault) || error.reason !== Reason.TOO_LARGE) return error;
  const { reason, message, extra } = error;
  const advice = "compress it by gzip, send JSONL in parts, or have the server fetch it by url";
  return new Fault(reason, `${message}; ${advice}`, { extra, cause: error });
}

async function* restOf(first: Uint8Array, rest: AsyncGenerator<FilePiece, void>): AsyncGenerator<Uint8Array, void> {
  if (first.byteLength > 0) yield first;
  for await (const { data } of rest) yield data;
}

const orderMembers = ["url", "sha256", "format", "mapping", "on_duplicate"];

/** A body that names an address: its members are the parameters of the call. */
async function readOrder(file: AsyncIterable<Uint8Array>) {
  const { url, sha256, format, mapping, on_duplicate: onDuplicate, ...others } = await jsonOf(file);
  const wrong = [
    ...Object.keys(others).map((name) => ({
      field: `file.${name}`,
      message: `is unknown; expected ${orderMembers.join(", ")}`,
    })),
    ...(typeof url === "string" ? [] : [{ field: "file.url", message: "expected an address" }]),
    ...(sha256 === undefined || (typeof sha256 === "string" && /^[0-9a-f]{64}$/i.test(sha256))
      ? []
      : [{ field: "file.sha256", message: "expected 64 hexadecimal digits" }]),
    ...(isOneOf(format, ["jsonl", "csv", "json"])
      ? []
      : [{ field: "file.format", message: "expected jsonl, csv or json" }]),
    ...(isOneOf(onDuplicate, ["skip", "replace", "reject"])
      ? []
      : [{ field: "file.on_duplicate", message: "expected skip, replace or reject" }]),
  ];
  if (wrong.length > 0) throw validationFailed(wrong);
  const address = String(url);
  const named = format === undefined ? formatOf({ format: ImportFormat.UNSPECIFIED }, address) : String(format);
  return {
    url: address,
    input: {
      format: named as ImportInput["format"], // checked above
      ...(mapping === undefined ? {} : { mapping: typeof mapping === "string" ? mapping : JSON.stringify(mapping) }),
      ...(onDuplicate === undefined ? {} : { onDuplicate: String(onDuplicate) as ImportInput["onDuplicate"] }), // as above
      ...(sha256 === undefined ? {} : { sha256: String(sha256) }),
    },
  };
}

function isOneOf(value: JsonValue | undefined, names: readonly string[]): boolean {
  return value === undefined || (typeof value === "string" && names.includes(value));
}

async function jsonOf(file: AsyncIterable<Uint8Array>): Promise<JsonObject> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of file) {
    size += piece.byteLength;
    if (size > maxOrderBytes) break;
    pieces.push(piece);
  }
  const problem = "expected an array of samples, or an object with the url of a file";
  try {
    const json: JsonValue = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    if (size <= maxOrderBytes && typeof json === "object" && json !== null && !Array.isArray(json)) return json;
  } catch {
    // Told below, as every other text that is no order.
  }
  throw validationFailed([{ field: "file", message: problem }]);
}

const states = {
  queued: RunState.QUEUED,
  running: RunState.RUNNING,
  succeeded: RunState.SUCCEEDED,
  failed: RunState.FAILED,
  canceled: RunState.CANCELED,
} as const;

const sources = { body: ImportSource.BODY, url: ImportSource.URL, catalog: ImportSource.CATALOG } as const;

const formatEnums: Readonly<Record<string, ImportFormat>> = {
  jsonl: ImportFormat.JSONL,
  csv: ImportFormat.CSV,
  json: ImportFormat.JSON,
};

/** A format in the API's form. */
export function importFormatOf(format: string): ImportFormat {
  return formatEnums[format] ?? ImportFormat.UNSPECIFIED;
}

function problemsOf({ problems }: Row): ImportProblem[] {
  return problems == null ? [] : JSON.parse(problems);
}

/** An import in the API's form. */
export function importMessage(row: Row): MessageInitShape<typeof DatasetImportSchema> {
  const { id, datasetId, bytes, lines, added, replaced, duplicates, rejected, createdBy } = row;
  return {
    ...{ id, datasetId, state: states[row.state], source: sources[row.source], format: importFormatOf(row.format) },
    ...{ bytes, lines, added, replaced, duplicates, rejected, version: row.version ?? undefined, createdBy },
    errors: problemsOf(row).map(({ column, field, ...problem }) => ({
      ...problem,
      ...{ column: column ?? undefined, field: field ?? undefined },
    })),
    error: row.errorCode == null ? undefined : { code: row.errorCode, message: row.errorMessage ?? "" },
    ...{ createdAt: timestamp(row.createdAt), finishedAt: timestamp(row.finishedAt) },
  };
}

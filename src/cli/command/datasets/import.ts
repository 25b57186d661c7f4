import { existsSync, statSync } from "node:fs";
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { type DatasetImport, ImportFormat } from "../../../../gen/policyguard/control/v1/dataset_import_pb.ts";
import { DuplicateAction, type SampleProblem } from "../../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import type { ImportSamplesRequestSchema } from "../../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { defineCommand, integerOf, type Surroundings, type Values } from "../../command.ts";
import { allDatasets, datasetIdOf } from "../../dataset.ts";
import { fileBytes, lineParts, plainFile } from "../../dataset-file.ts";
import { exitCodes, Failure, fileFailure, refusal, usageFailure } from "../../failure.ts";
import { decode, readBytes } from "../../file.ts";
import { counted, type Output, shown } from "../../output.ts";
import { isId, type Organization, openOrganization, projectIdOf, serverOptions } from "../../server.ts";
import { serverFailure } from "../../server-failure.ts";

const maxBodyBytes = 256 * 2 ** 20;
const maxMappingBytes = 16_384;
/** The most bytes that a part holds in memory. */
const maxPartBytes = 64 * 2 ** 20;
const maxLine = 2 ** 31 - 1;

const options = {
  ...serverOptions,
  format: {
    type: "string",
    value: "FORMAT",
    choices: ["jsonl", "csv", "json"],
    help: "Default: by the ending of the file.",
  },
  mapping: { type: "string", value: "JSON|FILE", help: "How columns become fields of samples." },
  "on-duplicate": {
    type: "string",
    value: "ACTION",
    choices: ["skip", "replace", "reject"],
    help: "What becomes of a sample whose text is there already; default: skip.",
  },
  create: { type: "boolean", help: "Create the dataset when there is none of this name." },
  project: { type: "string", value: "ID|NAME", help: "With --create: the project that it belongs to." },
  "part-lines": { type: "string", value: "N", help: "Send JSONL as parts of so many lines, each a version." },
  "from-line": { type: "string", value: "N", help: "Begin with this line of a JSONL file, to go on after a break." },
} as const;

/** `policy-guard datasets import`: sends a file into a dataset. */
export const datasetsImport = defineCommand({
  name: "datasets import",
  summary: "Send a file of samples into a dataset.",
  positionals: { label: "<dataset> <file>", min: 2, max: 2 },
  options,
  notes: `The dataset is given by its name or its id, the file as JSONL, CSV or JSON, each also as gzip; "-" is standard input. The file is
one version, or none when it breaks off. With --part-lines each part is one, and a break tells from which line to go on.
It ends with 1 when a record was refused; the others are in the dataset.`,
  async run({ values, positionals: [dataset = "", path = ""], output, world }) {
    const format = formatOf(path, values.format);
    const maxLines = integerOf(values["part-lines"], "part-lines", 1);
    const fromLine = integerOf(values["from-line"], "from-line", 1) ?? 1;
    const isInParts = maxLines !== undefined || fromLine > 1;
    if (isInParts && format !== "jsonl") throw usageFailure("--part-lines and --from-line are for JSONL");
    const size = sizeOf(path);
    if (!isInParts && size !== undefined && size > maxBodyBytes) {
      const hint = "Compress it by gzip, send JSONL with --part-lines 100000, or let the server fetch it from a URL.";
      throw usageFailure(`${path} has ${megabytes(size)}; a file that is sent whole has at most 256 MiB`, hint);
    }
    const mapping = mappingOf(values.mapping);
    const server = await openOrganization(values, world);
    const datasetId = await targetId(server, dataset, values);
    const onDuplicate = actions[values["on-duplicate"] ?? "skip"];
    const head = { datasetId, format: formats[format], mapping, onDuplicate };
    const bytes = fileBytes(path, world.stdin);
    const send = (pieces: AsyncIterable<Uint8Array>, total: number | undefined) =>
      sendFile(server, head, withProgress(pieces, total, { output, world }));
    const imports: Sent[] = [];
    if (!isInParts) imports.push({ fromLine: 1, done: await send(bytes, size) });
    else {
      const parts = lineParts(plainFile(bytes, path), {
        fromLine,
        maxLines: maxLines ?? maxLine,
        maxBytes: maxPartBytes,
      });
      for await (const part of parts) {
        const done = await send(one(part.bytes), undefined).catch((error: unknown) => {
          throw brokenOff(error, part.fromLine);
        });
        imports.push({ fromLine: part.fromLine, done });
        const to = part.fromLine + part.lines - 1;
        output.note(`lines ${part.fromLine} to ${to}: ${done.added} added, version ${done.version ?? "unchanged"}`);
      }
    }
    return printImports(imports, path, output);
  },
});

const formats = { jsonl: ImportFormat.JSONL, csv: ImportFormat.CSV, json: ImportFormat.JSON };

const actions: Readonly<Record<string, DuplicateAction>> = {
  skip: DuplicateAction.SKIP,
  replace: DuplicateAction.REPLACE,
  reject: DuplicateAction.REJECT,
};

function formatOf(path: string, given: string | undefined): keyof typeof formats {
  const ending = /\.(jsonl|ndjson|csv|json)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase();
  const name = given ?? (ending === "ndjson" ? "jsonl" : ending);
  if (name === "jsonl" || name === "csv" || name === "json") return name;
  throw usageFailure(`${path}: the ending does not tell the format`, "Give --format jsonl, csv or json.");
}

function sizeOf(path: string): number | undefined {
  if (path === "-") return undefined;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw fileFailure(path, Object.assign(new Error("no such file"), { code: "ENOENT" }));
  return found.isFile() ? found.size : undefined;
}

/** The mapping, which the option has itself or names a file of. */
function mappingOf(given: string | undefined): string | undefined {
  if (given === undefined || given.trimStart().startsWith("{")) return given;
  if (!existsSync(given)) throw usageFailure("--mapping takes a JSON object, or a file with one");
  return decode(readBytes(given, maxMappingBytes), given);
}

async function targetId(
  server: Organization,
  dataset: string,
  { create, project }: Values<typeof options>,
): Promise<string> {
  if (create !== true || isId(dataset)) return datasetIdOf(server, dataset);
  const known = (await allDatasets(server)).find(({ name }) => name === dataset);
  if (known !== undefined) return known.id;
  const projectId = project === undefined ? undefined : await projectIdOf(server, project);
  const { dataset: made } = await server.datasets.createDataset({ orgId: server.orgId, name: dataset, projectId });
  if (made === undefined) throw refusal("no_answer", "the server answered without a dataset");
  return made.id;
}

type Head = { readonly datasetId: string } & Pick<
  MessageInitShape<typeof ImportSamplesRequestSchema>,
  "format" | "mapping" | "onDuplicate"
>;

type Message = MessageInitShape<typeof ImportSamplesRequestSchema>;

async function sendFile(
  { datasets, orgId }: Organization,
  { datasetId, ...head }: Head,
  pieces: AsyncIterable<Uint8Array>,
): Promise<DatasetImport> {
  const messages = async function* (): AsyncGenerator<Message, void> {
    yield { ...head, orgId, datasetId };
    // Each message names what it is about: the server holds the first one's access against all others.
    for await (const data of pieces) yield { orgId, datasetId, file: { data } };
  };
  // Without a limit of time: a file takes as long as it is large.
  const { import: done } = await datasets.importSamples(messages(), { timeoutMs: 0 });
  if (done === undefined) throw refusal("no_answer", "the server answered without an import");
  return done;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

/** The same bytes; where people look, with what was sent so far. */
async function* withProgress(
  pieces: AsyncIterable<Uint8Array>,
  total: number | undefined,
  { output, world: { stderr } }: { readonly output: Output; readonly world: Surroundings },
): AsyncGenerator<Uint8Array, void> {
  const isShown = stderr.isTTY === true && !output.isJson;
  let sent = 0;
  for await (const piece of pieces) {
    yield piece;
    sent += piece.byteLength;
    const whole = total === undefined ? "" : ` of ${megabytes(total)}`;
    if (isShown) stderr.write(`\r${megabytes(sent)}${whole} sent`);
  }
  if (isShown) stderr.write("\n");
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** The failure with the line from which to go on: what came before it is in the dataset. */
function brokenOff(error: unknown, fromLine: number): unknown {
  const failure = error instanceof Failure ? error : error instanceof Error ? serverFailure(error) : undefined;
  if (failure === undefined) return error;
  const { exitCode, code, message, detail } = failure;
  const hint = `Lines before ${fromLine} are in the dataset. Go on with --from-line ${fromLine}.`;
  return new Failure(exitCode, code, message, { hint, detail: { ...detail, from_line: fromLine }, cause: error });
}

interface Sent {
  readonly fromLine: number;
  readonly done: DatasetImport;
}

function printImports(sent: readonly Sent[], path: string, output: Output) {
  const sum = (name: "lines" | "added" | "replaced" | "duplicates" | "rejected") =>
    sent.reduce((all, { done }) => all + done[name], 0);
  const added = sum("added");
  const replaced = sum("replaced");
  const duplicates = sum("duplicates");
  const rejected = sum("rejected");
  const errors = sent.flatMap(({ fromLine, done }) =>
    done.errors.map((error) => ({ ...error, line: error.line + fromLine - 1 })),
  );
  const versions = sent.flatMap(({ done }) => (done.version === undefined ? [] : [done.version]));
  const imports = sent.map(({ done }) => done.id);
  output.json({
    ...{ imports, version: versions.at(-1) ?? null, lines: sum("lines"), added, replaced, duplicates, rejected },
    errors: errors.map(problemJson),
  });
  for (const error of errors) output.line(shown(`${path}:${error.line}${problemText(error)}`));
  if (errors.length < rejected) output.line(`… and ${rejected - errors.length} more`);
  const of = (count: number, what: string) => (count === 0 ? "" : `, ${count} ${what}`);
  const rest = `${of(replaced, "replaced")}${of(duplicates, "there already")}${of(rejected, "refused")}`;
  output.line(`${counted(added, "sample")} added${rest}; version ${versions.at(-1) ?? "unchanged"}`);
  return rejected === 0 ? exitCodes.fine : exitCodes.refused;
}

function problemText({ column, field, code, message }: SampleProblem): string {
  return `${column === undefined ? "" : `:${column}`}: ${field === undefined ? "" : `${field} `}${message} (${code})`;
}

function problemJson({ line, column, field, code, message }: SampleProblem): JsonObject {
  return { line, column: column ?? null, field: field ?? null, code, message };
}

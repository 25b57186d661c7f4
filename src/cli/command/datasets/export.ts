import { createReadStream, createWriteStream, existsSync, truncateSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { defineCommand, integerOf } from "../../command.ts";
import { datasetIdOf } from "../../dataset.ts";
import { exitCodes, refusal, usageFailure } from "../../failure.ts";
import { openOrganization, serverOptions } from "../../server.ts";

/** `policy-guard datasets export`: writes the samples of a version. */
export const datasetsExport = defineCommand({
  name: "datasets export",
  summary: "Write the samples of a dataset as JSONL or CSV.",
  positionals: { label: "<dataset>", min: 1, max: 1 },
  options: {
    ...serverOptions,
    version: { type: "string", value: "N", help: "The version; default: the newest." },
    format: { type: "string", value: "FORMAT", choices: ["jsonl", "csv"], help: "jsonl or csv. Default: jsonl." },
    out: {
      type: "string",
      short: "o",
      value: "FILE",
      help: "Where to write it, compressed when it ends with .gz; default: standard output.",
    },
    resume: { type: "boolean", help: "Go on with a JSONL file that broke off, after its last whole line." },
  },
  notes: `What is written can be imported again as it is. What was received stays when the connection breaks off; the exit code tells,
and --resume with the same --version goes on. --json needs --out.`,
  async run({ values, positionals: [dataset = ""], output, world }) {
    const { format = "jsonl", out, resume = false } = values;
    const version = integerOf(values.version, "version", 1);
    if (output.isJson && out === undefined) throw usageFailure("--json needs --out: the samples go to standard output");
    const isGzip = out?.endsWith(".gz") === true;
    if (resume && (out === undefined || isGzip || format !== "jsonl" || version === undefined))
      throw usageFailure("--resume needs --out with a plain JSONL file, and the --version that was exported");
    const server = await openOrganization(values, world);
    const datasetId = await datasetIdOf(server, dataset);
    const after = resume && out !== undefined && existsSync(out) ? await lastSample(out) : undefined;
    // Without a limit of time: an export takes as long as there are samples.
    const request = { orgId: server.orgId, datasetId, version, format, after };
    const answers = server.datasets.exportDataset(request, { timeoutMs: 0 });
    let bytes = 0;
    const parts = async function* () {
      for await (const { data } of answers) {
        bytes += data.length;
        yield data;
      }
    };
    const source = Readable.from(parts());
    const target = out === undefined ? world.stdout : createWriteStream(out, { flags: resume ? "a" : "w" });
    if (isGzip) await pipeline(source, createGzip(), target);
    else await pipeline(source, target, { end: out !== undefined });
    if (out !== undefined) output.line(`${bytes} bytes of samples: ${out}`);
    output.json({ file: out ?? null, format, bytes });
    return exitCodes.fine;
  },
});

const lineBreak = 0x0a;
const maxLineBytes = 64 * 2 ** 20;

/** The id of the last sample whose line is whole. What comes after it is cut off. */
async function lastSample(path: string): Promise<string | undefined> {
  let end = 0;
  let offset = 0;
  let last = Buffer.alloc(0);
  let held = Buffer.alloc(0);
  for await (const piece of createReadStream(path)) {
    const all = Buffer.concat([held, piece]);
    const at = all.lastIndexOf(lineBreak);
    if (at >= 0) {
      const from = all.subarray(0, at).lastIndexOf(lineBreak) + 1;
      last = Buffer.from(all.subarray(from, at));
      end = offset + at + 1;
    }
    held = Buffer.from(all.subarray(at + 1));
    offset += at + 1;
    if (held.length > maxLineBytes) throw notAnExport(path);
  }
  truncateSync(path, end);
  if (end === 0) return undefined;
  try {
    const { id }: { readonly id?: unknown } = JSON.parse(last.toString("utf8"));
    if (typeof id === "string") return id;
  } catch {
    // Told below, as every other line that is no sample.
  }
  throw notAnExport(path);
}

function notAnExport(path: string) {
  return refusal(
    "not_an_export",
    `${path}: its last whole line is no sample of an export, so nothing tells where to go on`,
  );
}

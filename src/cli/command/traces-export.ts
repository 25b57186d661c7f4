import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { defineCommand } from "../command.ts";
import { exitCodes, usageFailure } from "../failure.ts";
import { openOrganization } from "../server.ts";
import { traceFilterOf, traceOptions } from "../trace-filter.ts";

/** `policy-guard traces export`: writes all traces that match. */
export const tracesExport = defineCommand({
  name: "traces export",
  summary: "Write all traces that match, as CSV or JSONL.",
  positionals: { label: "", min: 0, max: 0 },
  options: {
    ...traceOptions,
    format: { type: "string", value: "FORMAT", choices: ["csv", "jsonl"], help: "csv or jsonl. Default: csv." },
    "include-text": {
      type: "boolean",
      help: "Write the captured text too, in JSONL, where the credential may see it.",
    },
    out: { type: "string", short: "o", value: "FILE", help: "Where to write it; default: standard output." },
  },
  notes: "What was received stays when the connection breaks off; the exit code tells. --json needs --out.",
  async run({ values, output, world }) {
    const { format = "csv", out } = values;
    if (output.isJson && out === undefined) throw usageFailure("--json needs --out: the traces go to standard output");
    const server = await openOrganization(values, world);
    const request = { ...(await traceFilterOf(server, values)), format, includeText: values["include-text"] };
    // Without a limit of time: an export takes as long as there are traces.
    const answers = server.traces.exportTraces(request, { timeoutMs: 0 });
    let bytes = 0;
    const parts = async function* () {
      for await (const { data } of answers) {
        bytes += data.length;
        yield data;
      }
    };
    const target = out === undefined ? world.stdout : createWriteStream(out);
    await pipeline(Readable.from(parts()), target, { end: out !== undefined });
    if (out !== undefined) output.line(`${bytes} bytes: ${out}`);
    output.json({ file: out ?? null, format, bytes });
    return exitCodes.fine;
  },
});

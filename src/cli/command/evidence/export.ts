import { defineCommand, integerOf } from "../../command.ts";
import { exitCodes, usageFailure } from "../../failure.ts";
import { replaceFileBy } from "../../file.ts";
import { openOrganization, serverOptions } from "../../server.ts";
import { timeOf } from "../../trace-filter.ts";

/** `policy-guard evidence export`: writes the log of evidence. */
export const evidenceExport = defineCommand({
  name: "evidence export",
  summary: "Write the log of evidence, as JSONL, CSV or a ZIP for an auditor.",
  positionals: { label: "--out <file>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    format: { type: "string", value: "FORMAT", choices: ["jsonl", "csv", "zip"], help: "Default: zip." },
    out: { type: "string", short: "o", value: "FILE", help: "Where to write it." },
    "tree-size": { type: "string", value: "N", help: "Size of the checkpoint to export; default: the newest." },
    action: { type: "string", value: "ACTION", help: 'Entries of this action, such as "bundle.publish".' },
    actor: { type: "string", value: "NAME", help: "Entries of this actor." },
    resource: { type: "string", value: "RESOURCE", help: "Entries about this resource." },
    control: { type: "string", value: "ID", help: 'Entries that speak to this control, such as "soc2-cc8.1".' },
    since: { type: "string", value: "TIME", help: "Entries made at or after this time, such as 2026-03-01T00:00:00Z." },
    until: { type: "string", value: "TIME", help: "Entries made before this time." },
  },
  notes: "FILE is there once the export is whole. One that breaks off leaves what was there before.",
  async run({ values, output, world }) {
    const { format = "zip", out, action, actor, resource, control } = values;
    if (out === undefined) throw usageFailure("--out is missing");
    const treeSize = integerOf(values["tree-size"], "tree-size", 1);
    const times = { since: timeOf(values.since, "since"), until: timeOf(values.until, "until") };
    const { evidence, orgId } = await openOrganization(values, world);
    const request = { orgId, format, treeSize, action, actor, resource, control, ...times };
    let bytes = 0;
    // Without a limit of time: an export takes as long as there are entries.
    const answers = evidence.exportEvidence(request, { timeoutMs: 0 });
    const parts = async function* () {
      for await (const { data } of answers) {
        bytes += data.length;
        yield data;
      }
    };
    await replaceFileBy(out, parts());
    output.line(`${bytes} bytes: ${out}`);
    output.json({ file: out, format, bytes });
    return exitCodes.fine;
  },
});

// What the ZIP of an export says to the auditor who opens it.

import type { JsonObject } from "@bufbuild/protobuf";
import { packageFiles } from "../../kit/evidence/package.ts";

/** The file that explains the others. */
export function readmeText({
  origin,
  query,
  checkpoint,
}: {
  readonly origin: string;
  readonly query: JsonObject;
  readonly checkpoint: { readonly size: number; readonly createdAt: Date };
}): string {
  const filters = Object.entries(query).map(([name, value]) => `- ${name}: ${JSON.stringify(value)}`);
  const selection = filters.length === 0 ? "All entries that are still kept." : `Entries with\n\n${filters.join("\n")}`;
  return `# Evidence

This is an export of the log of evidence ${origin}: who changed what in an organization.

It was taken from the log as it was signed at ${checkpoint.createdAt.toISOString()}, with ${checkpoint.size} entries
(0 to ${checkpoint.size - 1}). ${selection}

## How to verify it

You need the command \`policy-guard\` and the key of the log. Get the key from somebody whom you trust, not from this ZIP:
${packageFiles.keys} shows what it looks like, and whoever forged the log would have put another key there. It works
offline.

\`\`\`sh
policy-guard evidence verify evidence.zip --key log-keys.txt
\`\`\`

If you kept a checkpoint of this log earlier, add \`--checkpoint <file>\`: the command then also shows that nothing that was
in the log at that time was changed or removed since.

## What is in it

| file | what it is |
| --- | --- |
| ${packageFiles.log} | The entries, and the hashes that lead from each to the signed root. Everything in it is verified. |
| entries.csv | The same entries as a table. |
| activations.jsonl | What was put into force: each entry that names the digest of a signed activation. |
| gates.jsonl | Gates as they were set, their results, overrides, and approvals of versions. |
| tests.jsonl | The tests of each version of a policy, its rules, and the controls that it names. |
| benchmarks.jsonl | Measurements that were begun and finished, and those that were approved as a baseline. |
| annotations.csv | Marks of decisions as right or wrong, as they were made, changed and withdrawn. |
| ${packageFiles.bundles} | The manifest of each version that was made: its parts, by their digests. The log names the manifest's digest. |
| ${packageFiles.gaps} | What this export does not have: entries that are left out, values that were erased or too long, manifests that were deleted. |
| ${packageFiles.controls} | Which entries, rules and tests speak to which control of usual frameworks, in the words of Policy Guard, not of the frameworks. |
| ${packageFiles.checkpoints} | The last signed checkpoint of each day. In an export of everything they are compared with the log. |
| ${packageFiles.keys} | The keys of the log, as it publishes them. |
| ${packageFiles.manifest} | The query, and the size and SHA-256 of each file. |

From entries.csv to ${packageFiles.gaps}, the command makes each file again from the verified log, and compares.

## What it shows, and what it does not

Verified means: whoever held the key of the log signed that exactly these entries stand at these numbers. An entry that
was left out is said to be left out, by its number, and the log has an entry that says up to which number entries are past
their retention; the command counts those of which it does not (NOT PROVED). It does not mean that an entry tells the truth about what happened
outside of the service, nor that the operator has shown everybody the same log: for that, compare checkpoints with what
others kept. A value that was erased at somebody's request is shown as erased; the entry and every proof remain.

Which control an entry speaks to is a help to find it. Whether a control is met is yours to judge.
`;
}

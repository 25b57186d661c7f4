import { existsSync } from "node:fs";
import { Code, ConnectError } from "@connectrpc/connect";
import type { TreeHead } from "../../../kit/evidence/checkpoint.ts";
import { isConsistent } from "../../../kit/evidence/merkle.ts";
import { defineCommand, required } from "../../command.ts";
import { keptCheckpoint, readCheckpointFile, receivedCheckpoint } from "../../evidence/checkpoint-file.ts";
import { readLogKeys } from "../../evidence/log-keys.ts";
import { exitCodes } from "../../failure.ts";
import { replaceFile } from "../../file.ts";
import { type Organization, openOrganization, serverOptions } from "../../server.ts";

/** `policy-guard evidence watch`: one check of a witness, for a cron. */
export const evidenceWatch = defineCommand({
  name: "evidence watch",
  summary: "Check that the log of evidence continues what it was at the last check.",
  positionals: { label: "--key <file> --state <file>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    key: { type: "string", short: "k", value: "FILE", help: "Keys of the log: their texts, or log_keys as JSON." },
    state: { type: "string", value: "FILE", help: "Where the newest checkpoint is kept from one check to the next." },
  },
  notes: `The first check keeps the checkpoint that the server shows. Each later one demands the proof that the log continues
the kept one, and then keeps the newer. When it does not, the exit code is 1, the kept checkpoint stays, and FILE.fork
gets the one that contradicts it: both are signed by the log, and together they prove that it was changed.`,
  async run({ values, output, world }) {
    const keys = readLogKeys(required(values.key, "key"));
    const state = required(values.state, "state");
    const server = await openOrganization(values, world);
    const note = await newestCheckpoint(server);
    const newest = receivedCheckpoint(note, keys);
    const kept = existsSync(state) ? keptCheckpoint(state, keys) : undefined;
    const problem = kept && (await contradiction(server, kept, newest));
    if (problem !== undefined) {
      replaceFile(`${state}.fork`, note);
      output.line(`${output.styled("red", "fork")}: ${problem}`);
      output.line(`kept: ${state}; contradicted by: ${state}.fork`);
      output.json({ consistent: false, message: problem, kept: readCheckpointFile(state), received: note });
      return exitCodes.refused;
    }
    if (kept?.size !== newest.size) replaceFile(state, note);
    const added = newest.size - (kept?.size ?? 0);
    output.line(`${output.styled("green", "consistent")}: ${newest.size} entries, ${added} of them new`);
    output.json({ consistent: true, origin: newest.origin, tree_size: newest.size, added });
    return exitCodes.fine;
  },
});

async function newestCheckpoint({ evidence, orgId }: Organization): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const { data } of evidence.getEvidenceCheckpoint({ orgId })) parts.push(data);
  return Buffer.concat(parts).toString();
}

/** How the newest checkpoint contradicts the kept one, if it does. */
async function contradiction({ evidence, orgId }: Organization, kept: TreeHead, newest: TreeHead) {
  if (kept.origin !== newest.origin) return `the server shows another log, ${newest.origin}`;
  if (newest.size < kept.size) return `the log had ${kept.size} entries, and now has ${newest.size}`;
  const claim = { from: kept.size, fromRoot: kept.root, to: newest.size, toRoot: newest.root };
  try {
    const { hashes } = await evidence.getEvidenceConsistency({ orgId, from: kept.size, to: newest.size });
    const path = hashes.map((hash) => Buffer.from(hash, "hex"));
    if (isConsistent({ ...claim, path })) return undefined;
  } catch (error) {
    // A server that refuses the proof of what it signed proves nothing; one that cannot be reached says nothing.
    if (ConnectError.from(error).code !== Code.NotFound) throw error;
  }
  return `the log of ${newest.size} entries does not begin with the ${kept.size} that were kept`;
}

import { existsSync } from "node:fs";
import { Code, ConnectError } from "@connectrpc/connect";
import type { TreeHead } from "../../../kit/evidence/checkpoint.ts";
import { isConsistent } from "../../../kit/evidence/merkle.ts";
import { readOrigin } from "../../../kit/evidence/origin.ts";
import { defineCommand, integerOf, required } from "../../command.ts";
import { keptCheckpoint, readCheckpointFile, receivedCheckpoint } from "../../evidence/checkpoint-file.ts";
import { readLogKeys } from "../../evidence/log-keys.ts";
import { exitCodes, usageFailure } from "../../failure.ts";
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
    "accept-epoch": {
      type: "string",
      value: "N",
      help: "Begin anew with epoch N of a log that was restored from a backup.",
    },
  },
  notes: `The first check keeps the checkpoint that the server shows. Each later one demands the proof that the log continues
the kept one, and then keeps the newer. When it does not, the exit code is 1, the kept checkpoint stays, and FILE.fork
gets the one that contradicts it: both are signed by the log, and together they prove that it was changed. When the
operator says that a backup was restored, the log has a later epoch, and --accept-epoch begins anew: the checkpoint of the
former one stays as FILE.epoch-N.`,
  async run({ values, output, world }) {
    const keys = readLogKeys(required(values.key, "key"));
    const state = required(values.state, "state");
    const server = await openOrganization(values, world);
    const note = await newestCheckpoint(server);
    const newest = receivedCheckpoint(note, keys);
    const accepted = integerOf(values["accept-epoch"], "accept-epoch", 2);
    const kept = acceptEpoch(state, existsSync(state) ? keptCheckpoint(state, keys) : undefined, newest, accepted);
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

/** What is compared with the newest checkpoint: nothing where a restore was accepted, and its epoch begins. */
function acceptEpoch(state: string, kept: TreeHead | undefined, newest: TreeHead, accepted: number | undefined) {
  if (kept === undefined || accepted === undefined || kept.origin === newest.origin) return kept;
  const [was, is] = [readOrigin(kept.origin), readOrigin(newest.origin)];
  if (was === undefined || is === undefined || was.log !== is.log || is.epoch !== accepted || was.epoch >= is.epoch)
    throw usageFailure(
      `--accept-epoch ${accepted}: the server shows ${newest.origin}, and ${state} is of ${kept.origin}`,
    );
  replaceFile(`${state}.epoch-${was.epoch}`, readCheckpointFile(state));
  return undefined;
}

async function newestCheckpoint({ evidence, orgId }: Organization): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const { data } of evidence.getEvidenceCheckpoint({ orgId })) parts.push(data);
  return Buffer.concat(parts).toString();
}

/** How the newest checkpoint contradicts the kept one, if it does. */
async function contradiction({ evidence, orgId }: Organization, kept: TreeHead, newest: TreeHead) {
  if (kept.origin !== newest.origin) {
    const [was, is] = [readOrigin(kept.origin), readOrigin(newest.origin)];
    if (was !== undefined && is !== undefined && was.log === is.log && was.epoch < is.epoch)
      return `the log is in epoch ${is.epoch}: its operator says that it was restored from a backup; --accept-epoch ${is.epoch} begins anew once you know why`;
    return `the server shows another log, ${newest.origin}`;
  }
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

import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readSync } from "node:fs";
import { ZipError } from "../../../kit/archive/zip-reader.ts";
import { type KnownKeys, readTlogProof } from "../../../kit/evidence/checkpoint.ts";
import { type ProvedEntry, verifyEntryProof } from "../../../kit/evidence/entry-proof.ts";
import { LogError } from "../../../kit/evidence/log-verifier.ts";
import { NoteError } from "../../../kit/evidence/note.ts";
import { defineCommand, required } from "../../command.ts";
import { keptCheckpoints } from "../../evidence/checkpoint-file.ts";
import { readLogKeys } from "../../evidence/log-keys.ts";
import { PackageError, type VerifiedFile, verifyFile } from "../../evidence/verify-file.ts";
import { exitCodes, fileFailure } from "../../failure.ts";
import { decode, readBytes } from "../../file.ts";
import { type Output, shown } from "../../output.ts";

const proofStart = "c2sp.org/tlog-proof@";
const maxProofBytes = 65_536;

/** `policy-guard evidence verify`: verifies an export or a proof, offline. */
export const evidenceVerify = defineCommand({
  name: "evidence verify",
  summary: "Verify an export of the log of evidence, or a proof, offline.",
  positionals: { label: "<file> --key <file>", min: 1, max: 1 },
  options: {
    key: { type: "string", short: "k", value: "FILE", help: "Keys of the log: their texts, or log_keys as JSON." },
    checkpoint: {
      type: "string",
      multiple: true,
      value: "FILE",
      help: "A checkpoint kept earlier, or a page of them as GET …/evidence/checkpoints answers it, which the log has to continue. Several times for several files.",
    },
  },
  notes: `The file is an export as JSONL or ZIP, or a proof that \`evidence prove\` wrote. Get the key from somebody whom you
trust, not from the export. What is wrong is named by the number of the first entry that it is about.`,
  async run({ values, positionals: [path = ""], output }) {
    const keys = readLogKeys(required(values.key, "key"));
    try {
      if (startOf(path) === proofStart) showProof(verifyProof(path, keys), output);
      else {
        const kept = (values.checkpoint ?? []).flatMap((file) => keptCheckpoints(file, keys));
        showLog(await verifyFile(path, { keys, kept }), output);
      }
      return exitCodes.fine;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      output.line(`${output.styled("red", "refused")}: ${shown(error.message)}`);
      output.json({ verified: false, seq: error instanceof LogError ? error.seq : null, message: error.message });
      return exitCodes.refused;
    }
  },
});

function isRefusal(error: unknown): error is Error {
  return [LogError, PackageError, ZipError, NoteError].some((kind) => error instanceof kind);
}

function startOf(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(proofStart.length);
      return bytes.toString("latin1", 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileFailure(path, error);
  }
}

function verifyProof(path: string, keys: KnownKeys): ProvedEntry {
  const proof = readTlogProof(decode(readBytes(path, maxProofBytes), path));
  if (proof.extra === undefined) throw new NoteError("the proof has no leaf in its line `extra`, so it proves nothing");
  // What is not UTF-8 would be read as something else than it is.
  if (!isUtf8(proof.extra)) throw new NoteError("the leaf in the line `extra` is not text in UTF-8");
  return verifyEntryProof(proof, Buffer.from(proof.extra).toString(), keys);
}

function showProof({ head: { origin, size }, members }: ProvedEntry, output: Output): void {
  output.line(
    `${output.styled("green", "verified")}: entry ${members.seq} of ${shown(origin)}, signed with ${size} entries`,
  );
  for (const [name, value] of Object.entries(members)) output.line(`${name}: ${shown(String(value))}`);
  output.json({ verified: true, origin, tree_size: size, entry: members });
}

function showLog({ origin, size, root, ...log }: VerifiedFile, output: Output): void {
  const { entries, leftOut, unproved, erased, since, until, compared, ofOtherKeys, unverified } = log;
  output.line(`${output.styled("green", "verified")}: ${entries} entries of ${shown(origin)}`);
  output.line(`signed: ${size} entries, root ${root.toString("hex")}`);
  if (since !== undefined) output.line(`from ${shown(since)} to ${shown(String(until))}`);
  if (leftOut.retention > 0)
    output.line(`left out, past their retention: ${leftOut.retention}; their hashes are in the log`);
  if (unproved > 0)
    output.line(
      `NOT PROVED: of ${unproved} of them no entry of this export says that they were forgotten; ask for a whole export`,
    );
  if (leftOut.query > 0)
    output.line(`left out by the query of the export: ${leftOut.query}; their hashes are in the log`);
  if (erased > 0) output.line(`values that were erased: ${erased}; the entries are verified without them`);
  if (compared > 0) output.line(`continues ${compared} earlier checkpoints`);
  if (ofOtherKeys > 0) output.line(`not compared, since other keys signed them: ${ofOtherKeys} earlier checkpoints`);
  if (unverified.length > 0)
    output.line(`not verified against the log, since only the unsigned manifest names them: ${unverified.join(", ")}`);
  output.json({
    ...{ verified: true, origin, tree_size: size, root_hash: root.toString("hex"), entries },
    ...{
      left_out: { ...leftOut },
      unproved,
      erased,
      since: since ?? null,
      until: until ?? null,
      checkpoints: compared,
      unknown_signer: ofOtherKeys,
      unverified: [...unverified],
    },
  });
}

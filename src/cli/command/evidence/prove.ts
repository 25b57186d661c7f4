import { readTlogProof, tlogProofText } from "../../../kit/evidence/checkpoint.ts";
import { verifyEntryProof } from "../../../kit/evidence/entry-proof.ts";
import { NoteError } from "../../../kit/evidence/note.ts";
import { defineCommand, integerOf, required } from "../../command.ts";
import { readLogKeys } from "../../evidence/log-keys.ts";
import { exitCodes, refusal } from "../../failure.ts";
import { replaceFile } from "../../file.ts";
import { openOrganization, serverOptions } from "../../server.ts";

/** `policy-guard evidence prove`: writes a proof that stands for itself. */
export const evidenceProve = defineCommand({
  name: "evidence prove",
  summary: "Write the proof that an entry is in the log of evidence.",
  positionals: { label: "<seq> --key <file>", min: 1, max: 1 },
  options: {
    ...serverOptions,
    key: { type: "string", short: "k", value: "FILE", help: "Keys of the log: their texts, or log_keys as JSON." },
    "tree-size": { type: "string", value: "N", help: "Size of the checkpoint to prove it for; default: the newest." },
    out: { type: "string", short: "o", value: "FILE", help: "Where to write it; default: standard output." },
  },
  notes: `The proof is verified before it is written. It is a C2SP tlog-proof with the entry's leaf in its line "extra", so that
\`policy-guard evidence verify\` needs nothing but the key. Values that are commitments are not in it.`,
  async run({ values, positionals, output, world }) {
    const keys = readLogKeys(required(values.key, "key"));
    const seq = integerOf(positionals[0], "seq", 0) ?? 0;
    const treeSize = integerOf(values["tree-size"], "tree-size", 1);
    const { evidence, orgId } = await openOrganization(values, world);
    const { entry } = await evidence.getEvidence({ orgId, seq });
    const parts: Uint8Array[] = [];
    for await (const { data } of evidence.getEvidenceProof({ orgId, seq, treeSize, format: "tlog-proof" }))
      parts.push(data);
    const leaf = entry?.leaf ?? "";
    const proof = { ...readTlogProof(Buffer.concat(parts).toString()), extra: Buffer.from(leaf) };
    try {
      if (proof.index !== seq) throw new NoteError(`it is of entry ${proof.index}`);
      verifyEntryProof(proof, leaf, keys);
    } catch (error) {
      if (error instanceof NoteError) throw refusal("proof_invalid", `the server's proof: ${error.message}`);
      throw error;
    }
    const text = tlogProofText(proof);
    if (values.out !== undefined) {
      replaceFile(values.out, text);
      output.line(`entry ${seq} is proved: ${values.out}`);
    } else if (!output.isJson) output.raw(text);
    output.json({ seq, proof: text, file: values.out ?? null });
    return exitCodes.fine;
  },
});

import type { EvidenceEntry } from "../../../../gen/policyguard/control/v1/evidence_pb.ts";
import { publicJwkOf, trustKeys } from "../../../kit/crypto/signing-key.ts";
import { type KnownKeys, readTlogProof, verifyCheckpoint } from "../../../kit/evidence/checkpoint.ts";
import { verifyEntryProof } from "../../../kit/evidence/entry-proof.ts";
import { NoteError, type NoteKey, verifierKeyText } from "../../../kit/evidence/note.ts";
import { isSameLog } from "../../../kit/evidence/origin.ts";
import { defineCommand, required } from "../../command.ts";
import { readLogKeys } from "../../evidence/log-keys.ts";
import { exitCodes, refusal } from "../../failure.ts";
import { replaceFile } from "../../file.ts";
import { type Organization, openOrganization, serverOptions } from "../../server.ts";

/** A change of the log's keys, as an entry says it. */
interface KeyChange {
  readonly seq: number;
  readonly leaf: string;
  readonly action: string;
  readonly kid: string;
  /** The public half of a new key. */
  readonly x: string | undefined;
}

const maxPage = 200;

/** `policy-guard evidence keys`: follows a rotation of the log's key. */
export const evidenceKeys = defineCommand({
  name: "evidence keys",
  summary: "Follow a rotation of the log's key, by what the log itself says.",
  positionals: { label: "--key <file> --out <file>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    key: { type: "string", short: "k", value: "FILE", help: "Keys of the log that you trust." },
    out: { type: "string", short: "o", value: "FILE", help: "Where to write the keys to trust from now on." },
  },
  notes: `A new key is taken when the log has an entry about it in a checkpoint that a key which you trust has signed: the
entry's leaf names the key by its thumbprint. A key is dropped when such an entry says that it was revoked. Nothing else
that the server says about keys is believed.`,
  async run({ values, output, world }) {
    const known = readLogKeys(required(values.key, "key"));
    const out = required(values.out, "out");
    const server = await openOrganization(values, world);
    const { origin, total } = await server.evidence.listEvidenceCheckpoints({ orgId: server.orgId, limit: 1 });
    if (origin === undefined) throw refusal("no_checkpoint", "the log has no checkpoint yet");
    const trusted = new Map(keysOf(known, origin).map((key) => [kidOf(key), key]));
    if (trusted.size === 0) throw refusal("key_unknown", `none of the given keys is of the log ${origin}`);
    for (const change of await keyChanges(server)) {
      const { seq, kid } = change;
      if (change.action === rotation && trusted.has(kid)) continue;
      if (change.action === revocation && !trusted.has(kid)) continue;
      await verifyChange(server, change, { trusted: [...trusted.values()], total });
      if (change.action === revocation) trusted.delete(kid);
      else trusted.set(kid, keyOf(change, origin));
      output.line(`entry ${seq}: ${kid} ${change.action === revocation ? "was revoked" : "signs too"}`);
    }
    await assertSigned(server, [...trusted.values()]);
    replaceFile(out, [...trusted.values()].map((key) => `${verifierKeyText(key)}\n`).join(""));
    output.line(`${trusted.size} keys of ${origin}: ${out}`);
    output.json({ origin, keys: [...trusted.values()].map(verifierKeyText), file: out });
    return exitCodes.fine;
  },
});

const rotation = "signing_key.rotate";
const revocation = "signing_key.revoke";

function keysOf(known: KnownKeys, origin: string): NoteKey[] {
  const given = typeof known === "function" ? known(origin) : known.filter(({ name }) => isSameLog(name, origin));
  return given.map(({ key }) => ({ name: origin, key }));
}

function kidOf({ key }: NoteKey): string {
  return publicJwkOf(key.export({ format: "jwk" }).x ?? "").kid;
}

/** The entries about keys of the log, oldest first. */
async function keyChanges({ evidence, orgId }: Organization): Promise<KeyChange[]> {
  const found: EvidenceEntry[] = [];
  for (const action of [rotation, revocation]) {
    for (let offset = 0; ; offset += maxPage) {
      const page = await evidence.listEvidence({ orgId, action, limit: maxPage, offset });
      found.push(...page.evidence.filter(({ resource }) => resource.startsWith("log_key/")));
      if (offset + maxPage >= page.total) break;
    }
  }
  const changes = found.map(({ seq, leaf, action, resource, after }) => {
    const x = after?.kind.case === "structValue" ? after.kind.value.fields.x : undefined;
    return {
      ...{ seq, leaf, action, kid: resource.slice("log_key/".length) },
      x: x?.kind.case === "stringValue" ? x.kind.value : undefined,
    };
  });
  return changes.sort((a, b) => a.seq - b.seq);
}

/** The key that a rotation made: its thumbprint is in the leaf. */
function keyOf({ seq, kid, x = "" }: KeyChange, origin: string): NoteKey {
  const jwk = publicJwkOf(x);
  const key = jwk.kid === kid ? trustKeys([jwk]).get(kid) : undefined;
  if (key === undefined) throw refusal("proof_invalid", `entry ${seq}: the key that the server shows is not ${kid}`);
  return { name: origin, key };
}

/** Throws unless a trusted key signed a checkpoint of a log that has the entry. */
async function verifyChange(
  server: Organization,
  { seq, leaf, action, kid }: KeyChange,
  { trusted, total }: { readonly trusted: readonly NoteKey[]; readonly total: number },
): Promise<void> {
  const { evidence, orgId } = server;
  const treeSize = await firstSizeAbove(server, seq, total);
  const parts: Uint8Array[] = [];
  for await (const { data } of evidence.getEvidenceProof({ orgId, seq, treeSize, format: "tlog-proof" }))
    parts.push(data);
  try {
    const proof = readTlogProof(Buffer.concat(parts).toString());
    const { members } = verifyEntryProof(proof, leaf, trusted);
    if (members.seq !== seq || members.action !== action || members.resource !== `log_key/${kid}`)
      throw new NoteError("its leaf says something else");
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    const message = `entry ${seq} is about the log's keys, and no key that you trust vouches for it: ${error.message}`;
    throw refusal("key_unknown", message, { hint });
  }
}

const hint = "Get the new key from somebody whom you trust: GET /v1/bundles/keys names it in log_keys.";

/** The size of the first checkpoint that has the entry; checkpoints are listed from the newest. */
async function firstSizeAbove({ evidence, orgId }: Organization, seq: number, total: number): Promise<number> {
  let [low, high, best] = [0, total - 1, 0];
  while (low <= high) {
    const offset = Math.floor((low + high) / 2);
    const { checkpoints } = await evidence.listEvidenceCheckpoints({ orgId, limit: 1, offset });
    const size = checkpoints[0]?.treeSize ?? 0;
    if (size > seq) [best, low] = [size, offset + 1];
    else high = offset - 1;
  }
  if (best === 0) throw refusal("no_checkpoint", `entry ${seq} is in no checkpoint yet; try again in a minute`);
  return best;
}

/** Throws unless one of the keys signs the log as it is now. */
async function assertSigned({ evidence, orgId }: Organization, keys: readonly NoteKey[]): Promise<void> {
  const { checkpoints } = await evidence.listEvidenceCheckpoints({ orgId, limit: 1 });
  try {
    verifyCheckpoint(checkpoints[0]?.note ?? "", keys);
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    throw refusal("key_unknown", `no key that the log vouches for signed its newest checkpoint: ${error.message}`, {
      hint,
    });
  }
}

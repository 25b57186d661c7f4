// Attacks on the way of a bundle from the control plane to a runtime, by name: what somebody does who sits between
// them, has an older bundle, another environment's, or a key. docs/bundles.md has the same list.

import { clone, create } from "@bufbuild/protobuf";
import {
  type Bundle,
  BundleSchema,
  PartSchema,
  type Statement,
  StatementSchema,
} from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { GetLatestBundleResponse } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { RejectionReason } from "../../../runtime/bundle/rejection.ts";
import { maxBundleBytes } from "../../../src/kit/bundle/bundle-size.ts";
import type { SigningKey } from "../../../src/kit/crypto/signing-key.ts";
import { encodeStatement, signStatement } from "../../../src/kit/crypto/statement.ts";
import { header, manifestOf, message, resign, signedText, withFile } from "../resign.ts";

/** What an attacker may have. */
export interface AttackKit {
  /** A key of the attacker's own. */
  readonly own: SigningKey;
  /** Stolen keys of the organization: one that is believed, and one that was revoked since. */
  readonly stolen: SigningKey;
  readonly revoked: SigningKey;
  /** An earlier answer to the same runtime, and an answer to a runtime of another environment. */
  readonly older: Bundle;
  readonly foreign: Bundle;
  /** The key set from before the revocation. */
  readonly olderKeys: Statement;
  /** Sequence number of the activation that the runtime enforces. */
  readonly seqInForce: () => Promise<number>;
}

/** An attack, and the reason by which it is refused. */
export interface BundleAttack {
  readonly name: string;
  readonly reason: RejectionReason;
  /** Changes the bundle on its way. */
  readonly mischief?: (bundle: Bundle, kit: AttackKit) => Promise<void> | void;
  /** Changes the answer that brings it. */
  readonly pretence?: (answer: GetLatestBundleResponse, kit: AttackKit) => Promise<void> | void;
  /** Changes the compressed bytes of that answer. */
  readonly garble?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

/** What the attack does to an answer. */
export async function attack(
  { mischief, pretence }: BundleAttack,
  answer: GetLatestBundleResponse,
  kit: AttackKit,
): Promise<void> {
  await pretence?.(answer, kit);
  if (answer.bundle !== undefined) await mischief?.(answer.bundle, kit);
}

const day = 86_400_000;
const from = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Every attack on the wire. */
export const bundleAttacks: readonly BundleAttack[] = [
  {
    name: "stripped signature of the manifest",
    reason: "unsigned",
    mischief: ({ manifest }) => void manifest?.signatures.splice(0),
  },
  {
    name: "stripped signature of the activation",
    reason: "unsigned",
    mischief: ({ activation }) => void activation?.signatures.splice(0),
  },
  {
    name: "manifest left out",
    reason: "missing_statement",
    mischief: (bundle) => void Object.assign(bundle, { manifest: undefined }),
  },
  {
    name: "activation left out",
    reason: "missing_statement",
    mischief: (bundle) => void Object.assign(bundle, { activation: undefined }),
  },
  { name: "signed by an unknown key", reason: "unknown_kid", mischief: (bundle, { own }) => resign(bundle, {}, [own]) },
  {
    name: "signed by an unknown key, with a key set of its own",
    reason: "unknown_kid",
    mischief: async (bundle, { own }) => {
      await resign(bundle, {}, [own]);
      const org_id = manifestOf(bundle).org_id;
      const keys = [{ kid: own.kid, x: own.publicJwk.x, state: "active" as const }];
      bundle.keys = message(await signStatement("keys", { org_id, serial: 999, issued_at: from(0), keys }, [own]));
    },
  },
  {
    name: "signed by a revoked key",
    reason: "revoked_kid",
    mischief: (bundle, { revoked }) => resign(bundle, {}, [revoked]),
  },
  {
    name: "signed by a revoked key, with the key set from before",
    reason: "revoked_kid",
    mischief: async (bundle, { revoked, olderKeys }) => {
      await resign(bundle, {}, [revoked]);
      bundle.keys = clone(StatementSchema, olderKeys);
    },
  },
  {
    name: "foreign signature under a trusted key's name",
    reason: "bad_signature",
    mischief: async (bundle, { own }) => {
      const foreign = clone(BundleSchema, bundle);
      await resign(foreign, {}, [own]);
      const [mine, theirs] = [foreign.manifest?.signatures[0], bundle.manifest?.signatures[0]];
      if (mine && theirs) theirs.signature = mine.signature;
    },
  },
  {
    name: "wrong signature beside a right one",
    reason: "bad_signature",
    mischief: ({ activation }) => {
      const [first, second] = activation?.signatures ?? [];
      if (first === undefined || second === undefined) throw new Error("after a rotation two keys sign");
      second.signature = first.signature;
    },
  },
  {
    name: "two signatures under one name",
    reason: "duplicate_kid",
    mischief: ({ manifest }) => void manifest?.signatures.push(...manifest.signatures.slice(0, 1)),
  },
  {
    name: "more signatures than anybody needs",
    reason: "too_many_signatures",
    mischief: ({ manifest }) => {
      for (let i = 0; i < 4; i++) manifest?.signatures.push(...manifest.signatures.slice(0, 2));
    },
  },
  { name: "no key named", reason: "missing_kid", mischief: ({ manifest }) => header(manifest, { kid: undefined }) },
  {
    name: "another algorithm",
    reason: "wrong_algorithm",
    mischief: ({ manifest }) => header(manifest, { alg: "HS256" }),
  },
  { name: "no algorithm", reason: "wrong_algorithm", mischief: ({ manifest }) => header(manifest, { alg: "none" }) },
  {
    name: "activation passed off as a manifest",
    reason: "wrong_type",
    mischief: (bundle) => void Object.assign(bundle, { manifest: bundle.activation }),
  },
  {
    name: "manifest passed off as an activation",
    reason: "wrong_type",
    mischief: (bundle) => void Object.assign(bundle, { activation: bundle.manifest }),
  },
  {
    name: "changed manifest under its old signature",
    reason: "bad_signature",
    mischief: (bundle) => {
      const payload = { ...manifestOf(bundle), version: 9_999 };
      if (bundle.manifest) bundle.manifest.payload = Buffer.from(JSON.stringify(payload)).toString("base64url");
    },
  },
  {
    name: "replayed older activation",
    reason: "replayed_sequence",
    mischief: (bundle, { older }) => void Object.assign(bundle, clone(BundleSchema, older)),
  },
  {
    name: "older content under the new activation",
    reason: "digest_mismatch",
    mischief: (bundle, { older }) => {
      const { manifest, parts } = clone(BundleSchema, older);
      Object.assign(bundle, { manifest, parts });
    },
  },
  {
    name: "bundle of another environment",
    reason: "wrong_scope",
    mischief: (bundle, { foreign }) => void Object.assign(bundle, clone(BundleSchema, foreign)),
  },
  {
    name: "content of another environment under this one's activation",
    reason: "wrong_scope",
    mischief: (bundle, { foreign }) => {
      const { manifest, parts } = clone(BundleSchema, foreign);
      Object.assign(bundle, { manifest, parts });
    },
  },
  {
    name: "file changed",
    reason: "digest_mismatch",
    mischief: ({ parts: [part] }) => part && void Object.assign(part, { data: Buffer.from("{}") }),
  },
  {
    name: "file cut short",
    reason: "digest_mismatch",
    mischief: ({ parts: [part] }) => part && void Object.assign(part, { data: part.data.subarray(1) }),
  },
  {
    name: "file missing",
    reason: "missing_part",
    // One that the runtime does not have: it would take a file that it has from its own bundle.
    mischief: async (bundle, { stolen }) => {
      await withFile(bundle, "policies/missing.json", "{}", stolen);
      bundle.parts = bundle.parts.filter(({ path }) => path !== "policies/missing.json");
    },
  },
  {
    name: "file that the manifest does not list",
    reason: "extra_part",
    mischief: ({ parts }) =>
      void parts.push(create(PartSchema, { path: "policies/extra.json", data: Buffer.from("{}") })),
  },
  { name: "file twice", reason: "duplicate_part", mischief: ({ parts }) => void parts.push(...parts.slice(0, 1)) },
  {
    name: "stolen key: path that leaves the bundle",
    reason: "bad_path",
    mischief: (bundle, { stolen }) => withFile(bundle, "../bundle.json", "{}", stolen),
  },
  {
    name: "stolen key: expired activation",
    reason: "expired",
    mischief: (bundle, { stolen }) => resign(bundle, { activation: { expires_at: from(-1_000) } }, [stolen]),
  },
  {
    name: "stolen key: activation of the future",
    reason: "not_yet_valid",
    mischief: (bundle, { stolen }) => resign(bundle, { activation: { not_before: from(day) } }, [stolen]),
  },
  {
    name: "stolen key: bundle that needs a newer runtime",
    reason: "runtime_too_old",
    mischief: (bundle, { stolen }) => resign(bundle, { manifest: { min_runtime: "999.0.0" } }, [stolen]),
  },
  {
    name: "stolen key: content that does not compile",
    reason: "not_adopted",
    mischief: (bundle, { stolen }) => withFile(bundle, "policies/broken.json", "[", stolen),
  },
  {
    name: "stolen key: payload without a version",
    reason: "bad_payload",
    mischief: (bundle, { stolen }) => resign(bundle, { manifest: { version: 0 } }, [stolen]),
  },
  {
    name: "stolen key: another bundle under the sequence number in force",
    reason: "equivocation",
    mischief: async (bundle, { stolen, seqInForce }) =>
      resign(bundle, { activation: { activation_seq: await seqInForce() } }, [stolen]),
  },
  {
    name: "stolen key: payload that parsers could read differently",
    reason: "not_canonical",
    mischief: (bundle, { stolen }) => {
      const text = JSON.stringify(manifestOf(bundle), undefined, 1);
      bundle.manifest = signedText(bundle.manifest, text, stolen);
    },
  },
  {
    name: "file that makes the bundle too large",
    reason: "too_large",
    mischief: ({ parts }) => void parts.push(create(PartSchema, { path: "a", data: Buffer.alloc(maxBundleBytes) })),
  },
  {
    name: "answer that becomes too large when it is decompressed",
    reason: "too_large",
    mischief: ({ parts }) => void parts.push(create(PartSchema, { path: "a", data: Buffer.alloc(2 * maxBundleBytes) })),
  },
  {
    name: "answer whose gzip is cut short",
    reason: "malformed",
    garble: (bytes) => bytes.subarray(0, bytes.length / 2),
  },
  {
    name: "answer whose gzip is damaged",
    reason: "malformed",
    garble: (bytes) => bytes.map((byte, index) => (index < 10 ? byte : byte ^ 0x55)),
  },
  {
    name: "answer without a bundle",
    reason: "malformed",
    pretence: (answer) => void Object.assign(answer, { bundle: undefined, notModified: false }),
  },
  {
    name: "false 304 with an older activation",
    reason: "replayed_sequence",
    pretence: (answer, { older }) => notModified(answer, older.activation),
  },
  {
    name: "false 304 with the newer activation",
    reason: "equivocation",
    pretence: (answer) => notModified(answer, answer.bundle?.activation),
  },
  {
    name: "false 304 without an activation",
    reason: "malformed",
    pretence: (answer) => notModified(answer, undefined),
  },
  {
    name: "false 304 with another environment's activation",
    reason: "wrong_scope",
    pretence: (answer, { foreign }) => notModified(answer, foreign.activation),
  },
];

function notModified(answer: GetLatestBundleResponse, activation: Statement | undefined): void {
  const header = activation === undefined ? "" : encodeStatement(activation);
  Object.assign(answer, { notModified: true, bundle: undefined, activation: header });
}

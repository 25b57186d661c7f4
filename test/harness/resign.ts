// Bundles that an attacker changes, signs anew, or signs as none of ours would.

import { sign } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type Bundle, PartSchema, type Statement, StatementSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import {
  type ActivationPayload,
  contentDigest,
  type ManifestPayload,
  partEntry,
  readActivation,
  readManifest,
} from "../../src/kit/bundle/statement-payload.ts";
import type { SigningKey } from "../../src/kit/crypto/signing-key.ts";
import { signStatement, statementDigest } from "../../src/kit/crypto/statement.ts";

/** What the manifest says. */
export function manifestOf(bundle: Bundle): ManifestPayload {
  return readManifest(JSON.parse(Buffer.from(bundle.manifest?.payload ?? "", "base64url").toString("utf8")));
}

function activationOf(bundle: Bundle): ActivationPayload {
  return readActivation(JSON.parse(Buffer.from(bundle.activation?.payload ?? "", "base64url").toString("utf8")));
}

/** Signs both statements anew, changed or not. */
export async function resign(
  bundle: Bundle,
  change: { readonly manifest?: Partial<ManifestPayload>; readonly activation?: Partial<ActivationPayload> },
  keys: readonly SigningKey[],
): Promise<void> {
  const [manifest, activation] = [manifestOf(bundle), activationOf(bundle)];
  bundle.manifest = message(await signStatement("manifest", { ...manifest, ...change.manifest }, keys));
  const digest = statementDigest(bundle.manifest);
  bundle.activation = message(await signStatement("activation", { ...activation, digest, ...change.activation }, keys));
}

/** Adds a file, and signs the bundle with it. */
export async function withFile(bundle: Bundle, path: string, text: string, key: SigningKey): Promise<void> {
  const data = Buffer.from(text);
  bundle.parts.push(create(PartSchema, { path, data }));
  const parts = [...manifestOf(bundle).parts, partEntry(path, data)];
  await resign(bundle, { manifest: { parts, content_digest: contentDigest(parts) } }, [key]);
}

/** Changes the protected header of the first signature, which then no longer fits. */
export function header(statement: Statement | undefined, change: object): void {
  const [signature] = statement?.signatures ?? [];
  if (signature === undefined) return;
  const value = JSON.parse(Buffer.from(signature.protected, "base64url").toString("utf8"));
  signature.protected = Buffer.from(JSON.stringify({ ...value, ...change })).toString("base64url");
}

/** The statement as a message. */
export function message({ payload, signatures }: Awaited<ReturnType<typeof signStatement>>): Statement {
  return create(StatementSchema, { payload, signatures: signatures.map((signature) => ({ ...signature })) });
}

/** The statement with these very bytes as its payload, signed. */
export function signedText(like: Statement | undefined, text: string, { kid, privateKey }: SigningKey): Statement {
  const [first] = like?.signatures ?? [];
  if (first === undefined) throw new Error("what comes is signed");
  const header = { ...JSON.parse(Buffer.from(first.protected, "base64url").toString("utf8")), kid };
  const encoded = Buffer.from(JSON.stringify(header)).toString("base64url");
  const payload = Buffer.from(text).toString("base64url");
  const signature = sign(null, Buffer.from(`${encoded}.${payload}`, "ascii"), privateKey).toString("base64url");
  return create(StatementSchema, { payload, signatures: [{ protected: encoded, signature }] });
}
